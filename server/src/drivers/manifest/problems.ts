import { escapePointer } from '#shared/kernel/json';
import { manifestLimits } from '#shared/limits';
import type { ManifestProblem, ManifestProblemCode } from '#shared/manifest/contract';
import { isSecretLike } from '#shared/secret-like';

/** Path of a value: keys and positions from the root of the document. */
export type JsonPath = readonly (string | number)[];
/** Receives one problem; problems beyond the maximum are dropped. */
export type Report = (path: JsonPath, code: ManifestProblemCode, message: string) => void;

const plainKey = /^[\w./$-]{1,80}$/;

/** Returns a key for display. A key may itself be a secret, so only a plain one is shown. */
const shownKey = (key: string | number): string =>
  typeof key === 'number' || (plainKey.test(key) && !isSecretLike(key)) ? escapePointer(String(key)) : '*';

export function createProblems(): { report: Report; list: () => ManifestProblem[] } {
  const problems: ManifestProblem[] = [];
  return {
    report(path, code, message) {
      if (problems.length >= manifestLimits.problems) return;
      problems.push({ pointer: path.map((key) => `/${shownKey(key)}`).join(''), code, message });
    },
    list: () => problems,
  };
}

export const lengthOf = (value: string): number => {
  let length = 0;
  for (const _ of value) length += 1;
  return length;
};
