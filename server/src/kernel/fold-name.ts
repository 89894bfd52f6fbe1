const isPlain = /^[ -~]*$/;
/** Code points that HFS+ ignores when it compares names (Git's `is_hfs_dotgit`). */
export const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
/** NTFS drops dots and spaces at the end, and reads a colon as the start of a stream name. */
const ntfsTail = /[. ]*(?::.*)?$/s;

/**
 * Returns the key by which names collide: two names with the same key are one file when the file system ignores case or
 * composes characters. Upper case first, because `ſ` and `ß` have the same upper case as `s` and `ss`.
 */
export const collisionKey = (name: string): string =>
  isPlain.test(name) ? name.toLowerCase() : name.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC');

/** Returns the name by which the file system of a platform finds a file: on Linux exactly its own. */
export function foldName(name: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'linux') return name;
  const folded = collisionKey(name.replace(ignoredByHfs, ''));
  return platform === 'win32' ? folded.replace(ntfsTail, '') : folded;
}

const device = /^(?:con|prn|aux|nul|con(?:in|out)\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:[. :].*)?$/i;

/** Reports whether Windows opens a device instead of a file of this name. */
export const isDeviceName = (name: string, platform: NodeJS.Platform = process.platform): boolean =>
  platform === 'win32' && device.test(name);
