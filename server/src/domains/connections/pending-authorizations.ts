import type { Clock } from '#server/kernel/clock';
import { sha256Hex } from '#server/kernel/digest';

/** A sign-in in the browser that was started and not completed. */
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

/** Pending sign-ins by their state. They are kept in memory only: after a restart the person starts again. */
export function createPendingAuthorizations(clock: Clock) {
  const pending = new Map<string, PendingAuthorization>();
  return {
    remember(state: string, value: PendingAuthorization): void {
      for (const [key, { expiresAt }] of pending) if (expiresAt <= clock.now()) pending.delete(key);
      const [oldest] = pending.keys();
      if (pending.size >= maxPending && oldest !== undefined) pending.delete(oldest);
      pending.set(sha256Hex(state), value);
    },

    /** Takes the sign-in of a state; a state can be taken once. */
    take(helperId: string, state: string): PendingAuthorization | undefined {
      const key = sha256Hex(state);
      const value = pending.get(key);
      pending.delete(key);
      return value && value.helperId === helperId && value.expiresAt > clock.now() ? value : undefined;
    },
  };
}
