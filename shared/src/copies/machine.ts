import type { Machine } from '../kernel/machine.ts';

/**
 * `preparing`: packages are resolved and fetched. `waiting_approval`: a person reads the review. `making`: the commit
 * is written and its Source synced.
 */
export const copyRevisionStatuses = [
  'preparing',
  'waiting_approval',
  'making',
  'succeeded',
  'failed',
  'cancelled',
] as const;
export type CopyRevisionStatus = (typeof copyRevisionStatuses)[number];
export type CopyRevisionEvent = 'prepare' | 'approve' | 'finish' | 'fail' | 'cancel';

export const copyRevisionMachine: Machine<CopyRevisionStatus, CopyRevisionEvent> = {
  preparing: { prepare: 'waiting_approval', fail: 'failed', cancel: 'cancelled' },
  waiting_approval: { approve: 'making', fail: 'failed', cancel: 'cancelled' },
  making: { finish: 'succeeded', fail: 'failed' },
  succeeded: {},
  failed: {},
  cancelled: {},
};
