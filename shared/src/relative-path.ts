/** Longest path, in Unicode code points. */
const maxLength = 1_024;

const isLong = (path: string): boolean => path.length > maxLength && [...path].length > maxLength;

/**
 * Reports whether a text is a relative path below a root: names with single `/` between them, none of them empty, `.`
 * or `..`; 1 to 1,024 characters, without drive prefix, backslash, control characters, or white space at its ends.
 */
export const isBelowRoot = (path: string): boolean =>
  path.trim() === path &&
  !isLong(path) &&
  !/^[A-Za-z]:/.test(path) &&
  !/\p{Cc}|\\/u.test(path) &&
  path.isWellFormed() &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');

/** The same, or `.` for the root: the only rule for folders of a repository. */
export const isRelativePath = (path: string): boolean => path === '.' || isBelowRoot(path);
