import { type GitUrlRules, isGitRef, isRelativePath, parseGitUrl } from '#shared/sources/git-address';
import { readPastedAddress } from '#shared/sources/pasted-address';

/** What of a repository is looked at; `HEAD` and `.` stand for its default branch and its root. */
export type Address = { url: string; ref: string; path: string };

export type Refusal = Extract<ReturnType<typeof parseGitUrl>, { ok: false }>['reason'];
export type Reading =
  | { kind: 'empty' }
  | { kind: 'unreadable' }
  | { kind: 'refused'; url: string; reason: Refusal }
  | { kind: 'readable'; address: Address; wasSsh: boolean; hadCredentials: boolean };

const credentials = /^(?:git::)?https?:\/\/[^/]*@/i;

/** Reads what a person typed, with the rules of this server; nothing is fetched. */
export function readAddress(text: string, rules: GitUrlRules): Reading {
  if (text.trim() === '') return { kind: 'empty' };
  const pasted = readPastedAddress(text);
  if (!pasted) return { kind: 'unreadable' };
  const parsed = parseGitUrl(pasted.url, rules);
  if (!parsed.ok) return { kind: 'refused', url: pasted.url, reason: parsed.reason };
  const address = { url: parsed.url, ref: pasted.ref ?? 'HEAD', path: pasted.path ?? '.' };
  return { kind: 'readable', address, wasSsh: pasted.wasSsh, hadCredentials: credentials.test(text.trim()) };
}

export const isSound = ({ ref, path }: Address): boolean => isGitRef(ref) && isRelativePath(path);

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
export const asName = (text: string, max: number): string => text.replace(control, '').trim().slice(0, max).trim();

/** What a Capsule of this module is called when nobody says otherwise: its folder, else the repository. */
export function nameOf({ url, path }: Address, modulePath: string): string {
  const folder = modulePath === '.' ? path : modulePath;
  return asName(folder === '.' ? repositoryName(url) : lastName(folder), 70) || 'module';
}

/** The name, or the name with the first free number behind it. */
export function uniqueName(name: string, isTaken: (name: string) => boolean): string {
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? name : `${name}-${count}`;
    if (!isTaken(candidate)) return candidate;
  }
}
