import { manifestLimits as most } from '../limits.ts';

/*
 * What may stand in a `sourceBuild`, for the API and for a manifest alike (API 2.9, Manifest 2.8). Nothing is trimmed or
 * normalized. No schema library is loaded here: the worker that reads manifests starts without one.
 */

/** Lengths are in code points. */
const lengthOf = (text: string): number => [...text].length;

/** One argument of a command: it reaches the program as it stands, so no other character of it is special. */
export const isBuildArgument = (value: string): boolean =>
  value !== '' && lengthOf(value) <= most.argLength && !value.includes('\0') && value.isWellFormed();
