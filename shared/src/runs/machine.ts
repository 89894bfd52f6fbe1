import type { Machine } from '../kernel/machine.ts';
import type { RunStatus, RunType } from './contract.ts';

export type RunEvent = 'claim' | 'requeue' | 'requestApproval' | 'approve' | 'finish' | 'fail' | 'cancel' | 'expire';

/** Every transition of a Run, except those that its type changes. An empty row is terminal. */
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

type RunMachine = typeof runMachine;

/** Transitions of work that only reads the ledger, or writes it in one transaction: it ends before a cancel could. */
const withoutCancel = { finish: 'succeeded', fail: 'failed' } as const satisfies RunMachine['running'];

/** Rows that differ for Runs of some types. A restore waits for an approval before it is queued. */
const rowsByType: Readonly<Partial<Record<RunType, Partial<RunMachine>>>> = {
  backup: { running: withoutCancel },
  restore: { running: withoutCancel, waiting_approval: { ...runMachine.waiting_approval, approve: 'queued' } },
};

/** Returns the transitions of Runs of a type. */
export const runMachineOf = (type: RunType): RunMachine => ({ ...runMachine, ...rowsByType[type] });

/** Returns the status in which a Run of a type is created. */
export const firstStatusOf = (type: RunType): RunStatus => (type === 'restore' ? 'waiting_approval' : 'queued');
