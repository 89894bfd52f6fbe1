import { manifestLimits as most } from '../limits.ts';

/*
 * Rules of a `sourceBuild`, for the API and for a manifest. Nothing is trimmed or normalized. No schema library is
 * loaded here: the worker that reads manifests starts without one.
 */

/** Lengths are in code points. */
const lengthOf = (text: string): number => [...text].length;

/** One argument of a command. It reaches the program unchanged, so no character of it is special. */
export const isBuildArgument = (value: string): boolean =>
  value !== '' && lengthOf(value) <= most.argLength && !value.includes('\0') && value.isWellFormed();
