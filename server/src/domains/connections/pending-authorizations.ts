import type { Clock } from '#server/kernel/clock';
import { sha256Hex } from '#server/kernel/digest';

/** A sign-in in the browser that has begun. */
export type PendingAuthorization = {
  helperId: string;
  workspaceId: string;
  subject: string;
  sessionId: string;
  displayName: string | undefined;
  verifier: string;
  redirectUri: string;
  /** ms */
  expiresAt: number;
};

const maxPending = 1_000;

/** Sign-ins by their state. They live in memory alone: one that a restart cuts off is begun anew. */
export function createPendingAuthorizations(clock: Clock) {
  const pending = new Map<string, PendingAuthorization>();
  return {
    remember(state: string, value: PendingAuthorization): void {
      for (const [key, { expiresAt }] of pending) if (expiresAt <= clock.now()) pending.delete(key);
      const [oldest] = pending.keys();
      if (pending.size >= maxPending && oldest !== undefined) pending.delete(oldest);
      pending.set(sha256Hex(state), value);
    },

    /** What a state stands for; it is spent by asking. */
    take(helperId: string, state: string): PendingAuthorization | undefined {
      const key = sha256Hex(state);
      const value = pending.get(key);
      pending.delete(key);
      return value && value.helperId === helperId && value.expiresAt > clock.now() ? value : undefined;
    },
  };
}
