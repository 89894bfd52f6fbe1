import { describe, expect, test } from 'vitest';
import { fateOfRun, fateOfUnknown, isEvidence, mayBeApplied, periodsOf, type RunFacts } from './retention.ts';

const hour = 3_600_000;
const day = 24 * hour;
const now = 1_000 * day;
const periods = periodsOf(30, false);

const plan = (more: Partial<RunFacts> = {}): RunFacts => ({
  type: 'plan',
  status: 'succeeded',
  applyRunId: null,
  supersededAt: null,
  planExpiresAt: now + day,
  finishedAt: now - 2 * day,
  applyStatus: undefined,
  isCapsuleGone: false,
  ...more,
});

describe('the folder of a Run', () => {
  const cases: [string, Partial<RunFacts>, string][] = [
    ['a plan that can be applied', {}, 'keep'],
    ['a plan that waits for an approval', { status: 'waiting_approval', finishedAt: null }, 'keep'],
    ['an expired plan that was not ended yet', { status: 'waiting_approval', planExpiresAt: now - 1 }, 'keep'],
    ['a plan past its expiry', { planExpiresAt: now }, 'thin'],
    ['an expired plan', { status: 'expired' }, 'thin'],
    ['a superseded plan', { supersededAt: now - day }, 'thin'],
    ['a plan whose Capsule was destroyed', { isCapsuleGone: true }, 'thin'],
    ['a failed plan', { status: 'failed' }, 'thin'],
    ['a cancelled plan', { status: 'cancelled' }, 'thin'],
    ['a drift check', { type: 'drift_check' }, 'thin'],
    ['a plan whose apply waits', { applyRunId: 'apply_1', applyStatus: 'queued' }, 'keep'],
    ['a plan whose apply runs', { applyRunId: 'apply_1', applyStatus: 'running' }, 'keep'],
    ['a plan that was applied', { applyRunId: 'apply_1', applyStatus: 'succeeded' }, 'thin'],
    ['a plan whose apply failed', { applyRunId: 'apply_1', applyStatus: 'failed' }, 'thin'],
    ['a queued apply', { type: 'apply', status: 'queued', finishedAt: null }, 'keep'],
    ['a running apply', { type: 'apply', status: 'running', finishedAt: null }, 'keep'],
    ['an apply of today', { type: 'apply', finishedAt: now - hour + 1 }, 'keep'],
    ['an apply of yesterday', { type: 'apply', finishedAt: now - day }, 'thin'],
    ['a failed apply of last month', { type: 'apply', status: 'failed', finishedAt: now - 29 * day }, 'thin'],
    ['an older failed apply', { type: 'apply', status: 'failed', finishedAt: now - 30 * day }, 'remove'],
    ['a Run that ends in the future', { type: 'apply', finishedAt: now + day }, 'keep'],
  ];
  test.each(cases)('of %s', (_, more, fate) => {
    expect(fateOfRun(plan(more), now, periods)).toBe(fate);
  });

  test('without a row is kept for a day, and a state in it for a month', () => {
    const ages = [0, day - 1, day, 30 * day - 1, 30 * day];
    expect(ages.map((age) => fateOfUnknown(now - age, now, periods))).toEqual([
      'keep',
      'keep',
      'thin',
      'thin',
      'remove',
    ]);
  });
});

test('files that an apply may still need are kept, also on a full disk and with the shortest time', () => {
  for (const low of [false, true])
    for (const type of ['plan', 'destroy_plan'] as const)
      for (const status of ['succeeded', 'waiting_approval'] as const) {
        const open = plan({ type, status, finishedAt: 0 });
        expect(mayBeApplied(open, now)).toBe(true);
        expect(fateOfRun(open, now, periodsOf(1, low))).toBe('keep');
      }
});

test('a state is kept for a month however short the other times are, and replaceable files are removed at once on a full disk', () => {
  expect(periodsOf(1, false)).toMatchObject({ evidenceMs: 30 * day, unusedMs: day });
  expect(periodsOf(90, false)).toMatchObject({ evidenceMs: 90 * day, unusedMs: 90 * day });
  expect(periodsOf(30, true)).toMatchObject({ evidenceMs: 30 * day, unusedMs: hour });
});

test('a copy of a state is kept unless the ledger has it; a rescued one always is', () => {
  const copy = 'state-000007-0a1b2c3d.tfstate';
  const rescued = ['errored.tfstate', 'emergency.tfstate', 'found.tfstate'];
  const run = (type: RunFacts['type'], status: RunFacts['status']) => ({ type, status });
  for (const name of rescued)
    for (const owner of [run('plan', 'succeeded'), run('apply', 'succeeded'), run('apply', 'failed'), undefined])
      expect(isEvidence(name, owner)).toBe(true);
  expect(isEvidence(copy, run('apply', 'succeeded'))).toBe(false);
  expect(isEvidence(copy, run('apply', 'failed'))).toBe(true);
  expect(isEvidence(copy, undefined)).toBe(true);
  for (const name of ['plan', 'journal.ndjson', 'key.json', 'plan.json', 'x.tfstate.tmp'])
    expect(isEvidence(name, undefined)).toBe(false);
});
