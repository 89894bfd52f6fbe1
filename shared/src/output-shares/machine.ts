import type { Machine } from '../kernel/machine.ts';

export const shareStatuses = ['pending', 'active', 'revoked'] as const;
export type ShareStatus = (typeof shareStatuses)[number];
export type ShareEvent = 'approve' | 'revoke';

/** Offered, accepted by the other Workspace, or ended permanently. A repeated step returns the unchanged record. */
export const shareMachine: Machine<ShareStatus, ShareEvent> = {
  pending: { approve: 'active', revoke: 'revoked' },
  active: { revoke: 'revoked' },
  revoked: {},
};
