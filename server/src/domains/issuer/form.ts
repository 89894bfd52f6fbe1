/** A form as it was sent. */
export type SentForm = { bytes: Uint8Array; headers: Readonly<Record<string, string | undefined>> };

/** Returns the parameters of a form; undefined when it is another type, or repeats one (RFC 6749, 3.2). */
export function parseForm({ bytes, headers }: SentForm): URLSearchParams | undefined {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded') return undefined;
  const form = new URLSearchParams(Buffer.from(bytes).toString('utf8'));
  return new Set(form.keys()).size === [...form.keys()].length ? form : undefined;
}
