import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { newId } from '#server/kernel/ids';
import { createAuthority as createCertificates } from '../../../test/certificate-authority.ts';
import { shortTimes, startSecureNats } from '../../../test/nats-fixture.ts';
import { hasNatsServer, type NatsServer, startNatsServer } from '../../../test/nats-server.ts';
import { createAuthorityRecord, openAuthority } from './authority.ts';
import { natsConfiguration } from './configuration.ts';
import { type Connection, type ConnectionState, connectOnce, openConnection } from './connection.ts';
import { NatsError } from './nats-error.ts';
import { createUserKey, inboxOf } from './user-key.ts';

describe.skipIf(!hasNatsServer)('a connection to NATS', () => {
  const authority = openAuthority(createAuthorityRecord());
  const user = authority.createServerUser();
  const credentials = () => user;
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });

  const keep = (connection: Connection) => {
    cleanups.push(() => connection.close());
    return connection;
  };
  async function startPlain(): Promise<NatsServer> {
    const nats = await startNatsServer((input) => natsConfiguration(authority, input));
    cleanups.push(() => nats.close());
    return nats;
  }
  async function startSecure() {
    const { nats, ca } = await startSecureNats(authority);
    cleanups.push(() => nats.close());
    return { port: nats.port, ca };
  }
  const reasonOf = (work: Promise<Connection>) =>
    work.then(keep).then(
      () => 'connected',
      (error: unknown) => (error instanceof NatsError ? error.reason : error),
    );

  it('accepts only a certificate of the pinned authority, for the host that was named', async () => {
    const { port, ca } = await startSecure();
    const other = await createCertificates();
    const connect = (url: string, pinned?: string) =>
      reasonOf(connectOnce({ ...shortTimes, urls: [url], ca: pinned, credentials }));
    expect(await connect(`tls://localhost:${port}`, ca)).toBe('connected');
    expect(await connect(`tls://127.0.0.1:${port}`, ca)).toBe('connected');
    expect(await connect(`tls://127.0.0.1:${port}`, other.ca)).toBe('tls_refused');
    expect(await connect(`tls://127.0.0.1:${port}`)).toBe('tls_refused');
    // The certificate is for another address.
    expect(await connect(`tls://127.0.0.2:${port}`, ca)).not.toBe('connected');
    expect(await connect(`nats://127.0.0.1:${port}`)).toBe('tls_refused');
  });

  it('refuses a server without TLS when TLS was named, before it sends credentials', async () => {
    const received: Buffer[] = [];
    const impostor = net.createServer((socket) => {
      socket.on('data', (bytes) => received.push(bytes)).on('error', () => {});
      socket.write('INFO {"server_id":"x","version":"2.15.2","proto":1,"nonce":"abc","max_payload":1048576}\r\n');
    });
    await new Promise<void>((resolve) => impostor.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => new Promise((resolve) => impostor.close(resolve)));
    const { port } = impostor.address() as net.AddressInfo;
    const urls = [`tls://127.0.0.1:${port}`];
    expect(await reasonOf(connectOnce({ ...shortTimes, urls, credentials }))).toBe('tls_refused');
    expect(Buffer.concat(received).toString()).toBe('');
  });

  it('reports refused credentials and an absent server without a secret', async () => {
    const nats = await startPlain();
    const outsider = openAuthority(createAuthorityRecord()).createServerUser();
    const denied = connectOnce({ ...shortTimes, urls: [nats.url], credentials: () => outsider });
    const error = await denied.then(keep).catch((refusal: unknown) => refusal);
    expect(error).toMatchObject({ reason: 'denied' });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(outsider.jwt);
    await nats.kill();
    expect(await reasonOf(connectOnce({ ...shortTimes, urls: [nats.url], credentials }))).toBe('unreachable');
  });

  it.each([
    [[]],
    [['http://127.0.0.1:4222']],
    [['nats://user:password@127.0.0.1:4222']],
    [['tls://127.0.0.1:4222', 'nats://127.0.0.1:4223']],
    [['not an address']],
  ])('refuses the addresses %j', async (urls) => {
    const refused = connectOnce({ urls, credentials });
    await expect(refused).rejects.toMatchObject({ reason: 'settings_invalid' });
    await expect(refused).rejects.not.toThrow('password');
  });

  it('waits for a server that starts later, and reconnects after kill -9', async () => {
    const nats = await startPlain();
    await nats.kill();
    const states: ConnectionState[] = [];
    const onState = (state: ConnectionState) => void states.push(state);
    const opening = openConnection(
      { ...shortTimes, urls: [nats.url], credentials, onState },
      AbortSignal.timeout(30_000),
    );
    await expect.poll(() => states).toContain('unreachable');
    await nats.start();
    const connection = keep(await opening);
    await nats.kill();
    await expect.poll(() => states).toContain('disconnected');
    await nats.start();
    await expect.poll(() => states.at(-1)).toBe('connected');
    await connection.flush();
    await connection.close();
    await expect.poll(() => states.at(-1)).toBe('closed');
  });

  it('reports a refused certificate, and not an absent server', async () => {
    const { port } = await startSecure();
    const { ca } = await createCertificates();
    const urls = [`tls://127.0.0.1:${port}`];
    const stop = new AbortController();
    const states: ConnectionState[] = [];
    const onState = (state: ConnectionState) => {
      states.push(state);
      stop.abort(new Error('stopped'));
    };
    const opening = openConnection({ ...shortTimes, urls, ca, credentials, onState }, stop.signal);
    await expect(opening).rejects.toThrow('stopped');
    expect(states).toEqual(['tls_refused']);
  });

  it('reports a refused certificate while it reconnects, until NATS has the earlier one again', async () => {
    const { nats, ca } = await startSecureNats(authority);
    cleanups.push(() => nats.close());
    const states: ConnectionState[] = [];
    const onState = (state: ConnectionState) => void states.push(state);
    keep(await connectOnce({ ...shortTimes, urls: [nats.url], ca, credentials, onState }));
    await nats.kill();
    const other = await startSecureNats(authority, nats.port);
    cleanups.push(() => other.nats.close());
    await expect.poll(() => states, { timeout: 10_000 }).toContain('tls_refused');
    await other.nats.kill();
    await nats.start();
    await expect.poll(() => states.at(-1), { timeout: 10_000 }).toBe('connected');
    expect(states).not.toContain('unreachable');
  });

  it('stops its attempts when it is aborted', async () => {
    const nats = await startPlain();
    await nats.kill();
    const stop = new AbortController();
    const onState = () => stop.abort(new Error('stopped'));
    const opening = openConnection({ ...shortTimes, urls: [nats.url], credentials, onState }, stop.signal);
    await expect(opening).rejects.toThrow('stopped');
  });

  it('continues with the newest JWT when the old one expires', async () => {
    const nats = await startPlain();
    const runnerId = newId('runnerMachine');
    const { publicKey, seed } = createUserKey();
    const sign = (seconds: number) =>
      authority.signRunner({ runnerId, poolId: newId('runnerPool'), publicKey, seconds });
    let jwt = sign(2);
    const states: ConnectionState[] = [];
    const connection = keep(
      await connectOnce({
        ...shortTimes,
        urls: [nats.url],
        inboxPrefix: inboxOf(runnerId),
        credentials: () => ({ jwt, seed }),
        onState: (state) => states.push(state),
      }),
    );
    jwt = sign(60);
    await expect.poll(() => states, { timeout: 10_000 }).toContain('disconnected');
    await expect.poll(() => states.at(-1)).toBe('connected');
    await connection.flush();
  });

  it('is refused with an expired JWT until there is a newer one', async () => {
    const nats = await startPlain();
    const runnerId = newId('runnerMachine');
    const { publicKey, seed } = createUserKey();
    const sign = (seconds: number) =>
      authority.signRunner({ runnerId, poolId: newId('runnerPool'), publicKey, seconds });
    let jwt = sign(-10);
    const settings = {
      ...shortTimes,
      urls: [nats.url],
      inboxPrefix: inboxOf(runnerId),
      credentials: () => ({ jwt, seed }),
    };
    expect(await reasonOf(connectOnce(settings))).toBe('denied');
    const states: ConnectionState[] = [];
    const opening = openConnection(
      { ...settings, onState: (state) => states.push(state) },
      AbortSignal.timeout(30_000),
    );
    await expect.poll(() => states).toContain('denied');
    jwt = sign(60);
    await keep(await opening).flush();
  });
});
