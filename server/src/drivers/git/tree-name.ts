/** Why a name of a tree must not be written anywhere, as the end of the sentence "A name in the repository …". */
export type NameFault = string;

const dotGit = '.git';
/** Code points HFS+ ignores when it compares names (Git's `is_hfs_dotgit`). */
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
/** NTFS drops dots and spaces at the end, and reads a colon as the start of a stream name (`is_ntfs_dotgit`). */
const ntfsTail = /(?:[. ]*)(?::.*)?$/s;
/** Windows reads `.. ` as `..`. */
const onlyDotsAndSpaces = /^[. ]* [. ]*$/;
/** NTFS takes `main.tf::$DATA` for `main.tf`. */
const ntfsStream = /:[^:]*:\$[a-z0-9_]+$/i;
const maxNameBytes = 255;
const slash = 0x2f;
const backslash = 0x5c;

/** Judges the raw bytes of a name: what no file name may hold in any encoding. */
export function faultOfNameBytes(name: Uint8Array): NameFault | undefined {
  if (name.length === 0) return 'is empty';
  if (name.length > maxNameBytes) return 'is longer than 255 bytes';
  for (const byte of name) {
    if (byte === slash || byte === backslash) return 'holds a slash or a backslash';
    if (byte < 0x20 || byte === 0x7f) return 'holds a control character';
  }
  return undefined;
}

/** Judges a name as text: the ones every file system, or only some, would take for something else. */
export function faultOfName(name: string): NameFault | undefined {
  if (name === '.' || name === '..') return 'is . or ..';
  const onHfs = name.replace(ignoredByHfs, '').toLowerCase();
  if (onHfs === '.' || onHfs === '..' || onlyDotsAndSpaces.test(name)) return 'is read as . or .. by some systems';
  const onNtfs = name.toLowerCase().replace(ntfsTail, '');
  if (onHfs === dotGit || onNtfs === dotGit || onNtfs === 'git~1') return 'is read as .git by some systems';
  if (ntfsStream.test(name)) return 'is read as a part of another file by some systems';
  return undefined;
}

/** Two names with the same key are one file where the file system ignores case or composes characters. */
export const collisionKey = (name: string): string => name.normalize('NFC').toLowerCase().normalize('NFC');
