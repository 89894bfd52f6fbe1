import type { Machine } from '../kernel/machine.ts';

export const connectionStatuses = ['pending', 'verified', 'revoked', 'expired', 'error'] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];
/** `expire`: the Connection has expired, by its expiry time or by the result of a test. */
type ConnectionEvent = 'pass' | 'fail' | 'expire' | 'revoke';

export const connectionMachine: Machine<ConnectionStatus, ConnectionEvent> = {
  pending: { pass: 'verified', fail: 'error', expire: 'expired', revoke: 'revoked' },
  verified: { pass: 'verified', fail: 'error', expire: 'expired', revoke: 'revoked' },
  expired: { pass: 'verified', fail: 'error', expire: 'expired', revoke: 'revoked' },
  error: { pass: 'verified', fail: 'error', revoke: 'revoked' },
  revoked: {},
};
