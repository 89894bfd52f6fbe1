const lastName = (path: string): string => path.split('/').filter(Boolean).at(-1) ?? '';

/** The repository's own name, without `.git`. */
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
/** A text as a name may be: without control characters and surrounding space, at most `max` characters. */
export const asName = (text: string, max: number): string => text.replace(control, '').trim().slice(0, max).trim();

/** What a Source of this repository is called when nobody says otherwise. */
export const sourceNameOf = (url: string): string => asName(repositoryName(url), 120) || 'module';

/** What a Capsule of this module is called when nobody says otherwise: its folder, else the repository. */
export function nameOf({ url, path }: { url: string; path: string }, modulePath: string): string {
  const folder = modulePath === '.' ? path : modulePath;
  return asName(folder === '.' ? repositoryName(url) : lastName(folder), 70) || 'module';
}
