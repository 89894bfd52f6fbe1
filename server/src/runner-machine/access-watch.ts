import type { ConnectionState } from '#server/drivers/nats/index';
import { expiryOf } from './right-expiry.ts';

type Deps = {
  /** Returns the newest right to connect, a JWT. */
  right: () => string;
  now: () => number;
  /** Called once, with what a person has to do, when the machine may never connect again. */
  onEnd: (message: string) => void;
};

const again = 'remove runner-identity.json from its data folder, and enrol it again with groundctl runners enrol.';
const messages = {
  expired: `This machine was away for longer than its right to connect lasts. Revoke it, ${again}`,
  refused: `NATS refuses this machine. If it was revoked, ${again} Otherwise check that NATS has the configuration of this installation.`,
  revoked: `This machine was revoked. To use it again, ${again}`,
} as const;

/** Refusals in a row that are not taken for a NATS server that is being set up. */
const maxRefusals = 3;

/** Notices that a machine may never connect again: its right has ended, or was taken from it. */
export function createAccessWatch({ right, now, onEnd }: Deps) {
  let refusals = 0;
  let hasEnded = false;
  const end = (reason: keyof typeof messages): void => {
    if (hasEnded) return;
    hasEnded = true;
    onEnd(messages[reason]);
  };
  return {
    /** Takes a state of the connection. */
    note(state: ConnectionState): void {
      if (state === 'connected') refusals = 0;
      if (state !== 'denied') return;
      refusals += 1;
      if (expiryOf(right()) <= now()) end('expired');
      else if (refusals >= maxRefusals) end('refused');
    },
    /** Takes the answer of the server that the machine was revoked. */
    noteRevoked: (): void => end('revoked'),
  };
}
