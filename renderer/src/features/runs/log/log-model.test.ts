import { expect, test } from 'vitest';
import type { LogEntry } from '#shared/runs/feed';
import { groupsOf, lineOfHash, patternOf, plainText, rangesIn, rowsOf } from './log-model.ts';

const entry = (phase: LogEntry['phase'], text = ''): LogEntry => ({
  seq: 1,
  at: 0,
  phase,
  stream: 'stdout',
  level: 'info',
  text,
});

test('groups consecutive lines of one phase, and shows a folded group as one row', () => {
  const entries = [entry('init'), entry('init'), entry('plan'), entry('init')];
  const groups = groupsOf(entries, 4);
  expect(groups).toEqual([
    { phase: 'init', from: 0, to: 2 },
    { phase: 'plan', from: 2, to: 3 },
    { phase: 'init', from: 3, to: 4 },
  ]);
  expect(rowsOf(groups, new Set())).toEqual([-1, 0, 1, -2, 2, -3, 3]);
  expect(rowsOf(groups, new Set([0]))).toEqual([-1, -2, 2, -3, 3]);
});

test('does not split a phase at lines of Ground Control, so that the groups are the phases', () => {
  const phases = ['system', 'init', 'system', 'init', 'system', 'plan', 'system'] as const;
  const entries = phases.map((phase) => entry(phase));
  expect(groupsOf(entries, entries.length)).toEqual([
    { phase: 'init', from: 0, to: 5 },
    { phase: 'plan', from: 5, to: 7 },
  ]);
  expect(groupsOf([entry('system')], 1)).toEqual([{ phase: 'system', from: 0, to: 1 }]);
});

test('searches lines without colors, for plain text', () => {
  const text = plainText(entry('plan', 'a\u001b[31mB.c\u001b[0m b.C bxc \u202e'));
  expect(text).toBe('aB.c b.C bxc \\u{202e}');
  expect(rangesIn(text, patternOf('b.c') as RegExp)).toEqual([
    [1, 4],
    [5, 8],
  ]);
  expect(patternOf('')).toBeUndefined();
});

test('reads a line from a URL fragment only in the exact form', () => {
  expect(['#L1', 'L12', '#L0', '#x', '', '#L1x', '#L-2'].map(lineOfHash)).toEqual([
    0,
    11,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
