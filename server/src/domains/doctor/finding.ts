import type { Examination } from './examination.ts';

/** `problem`: something is wrong, or soon will be. `note`: information that requires no action. */
type Level = 'problem' | 'note';

/** One finding: its text, its subject, and the remedy. Neither contains a secret. */
export type Finding = { level: Level; subject?: string; message: string; remedy: string };

/** Requirements of a check. */
export type Need = 'ledger' | 'tables' | 'key';

/** One check. A check changes nothing; an error that it throws is also reported. */
export type Check = {
  name: string;
  needs: readonly Need[];
  examine(examination: Examination): Promise<Finding[]> | Finding[];
};

type Said = { subject?: string; message: string; remedy: string };
export const problem = (said: Said): Finding => ({ level: 'problem', ...said });
export const note = (said: Said): Finding => ({ level: 'note', ...said });

/** Number of findings of one kind that are listed separately; the rest are counted. */
const maxListed = 20;

/** Limits a list of similar findings. */
export function atMost(findings: readonly Finding[], what: string): Finding[] {
  const more = findings.length - maxListed;
  const [first] = findings;
  if (more <= 0 || first === undefined) return [...findings];
  const { level, remedy } = first;
  return [...findings.slice(0, maxListed), { level, message: `${more} more ${what}.`, remedy }];
}
