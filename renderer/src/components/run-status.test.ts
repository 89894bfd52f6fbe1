import { describe, expect, it } from 'vitest';
import { runStatusText, runTypeText } from './run-status.ts';

const plan = { type: 'plan', status: 'waiting_approval' } as const;
const textOf = (run: Parameters<typeof runStatusText>[0]) => runStatusText(run).text;

describe('the status of a Run', () => {
  it('is what a plan waits for', () => {
    expect(textOf({ ...plan, awaits: 'approve' })).toBe('run.awaits.approve');
    expect(textOf({ ...plan, status: 'succeeded', awaits: 'apply' })).toBe('run.awaits.apply');
  });

  it('never reports a plan as waiting that can no longer be approved', () => {
    const superseded = { at: '2026-01-01T00:00:00.000Z', reason: 'state_generation' } as const;
    expect(textOf({ ...plan, superseded, hasChanges: true })).toBe('run.superseded');
    expect(textOf({ ...plan, obsoletedBy: 'plan_2', hasChanges: true })).toBe('run.obsolete');
    expect(textOf({ ...plan, hasChanges: false })).toBe('run.noChanges');
    expect(textOf(plan)).toBe('run.planned');
  });

  it('is the result for an applied or cancelled plan, and for a waiting restore', () => {
    expect(textOf({ ...plan, status: 'succeeded', applyRunId: 'apply_1', hasChanges: true })).toBe(
      'run.status.succeeded',
    );
    expect(textOf({ ...plan, status: 'cancelled', hasChanges: false })).toBe('run.status.cancelled');
    expect(textOf({ type: 'restore', status: 'waiting_approval' })).toBe('run.status.waiting_approval');
  });

  it('is interrupted, not failed, for an apply that was interrupted', () => {
    expect(textOf({ type: 'apply', status: 'failed', errorCode: 'apply_interrupted' })).toBe('run.status.interrupted');
    expect(textOf({ type: 'apply', status: 'failed', errorCode: 'apply_failed' })).toBe('run.status.failed');
  });
});

it('names a plan of an earlier state a rollback plan', () => {
  expect(runTypeText({ type: 'plan', rollbackStateVersionId: 'sv_1' })).toBe('run.type.rollback_plan');
  expect(runTypeText({ type: 'plan' })).toBe('run.type.plan');
});
