import { expect, test } from 'vitest';
import { createFeedBook, isMachineSilent } from './run-feed.ts';

const line = (seq: number) => ({ seq, at: seq, phase: 'plan', stream: 'stdout', level: 'info', text: `line ${seq}` });

test('takes an item that is sent again after a reconnect only once', () => {
  const book = createFeedBook();
  for (const seq of [1, 2, 3, 2, 3, 4]) book.take('log', line(seq), seq);
  const { log } = book.changes(false);
  expect(log?.entries.map(({ text }) => text)).toEqual(['line 1', 'line 2', 'line 3', 'line 4']);
});

test('reports only changes, and the end of the log even without another line', () => {
  const book = createFeedBook();
  book.take('log', line(1), 1);
  expect(Object.keys(book.changes(false))).toEqual(['log']);
  expect(book.changes(false)).toEqual({});
  expect(book.changes(true).log).toMatchObject({ count: 1, isComplete: true });
});

test('keeps the start of a phase, and marks a reused one', () => {
  const book = createFeedBook();
  const phase = (seq: number, at: number, name: string, state: string) =>
    book.take('phase', { seq, at, phase: name, state } as never, seq);
  phase(1, 10, 'init', 'reused');
  phase(2, 20, 'plan', 'started');
  phase(3, 50, 'plan', 'finished');
  expect(book.changes(false).phases).toEqual([
    { phase: 'init', state: 'reused', startedAt: 10, finishedAt: 10 },
    { phase: 'plan', state: 'finished', startedAt: 20, finishedAt: 50 },
  ]);
});

test('shows a replace as two rows of one address', () => {
  const book = createFeedBook();
  const report = (seq: number, action: string, state: string) =>
    book.take('resource', { seq, at: seq, address: 'a.b', action, state } as never, seq);
  report(1, 'delete', 'started');
  report(2, 'delete', 'completed');
  report(3, 'create', 'started');
  expect(book.changes(false).resources).toEqual([
    { address: 'a.b', action: 'delete', state: 'completed', startedAt: 1, finishedAt: 2 },
    { address: 'a.b', action: 'create', state: 'started', startedAt: 3 },
  ]);
});

test.each([
  [[], false],
  [['machine_silent'], true],
  [['machine_silent', 'machine_heard_again', 'deprecated'], false],
  [['machine_silent', 'server_restarted'], false],
  [['machine_silent', 'machine_heard_again', 'machine_silent', 'deprecated'], true],
])('knows from %j whether the machine reports', (codes, isSilent) => {
  const book = createFeedBook();
  for (const [index, code] of codes.entries())
    book.take(
      'diagnostic',
      { seq: index + 1, at: index, severity: 'warning', message: code, code } as never,
      index + 1,
    );
  expect(isMachineSilent({ diagnostics: [], ...book.changes(false) })).toBe(isSilent);
});
