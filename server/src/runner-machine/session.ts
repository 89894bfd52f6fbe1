import { createConnectionLog, loadNats } from '#server/drivers/nats/index';
import { systemClock } from '#server/kernel/clock';
import type { Log } from '#server/kernel/log';
import type { ReportedFacts } from '#shared/runner-pools/contract';
import { createAccessWatch } from './access-watch.ts';
import type { Identity } from './identity.ts';
import type { MachineLink } from './link.ts';
import { createNatsLink } from './nats-link.ts';
import { keepRight } from './renewal.ts';

type Deps = {
  identity: Identity;
  facts: () => Promise<ReportedFacts>;
  log: Log;
  /** Stores a renewed right to connect. */
  store: (jwt: string) => void;
  /** Time between two attempts to connect. */
  retryMs?: number;
};

/** The machine may not connect any more. The message says what a person has to do. */
export class AccessEnded extends Error {}

/** The connection of a machine with its server. */
export type Session = {
  readonly link: MachineLink;
  /** Resolves with what a person has to do when the machine may never connect again. */
  readonly ended: Promise<string>;
  close(): Promise<void>;
};

/** Connects a machine, and keeps its right to be renewed. Throws `AccessEnded`. */
export async function openSession({ identity, facts, log, store, retryMs }: Deps): Promise<Session> {
  const nats = await loadNats();
  const closing = new AbortController();
  const ended = Promise.withResolvers<string>();
  let { jwt } = identity;
  const access = createAccessWatch({ right: () => jwt, now: systemClock.now, onEnd: ended.resolve });
  const note = createConnectionLog(log);
  const connecting = nats.openConnection(
    {
      urls: identity.urls,
      ca: identity.ca,
      credentials: () => ({ jwt, seed: identity.userKey.seed }),
      inboxPrefix: nats.inboxOf(identity.runnerId),
      retryMs,
      onState(state) {
        note(state);
        access.note(state);
      },
    },
    closing.signal,
  );
  const connection = await Promise.race([connecting, ended.promise]);
  if (typeof connection === 'string') {
    closing.abort();
    await connecting.catch(() => {});
    throw new AccessEnded(connection);
  }
  const link = await createNatsLink({ connection, identity, facts });
  keepRight({
    signal: closing.signal,
    renew: link.renew,
    take(renewed) {
      jwt = renewed;
      store(jwt);
    },
    onRevoked: access.noteRevoked,
  });
  return {
    link,
    ended: ended.promise,
    async close() {
      closing.abort();
      await connection.close();
    },
  };
}
