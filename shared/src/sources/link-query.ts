/** Fields of a query in their order; undefined marks a name or value that cannot be decoded. */
export type QueryField = { name: string | undefined; value: string | undefined };

/** Stricter than `URLSearchParams`: a bad percent escape or bad UTF-8 is reported, never kept as text. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/**
 * Splits a query, with or without its `?`, as forms write it (`+` is a space); the part between two `&` may be empty.
 */
export function readQuery(search: string): QueryField[] {
  const parts = search.replace(/^\?/, '').split('&');
  return parts.filter((part) => part !== '').map(readField);
}

function readField(part: string): QueryField {
  const end = part.indexOf('=');
  const [name, value] = end < 0 ? [part, ''] : [part.slice(0, end), part.slice(end + 1)];
  return { name: decode(name), value: decode(value) };
}

/** Returns the query of these fields without its `?`; undefined fields are left out. */
export const writeQuery = (fields: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(fields)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join('&');
