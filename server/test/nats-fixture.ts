import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Authority, createAuthorityRecord, openAuthority } from '../src/drivers/nats/authority.ts';
import { natsConfiguration } from '../src/drivers/nats/configuration.ts';
import { type Connection, type ConnectionSettings, connectOnce } from '../src/drivers/nats/connection.ts';
import { createStreamManager, type StreamManager } from '../src/drivers/nats/streams.ts';
import { createUserKey, inboxOf, type UserKey } from '../src/drivers/nats/user-key.ts';
import { newId } from '../src/kernel/ids.ts';
import { createAuthority } from './certificate-authority.ts';
import { type NatsServer, startNatsServer } from './nats-server.ts';

/** A runner of a test with its connection. */
export type TestRunner = { runnerId: string; poolId: string; key: UserKey; connection: Connection };

export type NatsFixture = {
  readonly nats: NatsServer;
  readonly authority: Authority;
  /** Connection of the server, with all streams created. */
  readonly server: Connection;
  readonly streams: StreamManager;
  /** Connects as the system user. */
  connectSystem(): Promise<Connection>;
  /** Creates a pool. */
  createPool(): Promise<string>;
  /** Creates a runner with its streams, and connects it. */
  join(poolId: string, options?: Partial<ConnectionSettings>): Promise<TestRunner>;
  /** Closes a connection at the end. */
  track(connection: Connection): Connection;
  close(): Promise<void>;
};

/** Settings with which tests do not wait long. */
export const shortTimes = { retryMs: 50, connectMs: 5_000 };

/** Limits that fit into the memory of a test machine. */
export const smallStreams = { journalBytes: 33_554_432, fileBytes: 33_554_432 };

/** Starts a real nats-server with the product's own configuration, accounts and streams. */
export async function startNatsFixture(): Promise<NatsFixture> {
  const authority = openAuthority(createAuthorityRecord());
  const nats = await startNatsServer((input) => natsConfiguration(authority, input));
  const open: Connection[] = [];
  const track = (connection: Connection) => {
    open.push(connection);
    return connection;
  };
  const connectAs = async (settings: Omit<ConnectionSettings, 'urls'>): Promise<Connection> =>
    track(await connectOnce({ ...shortTimes, urls: [nats.url], ...settings }));
  const user = authority.createServerUser();
  const server = await connectAs({ credentials: () => user });
  const streams = createStreamManager(server, smallStreams);
  await streams.createStreams();
  return {
    nats,
    authority,
    server,
    streams,
    connectSystem() {
      const system = authority.createSystemUser();
      return connectAs({ credentials: () => system });
    },
    async createPool() {
      const poolId = newId('runnerPool');
      await streams.createPool(poolId);
      return poolId;
    },
    async join(poolId, options = {}) {
      const runnerId = newId('runnerMachine');
      await streams.createRunner(runnerId);
      const key = createUserKey();
      const jwt = authority.signRunner({ runnerId, poolId, publicKey: key.publicKey, seconds: 3_600 });
      const credentials = () => ({ jwt, seed: key.seed });
      const connection = await connectAs({ credentials, inboxPrefix: inboxOf(runnerId), ...options });
      return { runnerId, poolId, key, connection };
    },
    track,
    async close() {
      await Promise.all(open.map((connection) => connection.close().catch(() => {})));
      await nats.close();
    },
  };
}

/** Starts a nats-server with TLS. `ca` is the new authority that signed its certificate. */
export async function startSecureNats(authority: Authority, port?: number): Promise<{ nats: NatsServer; ca: string }> {
  const { ca, server } = await createAuthority();
  const configure = (input: { listen: string; dataDir: string }) => {
    const tls = { certFile: path.join(input.dataDir, 'cert.pem'), keyFile: path.join(input.dataDir, 'key.pem') };
    writeFileSync(tls.certFile, server.cert);
    writeFileSync(tls.keyFile, server.key, { mode: 0o600 });
    return natsConfiguration(authority, { ...input, tls });
  };
  return { nats: await startNatsServer(configure, { scheme: 'tls', ...(port !== undefined && { port }) }), ca };
}
