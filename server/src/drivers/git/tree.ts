import { collisionKey } from '#server/kernel/fold-name';
import { damaged, refused } from './git-error.ts';
import { faultOfName, faultOfNameBytes } from './tree-name.ts';

type TreeEntryKind = 'file' | 'executable' | 'tree' | 'symlink' | 'submodule';
/** `name` is undefined when the bytes are not UTF-8; `shown` can always be printed. */
export type TreeEntry = { kind: TreeEntryKind; name: string | undefined; shown: string; id: string };

/** The modes `git fsck` accepts; 100664 comes from repositories older than the rule. */
const kinds = new Map<number, TreeEntryKind>([
  [0o100644, 'file'],
  [0o100664, 'file'],
  [0o100755, 'executable'],
  [0o040000, 'tree'],
  [0o120000, 'symlink'],
  [0o160000, 'submodule'],
]);
const space = 0x20;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads the raw bytes of a tree: entries of `<octal mode> <name>\0<id>`. Throws `source_fetch_refused` for anything
 * that could mislead a checkout: unknown modes, names that are not plain, names that collide.
 */
export function parseTree(bytes: Buffer, idLength: number): TreeEntry[] {
  const entries: TreeEntry[] = [];
  const seen = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameAt = bytes.indexOf(space, at) + 1;
    const nameEnd = nameAt > 0 ? bytes.indexOf(0, nameAt) : -1;
    const next = nameEnd + 1 + idLength;
    if (nameEnd < 0 || next > bytes.length) throw damaged('a tree ends early');
    const entry = readEntry(bytes.subarray(nameAt, nameEnd), bytes.toString('latin1', at, nameAt - 1));
    entry.id = bytes.toString('hex', nameEnd + 1, next);
    refuseCollision(seen, entry);
    entries.push(entry);
    at = next;
  }
  return entries;
}

function readEntry(raw: Buffer, mode: string): TreeEntry {
  const kind = /^[0-7]{5,7}$/.test(mode) ? kinds.get(Number.parseInt(mode, 8)) : undefined;
  const shown = showName(raw);
  if (!kind) throw refused(`The repository gives "${shown}" an unknown file mode, so it is not used.`);
  const name = decode(raw);
  const fault = faultOfNameBytes(raw) ?? (name === undefined ? undefined : faultOfName(name));
  if (fault) throw refused(`The repository is not used, because a name in it ${fault}: "${shown}".`);
  return { kind, name, shown, id: '' };
}

function refuseCollision(seen: Map<string, string>, entry: TreeEntry): void {
  const key = entry.name === undefined ? `\0${entry.shown}` : collisionKey(entry.name);
  const other = seen.get(key);
  if (other !== undefined) {
    const what =
      other === entry.shown
        ? `the name "${other}" twice`
        : `"${other}" and "${entry.shown}", which some systems take for one name`;
    throw refused(`The repository is not used, because one folder in it holds ${what}.`);
  }
  seen.set(key, entry.shown);
}

function decode(raw: Buffer): string | undefined {
  try {
    return utf8.decode(raw);
  } catch {
    return undefined;
  }
}

/** Returns a name for display: printable ASCII and letters unchanged, every other byte as `\xNN`. */
function showName(raw: Buffer): string {
  const text = decode(raw);
  if (text !== undefined && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text)) return text;
  return [...raw]
    .map((byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
    )
    .join('');
}
