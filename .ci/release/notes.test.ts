import { expect, test } from 'vitest';
import { releaseNotes } from './notes.ts';

test('sorts the commits that users notice by kind, and counts the others', () => {
  const notes = releaseNotes([
    'fix(runs): end a Run once',
    'feat(ui): show the pool\n\nA body that is not shown.',
    'feat: add a command',
    'perf(scan): read less',
    'test: wait for an end',
    'docs: say more',
    'Merge something',
  ]);
  expect(notes).toBe(`## Added
- **ui:** show the pool
- add a command
## Fixed
- **runs:** end a Run once
## Faster
- **scan:** read less
2 other commits change tests, documents and the build.
`);
});

test('shows breaking changes first, whether marked in the subject or in a footer', () => {
  const notes = releaseNotes([
    'refactor(shared)!: rename a member',
    'fix(cli): refuse a flag\n\nBREAKING CHANGE: scripts must use another one',
    'fix(cli): accept a flag',
  ]);
  expect(notes).toBe(`## Breaking changes
- **cli:** refuse a flag
- **shared:** rename a member
## Fixed
- **cli:** accept a flag
`);
});
