import { describe, expect, it } from 'vitest';
import type { JournalRecord } from '#server/runner/contract/execution-spec';
import { type ProfiledRun, profileRows, profileTable, wholeOf } from './profile-rows.ts';

const identity = { pid: 1, startTime: '1', bootId: 'boot' };
const phase = (
  at: number,
  name: 'init' | 'plan' | 'apply',
  state: 'started' | 'finished' | 'reused',
): JournalRecord => ({
  t: 'phase',
  at,
  phase: name,
  state,
});
const spawned = (at: number, command: string): JournalRecord => ({ t: 'spawned', at, command, identity });
const log = (at: number, name: 'init' | 'plan' | 'apply'): JournalRecord => ({
  t: 'log',
  at,
  phase: name,
  stream: 'stdout',
  level: 'info',
  text: 'text',
});
const outcome = (at: number): JournalRecord => ({
  t: 'outcome',
  at,
  outcome: { kind: 'action', succeeded: true },
});
const started = (at: number): JournalRecord => ({ t: 'started', at, formatVersion: 1, identity });

const client = { requestedAt: 1_000, createdAt: 1_004, startedAt: 1_006, finishedAt: 1_230, endedAt: 1_240 };
const nextPlan: ProfiledRun = {
  ...client,
  records: [
    started(1_020),
    phase(1_030, 'init', 'reused'),
    phase(1_030, 'plan', 'started'),
    spawned(1_045, 'plan'),
    log(1_100, 'plan'),
    log(1_150, 'plan'),
    spawned(1_160, 'show'),
    log(1_170, 'plan'),
    phase(1_200, 'plan', 'finished'),
    outcome(1_210),
  ],
};
const apply: ProfiledRun = {
  ...client,
  records: [
    started(1_020),
    phase(1_030, 'init', 'reused'),
    phase(1_030, 'apply', 'started'),
    spawned(1_050, 'apply'),
    log(1_150, 'apply'),
    phase(1_200, 'apply', 'finished'),
    outcome(1_210),
  ],
};

describe('the profile of a Run', () => {
  it('divides a plan from its request to its end at the client', () => {
    expect(profileRows(nextPlan).filter(([, ms]) => ms !== undefined)).toEqual([
      ['request until the Run is queued', 4],
      ['queue until the Run is claimed', 2],
      ["claim until the supervisor's first record", 14],
      ['folder, archive, stamp', 10],
      ['until the process of plan or apply is known', 15],
      ['plan, or apply', 105],
      ['until show may go', 10],
      ['show', 40],
      ['projection or state, files removed, outcome durable', 10],
      ['outcome until it is in the ledger', 20],
      ['ledger until the client knows', 10],
    ]);
  });

  it('separates the end of an apply from its last output', () => {
    const rows = new Map(profileRows(apply));
    expect(rows.get('end of the apply until it is known')).toBe(50);
    expect(rows.get('show')).toBeUndefined();
  });

  it('gives each millisecond to one part, also when marks are missing or have another order', () => {
    const without = { ...nextPlan, records: nextPlan.records.filter(({ t }) => t !== 'log') };
    const early = { ...nextPlan, records: [spawned(1_015, 'plan'), ...nextPlan.records] };
    for (const run of [nextPlan, apply, without, early]) {
      const rows = profileRows(run);
      expect(wholeOf(rows)).toBe(run.endedAt - run.requestedAt);
      expect(rows.every(([, ms]) => ms === undefined || ms >= 0)).toBe(true);
    }
  });

  it('is a table with the whole in its last row', () => {
    const columns = [
      { title: 'next plan', rows: profileRows(nextPlan) },
      { title: 'apply', rows: profileRows(apply) },
    ];
    const lines = profileTable(columns).split('\n');
    expect(lines[0]).toBe('| ms | next plan | apply |');
    expect(lines).toContain('| show | 40 |  |');
    expect(lines.at(-1)).toBe('| **whole** | **240** | **240** |');
  });
});
