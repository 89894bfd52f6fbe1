import type { Machine } from '../kernel/machine.ts';

export const shareStatuses = ['pending', 'active', 'revoked'] as const;
export type ShareStatus = (typeof shareStatuses)[number];
export type ShareEvent = 'approve' | 'revoke';

/** Offered, accepted by the other side, ended for good. A repeated step is answered with the record as it is. */
export const shareMachine: Machine<ShareStatus, ShareEvent> = {
  pending: { approve: 'active', revoke: 'revoked' },
  active: { revoke: 'revoked' },
  revoked: {},
};
