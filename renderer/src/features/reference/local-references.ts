type Tree = { readonly [name: string]: unknown };
type Resolved = { spec: unknown; errors: readonly unknown[] };

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Name of a part as a reference writes it (RFC 6901). */
const unescapePart = (part: string): string => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');

/** Undefined where the document has nothing at the path. */
function valueAt(document: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (at as Tree | undefined)?.[name], document);
}

/**
 * Returns the part of an OpenAPI document at a path, with each reference replaced by what it names in the same document.
 * A reference inside of what it names, and one that names nothing here, stay as they are. The document of this server
 * refers only to itself; the library's own resolver, which follows addresses too, takes half a minute for it.
 */
export async function resolveLocally(document: unknown, path: readonly string[]): Promise<Resolved> {
  const open = new Set<string>();
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replace);
    if (!isTree(value)) return value;
    const { $ref: name, ...beside } = value;
    if (typeof name === 'string' && name.startsWith('#/') && !open.has(name)) {
      const target = valueAt(document, name.slice(2).split('/').map(unescapePart));
      if (isTree(target)) {
        open.add(name);
        const replaced = replace({ ...target, ...beside }) as Tree;
        open.delete(name);
        return replaced;
      }
    }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replace(inner)]));
  };
  return { spec: replace(valueAt(document, path)), errors: [] };
}

/** A plug-in of the library that replaces its resolver. */
export const localReferences = () => ({ fn: { resolveSubtree: resolveLocally } });
