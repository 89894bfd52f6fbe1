import { type Authority, createConnectionLog, loadNats, type NatsConnection } from '#server/drivers/nats/index';
import { faultFields, type Log } from '#server/kernel/log';
import { whenAborted } from '#server/kernel/until-aborted';

type Deps = {
  log: Log;
  /** Addresses of NATS. */
  urls: readonly string[];
  /** Pinned certificate authority as PEM. */
  ca: string | undefined;
  authority: () => Promise<Authority>;
  /** Called after each connect and reconnect. What was sent before may be lost. */
  onConnected: (connection: NatsConnection) => Promise<void>;
  signal: AbortSignal;
  retryMs?: number;
};

/** Pause before NATS is prepared again, for example while a cluster elects a leader. */
const usualRetryMs = 5_000;

/** Keeps the server's connection to NATS. Resolves when the signal aborts. */
export async function keepConnection(deps: Deps & { set: (connection: NatsConnection | undefined) => void }) {
  const { log, urls, ca, authority, onConnected, signal, set, retryMs = usualRetryMs } = deps;
  const nats = await loadNats();
  const { jwt, seed } = (await authority()).createServerUser();
  let connection: NatsConnection | undefined;
  let retry: NodeJS.Timeout | undefined;
  const prepare = (): void => {
    clearTimeout(retry);
    if (!connection || signal.aborted) return;
    onConnected(connection).catch((error: unknown) => {
      log.warn(faultFields(error), 'NATS could not be prepared and is prepared again');
      clearTimeout(retry);
      retry = setTimeout(prepare, retryMs).unref();
    });
  };
  const note = createConnectionLog(log);
  connection = await nats.openConnection(
    {
      urls,
      ca,
      credentials: () => ({ jwt, seed }),
      onState: (state) => {
        note(state);
        if (state === 'connected') prepare();
      },
    },
    signal,
  );
  set(connection);
  prepare();
  await whenAborted(signal);
  clearTimeout(retry);
  set(undefined);
  await connection.close();
}
