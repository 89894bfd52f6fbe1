import { describe, expect, it } from 'vitest';
import { findMessageProblems } from './commits.ts';

describe('commit messages', () => {
  it.each([
    'fix(capsules): plan again only after the compatibility report has loaded',
    'refactor(runner): cut what client and supervisor share\n\nThe contract has a folder of its own.',
    'build: number migrations by the journal',
  ])('accepts %j', async (message) => {
    expect(await findMessageProblems(message)).toEqual([]);
  });

  it.each([
    ['A Capsule can be planned again as soon as its report is known', 'type may not be empty'],
    ['fix(kitchen): correct the status of a Run', 'scope must be one of'],
    ['improve: correct the status of a Run', 'type must be one of'],
    ['fix: Correct the status of a Run', 'subject must not be'],
    [`fix: ${'correct '.repeat(9)}`, 'header must not be longer than 72 characters'],
  ])('refuses %j', async (message, problem) => {
    expect((await findMessageProblems(message)).join('\n')).toContain(problem);
  });
});
