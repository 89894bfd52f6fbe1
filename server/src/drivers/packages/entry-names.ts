import { faultOfName, faultOfNameBytes } from '#server/drivers/git/index';
import { collisionKey } from '#server/kernel/fold-name';
import { limits } from '#shared/limits';
import { bounds } from './bounds.ts';
import { refused, tooLarge } from './package-error.ts';
import type { LeftOutEntry } from './package-types.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes a name of an archive. Returns undefined when its bytes are not UTF-8. */
export function decodeName(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Location of an entry: a path below the root of the package, or the reason that it is left out. */
export type EntryName = { path: string } | { leftOut: LeftOutEntry } | 'root';

/** Checks the names of one archive. It counts entries, because a small archive may name any number of them. */
export type EntryNames = {
  /**
   * Returns the path of an entry. Throws `package_refused` for a name that leads out of the package or that some file
   * systems take for another one, and `package_too_large` for too many or too deep ones.
   */
  check: (name: string) => EntryName;
};

export function createEntryNames(): EntryNames {
  const spelled = new Map<string, string>();
  let count = 0;
  return {
    check(name) {
      count += 1;
      if (count > limits.treeEntries) throw tooLarge(`The archive has more than ${limits.treeEntries} entries.`);
      const parts = partsOf(name);
      const path = parts.join('/');
      if (parts.length === 0) return 'root';
      if (path.includes('\ufffd')) return { leftOut: { path, kind: 'name_not_utf8' } };
      if (parts.includes('.git')) return { leftOut: { path, kind: 'git_folder' } };
      for (const [at, part] of parts.entries()) checkPart(spelled, part, parts.slice(0, at + 1).join('/'));
      return { path };
    },
  };
}

function partsOf(name: string): string[] {
  if (name.startsWith('/') || /^[A-Za-z]:[/\\]/.test(name)) {
    throw refused('The archive is not used, because it holds an absolute path.');
  }
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.length > limits.treeDepth) {
    throw tooLarge(`The archive nests folders deeper than ${limits.treeDepth} levels.`);
  }
  if (name.length > bounds.pathLength) throw refused('The archive holds a path longer than 1,024 characters.');
  return parts;
}

function checkPart(spelled: Map<string, string>, part: string, path: string): void {
  const fault = faultOfNameBytes(Buffer.from(part)) ?? faultOfName(part);
  if (fault) throw refused(`The archive is not used, because a name in it ${fault}.`);
  const key = collisionKey(path);
  const other = spelled.get(key);
  if (other !== undefined && other !== path) {
    throw refused('The archive is not used, because it holds two names that some systems take for one.');
  }
  spelled.set(key, path);
}
