import { describe, expect, test } from 'vitest';
import { orphanRestMessage } from '#shared/runs/orphans';
import type { RunFeed } from '../../../api/run-feed.ts';
import { isReportedElsewhere, outlived, recoveryOf, typeOf } from './recovery.ts';

type RecoveryFeed = Pick<RunFeed, 'resources' | 'diagnostics' | 'audit'>;
const run = { type: 'apply', status: 'failed', errorCode: 'apply_interrupted' } as const;
const failed = (providerDispatched = true): RunFeed['audit'] => [
  { id: 'e', seq: 9, type: 'apply.failed', at: 9, data: { providerDispatched } },
];
const view = (address: string, action: string, state: 'started' | 'completed' | 'errored') => ({
  address,
  action,
  state,
  startedAt: 1,
});
const says = (code: string, more: { address?: string; detail?: string; message?: string } = {}) => ({
  seq: 1,
  at: 1,
  severity: 'warning' as const,
  code,
  message: 'm',
  ...more,
});
const feed = (more: Partial<RecoveryFeed> = {}): RecoveryFeed => ({
  resources: [],
  diagnostics: [],
  audit: failed(),
  ...more,
});

describe('there is something to recover', () => {
  test('only when an apply that failed may have changed something', () => {
    expect(recoveryOf(run, feed())).toBeDefined();
    expect(recoveryOf({ ...run, type: 'destroy_apply' }, feed())).toBeDefined();
    expect(recoveryOf({ ...run, type: 'plan' }, feed())).toBeUndefined();
    expect(recoveryOf({ ...run, status: 'succeeded' }, feed())).toBeUndefined();
    expect(recoveryOf({ ...run, status: 'running' }, feed())).toBeUndefined();
    expect(recoveryOf(run, feed({ audit: failed(false) }))).toBeUndefined();
    expect(recoveryOf(run, feed({ audit: [] }))).toBeUndefined();
    const complete = { id: 'e', seq: 9, type: 'apply.failed', at: 9 };
    const data = { providerDispatched: true, providerApplySucceeded: true };
    expect(recoveryOf(run, feed({ audit: [{ ...complete, data }] }))).toBeUndefined();
  });

  test('with its cause', () => {
    const causeOf = (errorCode: 'apply_failed' | 'state_save_failed' | 'run_execution_lease_lost' | 'disk_full') =>
      recoveryOf({ ...run, errorCode }, feed())?.cause;
    expect(causeOf('apply_failed')).toBe('failed');
    expect(causeOf('state_save_failed')).toBe('unsaved');
    expect(causeOf('run_execution_lease_lost')).toBe('lost');
    expect(causeOf('disk_full')).toBe('other');
    expect(recoveryOf(run, feed())?.cause).toBe('died');
    const interruptRequest = { id: 'a', seq: 1, type: 'apply.interrupt_requested', at: 1 };
    expect(recoveryOf(run, feed({ audit: [interruptRequest, ...failed()] }))?.cause).toBe('asked');
  });
});

test('lists what was reported as done, unless the state does not contain it', () => {
  const resources = [
    view('x.made', 'create', 'completed'),
    view('x.lost', 'create', 'completed'),
    view('x.changed', 'update', 'completed'),
    view('x.gone', 'delete', 'completed'),
    view('x.half', 'delete', 'completed'),
    view('x.half', 'create', 'started'),
    view('x.open', 'update', 'started'),
    view('x.stuck', 'delete', 'errored'),
    view('data.x.r', 'read', 'completed'),
  ];
  const diagnostics = [
    says('orphan_started', { address: 'x.half', detail: 'block' }),
    says('orphan_completed', { address: 'x.lost', detail: 'block' }),
    says('log_truncated'),
  ];
  expect(recoveryOf(run, feed({ resources, diagnostics }))).toEqual({
    cause: 'died',
    created: ['x.made'],
    changed: ['x.changed'],
    destroyed: ['x.gone', 'x.half'],
    unsettled: ['x.open', 'x.stuck'],
    uncertain: [
      { address: 'x.half', grade: 'started', block: 'block' },
      { address: 'x.lost', grade: 'completed', block: 'block' },
    ],
    unnamed: 0,
  });
});

test('creates a block for items beyond the hundredth, and counts those without a name', () => {
  const detail = 'module.m["a.b"].fake_thing.x[3]\nfake_thing.y["]\\""]';
  const diagnostics = [says('orphan_more', { message: orphanRestMessage(12), detail })];
  const { uncertain = [], unnamed } = recoveryOf(run, feed({ diagnostics })) ?? {};
  expect(unnamed).toBe(10);
  expect(uncertain.map(({ block }) => block)).toEqual([
    'import {\n  to = module.m["a.b"].fake_thing.x[3]\n  id = "<the id of this fake_thing>"\n}',
    'import {\n  to = fake_thing.y["]\\""]\n  id = "<the id of this fake_thing>"\n}',
  ]);
  expect(typeOf('what is this')).toBe('resource');
});

test('a diagnostic that the page shows elsewhere is not repeated', () => {
  for (const code of ['orphan_started', 'orphan_possible', 'orphan_more', 'server_restarted', 'supervisor_replaced'])
    expect(isReportedElsewhere(code)).toBe(true);
  expect([undefined, 'apply_failed', 'orphan_'].map(isReportedElsewhere)).toEqual([false, false, false]);
  expect(outlived(feed())).toEqual({ restart: false, supervisor: false });
  expect(outlived(feed({ diagnostics: [says('server_restarted')] }))).toEqual({ restart: true, supervisor: false });
});
