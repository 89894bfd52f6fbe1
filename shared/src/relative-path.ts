/** How long a path may be, in Unicode code points. */
const maxLength = 1_024;

const isLong = (path: string): boolean => path.length > maxLength && [...path].length > maxLength;

/**
 * Whether a text names something below a root: names with single `/` between them, none of them empty, `.` or `..`; 1 to
 * 1,024 characters, no drive prefix, backslash, control character or white space at its ends (Manifest 2.2).
 */
export const isBelowRoot = (path: string): boolean =>
  path.trim() === path &&
  !isLong(path) &&
  !/^[A-Za-z]:/.test(path) &&
  !/\p{Cc}|\\/u.test(path) &&
  path.isWellFormed() &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');

/** The same, or `.` for the root itself: the one rule for folders of a repository, wherever one is named. */
export const isRelativePath = (path: string): boolean => path === '.' || isBelowRoot(path);
