/** Parses a JSON text; undefined for one that is damaged, which a schema then refuses. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
