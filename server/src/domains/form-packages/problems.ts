import type { z } from 'zod';
import { escapePointer } from '#shared/kernel/json';

/** A fault of a package. The message holds no value of the file. */
export type PackageProblem = { pointer: string; message: string };

export const pointerOf = (path: readonly PropertyKey[]): string =>
  path.map((key) => `/${escapePointer(String(key))}`).join('');

/** Returns a problem for each issue of a parse, and one for each unknown member. */
export const problemsOf = (issues: readonly z.core.$ZodIssue[]): PackageProblem[] =>
  issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({
          pointer: pointerOf([...issue.path, key]),
          message: 'A package has no such member. Remove it.',
        }))
      : [{ pointer: pointerOf(issue.path), message: messageOf(issue) }],
  );

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? 'It is missing.' : `It must be of type ${issue.expected}.`;
  if (issue.code === 'invalid_value') return `It must be one of: ${issue.values.map(String).join(', ')}.`;
  if (issue.code === 'invalid_union') return 'It has none of the shapes that are allowed here.';
  if (issue.code === 'too_big') return `It is too long or too large: at most ${issue.maximum}.`;
  if (issue.code === 'too_small') return `It is too short or too small: at least ${issue.minimum}.`;
  if (issue.code === 'invalid_key') return 'The name of a member is not allowed here.';
  if (issue.code === 'custom' && issue.message !== 'Invalid input') return issue.message;
  return 'It does not have the form that is expected here.';
}

/** Joins problems to one sentence each, for one line. */
export const reasonOf = (problems: readonly PackageProblem[]): string => {
  const [first] = problems;
  if (!first) return 'It is not valid.';
  const others = problems.length - 1;
  const count = others === 1 ? 'One more problem is' : `${others} more problems are`;
  const rest = others === 0 ? '' : ` ${count} listed by groundctl forms lint.`;
  return `${first.pointer === '' ? '' : `At ${first.pointer}: `}${first.message}${rest}`;
};
