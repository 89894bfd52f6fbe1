import { ignoredByHfs } from '#server/kernel/fold-name';

/** Reason that a tree entry's name must not be written, as the end of the sentence "A name in the repository …". */
type NameFault = string;

const dotGit = '.git';
/** NTFS drops dots and spaces at the end, and reads a colon as the start of a stream name (`is_ntfs_dotgit`). */
const ntfsTail = /(?:[. ]*)(?::.*)?$/s;
/** Windows reads `.. ` as `..`. */
const onlyDotsAndSpaces = /^[. ]* [. ]*$/;
/** NTFS takes `main.tf::$DATA` for `main.tf`. */
const ntfsStream = /:[^:]*:\$[a-z0-9_]+$/i;
const maxNameBytes = 255;
const slash = 0x2f;
const backslash = 0x5c;

/** Checks the raw bytes of a name for bytes that no file name may contain in any encoding. */
export function faultOfNameBytes(name: Uint8Array): NameFault | undefined {
  if (name.length === 0) return 'is empty';
  if (name.length > maxNameBytes) return 'is longer than 255 bytes';
  for (const byte of name) {
    if (byte === slash || byte === backslash) return 'holds a slash or a backslash';
    if (byte < 0x20 || byte === 0x7f) return 'holds a control character';
  }
  return undefined;
}

/** Checks a name as text for names that some or all file systems would interpret as another. */
export function faultOfName(name: string): NameFault | undefined {
  if (name === '.' || name === '..') return 'is . or ..';
  const onHfs = name.replace(ignoredByHfs, '').toLowerCase();
  if (onHfs === '.' || onHfs === '..' || onlyDotsAndSpaces.test(name)) return 'is read as . or .. by some systems';
  const onNtfs = name.toLowerCase().replace(ntfsTail, '');
  if (onHfs === dotGit || onNtfs === dotGit || onNtfs === 'git~1') return 'is read as .git by some systems';
  if (ntfsStream.test(name)) return 'is read as a part of another file by some systems';
  return undefined;
}
