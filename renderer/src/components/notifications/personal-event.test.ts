import { expect, test } from 'vitest';
import { personalEventOf } from './personal-event.ts';

const approval = { by: 'sub_1', at: '2030-01-01T00:00:00.000Z' };

test.each([
  [{ type: 'plan', status: 'waiting_approval', awaits: 'approve' }, 'run.waiting'],
  [{ type: 'destroy_plan', status: 'waiting_approval', awaits: 'approve' }, 'run.waiting'],
  [{ type: 'plan', status: 'succeeded', awaits: 'apply' }, 'run.waiting'],
  [{ type: 'plan', status: 'succeeded', awaits: 'apply', approval }, undefined],
  [{ type: 'plan', status: 'waiting_approval', awaits: 'approve', approvalRequest: approval }, undefined],
  [{ type: 'plan', status: 'succeeded', hasChanges: false }, 'run.succeeded'],
  [{ type: 'plan', status: 'succeeded', hasChanges: true }, undefined],
  [{ type: 'plan', status: 'running' }, undefined],
  [{ type: 'plan', status: 'failed' }, 'run.failed'],
  [{ type: 'apply', status: 'succeeded' }, 'run.succeeded'],
  [{ type: 'apply', status: 'cancelled' }, undefined],
  [{ type: 'drift_check', status: 'succeeded', hasChanges: false }, undefined],
  [{ type: 'drift_check', status: 'failed' }, 'run.failed'],
  [{ type: 'source_sync', status: 'failed' }, undefined],
] as const)('%j is %s', (run, event) => {
  expect(personalEventOf(run)).toBe(event);
});
