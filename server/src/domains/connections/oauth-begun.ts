import type { Clock } from '#server/kernel/clock';
import { sha256Hex } from '#server/kernel/digest';

/** A sign-in in the browser that has begun. */
export type Begun = {
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

const maxBegun = 1_000;

/** Sign-ins by their state. They live in memory alone: one that a restart cuts off is begun anew. */
export function createBegun(clock: Clock) {
  const begun = new Map<string, Begun>();
  return {
    remember(state: string, value: Begun): void {
      for (const [key, { expiresAt }] of begun) if (expiresAt <= clock.now()) begun.delete(key);
      const [oldest] = begun.keys();
      if (begun.size >= maxBegun && oldest !== undefined) begun.delete(oldest);
      begun.set(sha256Hex(state), value);
    },

    /** What a state stands for; it is spent by asking. */
    take(helperId: string, state: string): Begun | undefined {
      const key = sha256Hex(state);
      const value = begun.get(key);
      begun.delete(key);
      return value && value.helperId === helperId && value.expiresAt > clock.now() ? value : undefined;
    },
  };
}
