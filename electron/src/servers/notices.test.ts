import { expect, test } from 'vitest';
import { createNoticeLimit, readNotice } from './notices.ts';

const events = {
  'late_state.arrived': 'Late',
  'approval.requested': 'Your approval is requested',
  'run.waiting': 'Your plan waits',
  'run.failed': 'Your Run failed',
  'run.succeeded': 'Your Run succeeded',
};
const runId = 'plan_01M80WAXV4J3K6YN1ACZ1G96CT';

test('reads an event of the list and the id of a Run', () => {
  expect(readNotice(['run.failed', runId], events)).toEqual({ event: 'run.failed', runId });
});

test.each([
  ['no parameter', []],
  ['an event alone', ['run.failed']],
  ['another parameter', ['run.failed', runId, 'x']],
  ['options with an icon', [{ title: 'x', icon: '/etc/passwd' }, runId]],
  ['a text of its own', ['Your password has expired', runId]],
  ['a member of every object', ['toString', runId]],
  ['__proto__', ['__proto__', runId]],
  ['a path', ['run.failed', '../../etc/passwd']],
  ['an address', ['run.failed', 'https://evil.example/']],
  ['an id with a path behind it', ['run.failed', `${runId}/../../new`]],
  ['an id with a line', ['run.failed', `${runId}\n`]],
  ['an id that is an object', ['run.failed', { toString: () => runId }]],
  ['a list that looks like an event', [['run.failed'], runId]],
])('refuses %s', (_what, args) => {
  expect(readNotice(args as unknown[], events)).toBeUndefined();
});

test('allows a page six different notifications a minute', () => {
  let at = 0;
  const isAllowed = createNoticeLimit(() => at);
  const notice = (last: string) => ({ event: 'run.failed' as const, runId: `${runId.slice(0, -1)}${last}` });
  const results = [...'0123456789'].map((last) => isAllowed(notice(last)));
  expect(results.filter(Boolean)).toHaveLength(6);
  at = 59_999;
  expect(isAllowed(notice('0'))).toBe(false);
  at = 60_000;
  expect([isAllowed(notice('0')), isAllowed(notice('0'))]).toEqual([true, false]);
});
