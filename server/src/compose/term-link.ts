import type { FenceTarget } from '../domains/fence/index.ts';
import { createAuthorityOpener } from '../domains/remote-runs/index.ts';
import { loadNats, type NatsConnection, NatsError } from '../drivers/nats/index.ts';
import { StoreError } from '../drivers/object-store/index.ts';
import type { AppContext } from './app-context.ts';
import { readNatsAuthority } from './nats-authority.ts';

type TermLink = { store: FenceTarget['store']; close: () => Promise<void> };
type Context = Pick<AppContext, 'settings' | 'db' | 'vault'>;

/** Opens the store of the term in NATS, with a connection of its own that begins with the first request. */
export function createTermLink({ settings, db, vault }: Context): TermLink {
  const authority = createAuthorityOpener({ db, vault });
  let connecting: Promise<NatsConnection> | undefined;

  async function connect(): Promise<NatsConnection> {
    const { nats: found } = settings;
    if (found === undefined) throw new NatsError('settings_invalid');
    const nats = await loadNats();
    const { createServerUser } = await authority();
    const ca = readNatsAuthority(settings);
    // A server that was revoked with its user still reads who has the term, so that it can end.
    return nats.connectOnce({ urls: found.urls, ca, credentials: createServerUser });
  }
  async function open() {
    connecting ??= connect().catch((error: unknown) => {
      connecting = undefined;
      throw error;
    });
    const nats = await loadNats();
    return nats.createTermStore(await connecting, settings.nats?.replicas);
  }

  return {
    store: {
      getBytes: async (_key, maxBytes, { signal } = {}) => {
        const found = await (await open()).read({ signal: signal ?? AbortSignal.timeout(readMs) });
        if (found && found.bytes.length > maxBytes) throw new StoreError('invalid_answer');
        return found;
      },
      putBytes: async (_key, bytes, { when = { ifAbsent: true as const }, signal } = {}) => {
        const isWritten = await (await open()).write(bytes, { when, signal: signal ?? AbortSignal.timeout(readMs) });
        if (!isWritten) throw new StoreError('changed');
        return '';
      },
    },
    async close() {
      await connecting?.then((connection) => connection.close()).catch(() => {});
    },
  };
}

const readMs = 5_000;
