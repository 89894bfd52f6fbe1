const lastName = (path: string): string => path.split('/').filter(Boolean).at(-1) ?? '';

/** Returns the name of the repository, without `.git`. */
export function repositoryName(url: string): string {
  const name = lastName(URL.parse(url)?.pathname ?? '');
  try {
    return decodeURIComponent(name).replace(/\.git$/, '') || 'module';
  } catch {
    return name || 'module';
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const control = /[\u0000-\u001f\u007f]/g;
/** Returns a text as a valid name: without control characters and surrounding space, at most `max` characters. */
export const asName = (text: string, max: number): string => text.replace(control, '').trim().slice(0, max).trim();

/** Returns the default name of a Source of this repository. */
export const sourceNameOf = (url: string): string => asName(repositoryName(url), 120) || 'module';

/**
 * Returns the default name of a Capsule of this module: its folder, else the repository. `sourceName` replaces the name
 * of a repository whose URL has none, such as that of an installable copy.
 */
export function nameOf({ url, path }: { url: string; path: string }, modulePath: string, sourceName?: string): string {
  const folder = modulePath === '.' ? path : modulePath;
  return asName(folder === '.' ? (sourceName ?? repositoryName(url)) : lastName(folder), 70) || 'module';
}
