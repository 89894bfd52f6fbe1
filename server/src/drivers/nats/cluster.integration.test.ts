import { jetstreamManager } from '@nats-io/jetstream';
import { afterEach, describe, expect, it } from 'vitest';
import { newId } from '#server/kernel/ids';
import { shortTimes, smallStreams } from '../../../test/nats-fixture.ts';
import { hasNatsServer, type NatsServer, startNatsCluster } from '../../../test/nats-server.ts';
import { createAuthorityRecord, openAuthority } from './authority.ts';
import { natsConfiguration } from './configuration.ts';
import { type Connection, type ConnectionState, connectOnce, openConnection } from './connection.ts';
import { followJournals, publishPiece } from './journal-pieces.ts';
import { journalStream } from './names.ts';
import { retryTransient } from './retry.ts';
import { publishRevocations } from './revocation.ts';
import { createTicket } from './run-box.ts';
import { createStreamManager } from './streams.ts';
import { createUserKey, inboxOf } from './user-key.ts';

describe.skipIf(!hasNatsServer)('a cluster of three', () => {
  const authority = openAuthority(createAuthorityRecord());
  const signal = AbortSignal.timeout(60_000);
  let members: NatsServer[] = [];
  const open: Connection[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((connection) => connection.close().catch(() => {})));
    await Promise.all(members.map((member) => member.close()));
  });

  it('loses no piece when the leader of the stream is killed, and revokes a runner on all members', async () => {
    members = await startNatsCluster((input) => natsConfiguration(authority, input));
    const urls = members.map(({ url }) => url);
    const user = authority.createServerUser();
    const server = await openConnection({ ...shortTimes, urls, credentials: () => user }, signal);
    open.push(server);
    const streams = createStreamManager(server, { ...smallStreams, replicas: { count: 3, isNamed: false } });
    const patient = <T>(work: () => Promise<T>) => retryTransient(work, { tries: 400, firstMs: 50, maxMs: 50, signal });
    await patient(() => streams.createStreams());
    const poolId = newId('runnerPool');
    const runnerId = newId('runnerMachine');
    await patient(() => streams.createPool(poolId));

    const { publicKey, seed } = createUserKey();
    const jwt = authority.signRunner({ runnerId, poolId, publicKey, seconds: 600 });
    const states: ConnectionState[] = [];
    const settings = { ...shortTimes, inboxPrefix: inboxOf(runnerId), credentials: () => ({ jwt, seed }) };
    const runner = await connectOnce({ ...settings, urls, onState: (state) => states.push(state) });
    open.push(runner);

    const stop = new AbortController();
    const arrived = new Set<number>();
    const following = followJournals(server, {
      commit: (pieces) => pieces.forEach(({ offset }) => void arrived.add(offset)),
      onRefused: () => {},
      onFault: () => {},
      signal: stop.signal,
      retryMs: 100,
    });
    const piece = {
      runnerId,
      jobId: newId('apply'),
      ticket: createTicket(),
      turn: 0,
      sealed: Buffer.from('x'),
      publishMs: 500,
    };
    await patient(() => publishPiece(runner, { ...piece, offset: 0 }));
    const { cluster } = await (await jetstreamManager(server)).streams.info(journalStream);
    const leader = members[Number(cluster?.leader?.slice(-1))];
    await leader?.kill();
    for (const offset of [1, 2, 3]) await patient(() => publishPiece(runner, { ...piece, offset }));
    await leader?.start();
    await expect.poll(() => [...arrived].sort(), { timeout: 30_000 }).toEqual([0, 1, 2, 3]);
    stop.abort();
    await following;

    const systemUser = authority.createSystemUser();
    const system = await openConnection({ ...shortTimes, urls, credentials: () => systemUser }, signal);
    open.push(system);
    await publishRevocations(system, authority, { [publicKey]: Math.floor(Date.now() / 1_000) });
    await expect.poll(() => states, { timeout: 30_000 }).toContain('denied');
    for (const url of urls) {
      const refused = async () => {
        const connection = await connectOnce({ ...settings, urls: [url] }).catch((error: unknown) => error);
        if (!(connection instanceof Error)) await (connection as Connection).close();
        return (connection as { reason?: string }).reason;
      };
      await expect.poll(refused, { timeout: 30_000 }).toBe('denied');
    }
  });
});
