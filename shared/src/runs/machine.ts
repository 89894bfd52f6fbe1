import type { Machine } from '../kernel/machine.ts';
import type { RunStatus } from './contract.ts';

export type RunEvent = 'claim' | 'requeue' | 'requestApproval' | 'approve' | 'finish' | 'fail' | 'cancel' | 'expire';

/** Every transition of a Run. An empty row is terminal. */
export const runMachine: Machine<RunStatus, RunEvent> = {
  queued: { claim: 'running', cancel: 'cancelled', fail: 'failed' },
  running: {
    requestApproval: 'waiting_approval',
    finish: 'succeeded',
    fail: 'failed',
    cancel: 'cancelled',
    requeue: 'queued',
  },
  waiting_approval: { approve: 'succeeded', cancel: 'cancelled', expire: 'expired' },
  succeeded: {},
  failed: {},
  cancelled: {},
  expired: {},
};
