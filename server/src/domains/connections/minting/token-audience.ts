/** Reports whether a text is a JSON Web Token that names other audiences only (RFC 7519, 4.1.3). */
export function isForOthers(text: string, audience: string): boolean {
  const [, payload] = /^[\w-]+\.([\w-]+)\.[\w-]*$/.exec(text) ?? [];
  if (payload === undefined) return false;
  try {
    const { aud } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { aud?: unknown };
    return aud !== undefined && !isAudience(aud, audience);
  } catch {
    return false;
  }
}

/** Reports whether an audience, or a list of them, contains the expected one. */
export const isAudience = (named: unknown, expected: string): boolean =>
  named === expected || (Array.isArray(named) && named.includes(expected));
