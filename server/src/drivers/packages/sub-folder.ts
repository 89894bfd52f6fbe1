import path from 'node:path';
import { PackageError } from './package-error.ts';

/**
 * Splits the folder inside a package from an address: `host/x.zip//modules/a?query` has the folder `modules/a`. The
 * query stays at the address, and the slashes of a scheme divide nothing.
 */
export function splitSub(address: string): { address: string; sub: string } {
  const [plain = ''] = address.split('?', 1);
  const query = address.slice(plain.length);
  const scheme = plain.indexOf('://');
  const at = plain.indexOf('//', scheme < 0 ? 0 : scheme + 3);
  if (at < 0) return { address, sub: '.' };
  return { address: `${plain.slice(0, at)}${query}`, sub: cleanSub(plain.slice(at + 2)) };
}

/** Normalizes a folder inside a package. Throws `address_invalid` for one that leaves the package. */
export function cleanSub(text: string): string {
  const sub = path.posix.normalize(text.replace(/^\/+/, '') || '.').replace(/\/+$/, '') || '.';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (sub === '..' || sub.startsWith('../') || /[\u0000-\u001f\u007f\\]/.test(sub) || sub.length > 1_024) {
    throw new PackageError('address_invalid', 'The folder after // leads outside of the package. Name one inside it.');
  }
  return sub;
}

/** Joins the folder of a package and one below it. */
export const joinSub = (outer: string, inner: string): string => cleanSub(path.posix.join(outer, inner));

const maxStars = 8;

/**
 * Finds the folder that a pattern such as `*` or `repository-?` names, as the tools do: exactly one entry must
 * match. Without `*` or `?` the folder itself. Throws `folder_not_found`.
 */
export function expandSub(sub: string, files: Iterable<string>): string {
  const depth = sub === '.' ? 0 : sub.split('/').length;
  const isPattern = /[*?[]/.test(sub);
  if (isPattern) assertPattern(sub);
  const found = new Set<string>();
  for (const file of files) {
    const names = file.split('/');
    const top = names.slice(0, depth).join('/') || '.';
    if (names.length >= depth && !found.has(top) && (isPattern ? matches(sub, top) : top === sub)) found.add(top);
    if (found.size > 1)
      throw missing('The pattern after // matches more than one folder of the package. Name one folder.');
  }
  const [folder] = found;
  if (folder === undefined) throw missing('The package has no folder of the name after //. Check the address.');
  if (depth > 0 && new Set(files).has(folder)) throw missing('The path after // is a file. Name a folder.');
  return folder;
}

/** Refuses what `path.Match` of the tools reads in another way. */
function assertPattern(sub: string): void {
  if ((sub.match(/\*/g)?.length ?? 0) <= maxStars && !sub.includes('[')) return;
  throw missing('The pattern after // is not supported. Write the name of the folder.');
}

/** Compares a path with a pattern, name by name. */
function matches(pattern: string, path: string): boolean {
  const [patterns, names] = [pattern.split('/'), path.split('/')];
  return patterns.length === names.length && patterns.every((one, index) => matchesName(one, names[index] ?? ''));
}

/** Only the newest `*` is tried again, so the time is bounded by the product of both lengths. */
function matchesName(pattern: string, name: string): boolean {
  const [wanted, letters] = [[...pattern], [...name]];
  let [at, next, star, tried] = [0, 0, -1, 0];
  while (at < letters.length) {
    if (wanted[next] === '*') {
      star = next;
      next += 1;
      tried = at;
    } else if (next < wanted.length && (wanted[next] === '?' || wanted[next] === letters[at])) {
      next += 1;
      at += 1;
    } else if (star >= 0) {
      tried += 1;
      at = tried;
      next = star + 1;
    } else return false;
  }
  return wanted.slice(next).every((letter) => letter === '*');
}

const missing = (message: string): PackageError => new PackageError('folder_not_found', message);
