import type { Examination } from './examination.ts';

/** `problem`: something is wrong, or soon will be. `note`: something to know, that nobody has to do anything about. */
export type Level = 'problem' | 'note';

/** One thing that was found: what it is, about what, and what to do. Neither holds a secret. */
export type Finding = { level: Level; subject?: string; message: string; remedy: string };

/** What has to be there before a check can be made. */
export type Need = 'ledger' | 'tables' | 'key';

/** One thing to look at. A check changes nothing; when it throws, that is a finding too. */
export type Check = {
  name: string;
  needs: readonly Need[];
  examine(examination: Examination): Promise<Finding[]> | Finding[];
};

type Said = { subject?: string; message: string; remedy: string };
export const problem = (said: Said): Finding => ({ level: 'problem', ...said });
export const note = (said: Said): Finding => ({ level: 'note', ...said });

/** As many of one kind are told one by one; the rest in a number. */
const maxListed = 20;

/** Keeps a list of like findings readable. */
export function atMost(findings: readonly Finding[], what: string): Finding[] {
  const more = findings.length - maxListed;
  const [first] = findings;
  if (more <= 0 || first === undefined) return [...findings];
  const { level, remedy } = first;
  return [...findings.slice(0, maxListed), { level, message: `${more} more ${what}.`, remedy }];
}
