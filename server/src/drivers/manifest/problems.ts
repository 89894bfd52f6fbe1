import { escapePointer } from '#shared/kernel/json';
import { manifestLimits } from '#shared/limits';
import type { ManifestProblem, ManifestProblemCode } from '#shared/manifest/contract';
import { isSecretLike } from '#shared/secret-like';

/** Where a value stands: keys and positions from the root of the document. */
export type JsonPath = readonly (string | number)[];
export type Problem = { path: JsonPath; code: ManifestProblemCode; message: string };
/** Takes one problem; what comes after the most that are told is dropped. */
export type Report = (path: JsonPath, code: ManifestProblemCode, message: string) => void;

const plainKey = /^[\w./$-]{1,80}$/;

/** A key may itself be somebody's secret: only a plain one is repeated. */
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
