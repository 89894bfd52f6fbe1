import { jetstreamManager } from '@nats-io/jetstream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '#server/kernel/ids';
import type { NatsReplicas } from '#server/kernel/settings-nats';
import { shortTimes, smallStreams } from '../../../test/nats-fixture.ts';
import { hasNatsServer, type NatsServer, startNatsCluster, startNatsServer } from '../../../test/nats-server.ts';
import { createAuthorityRecord, openAuthority } from './authority.ts';
import { natsConfiguration } from './configuration.ts';
import { type Connection, openConnection } from './connection.ts';
import { journalStream, names, offerStream, termStream } from './names.ts';
import { openPartStore } from './part-store.ts';
import { retryTransient } from './retry.ts';
import { createStreamManager } from './streams.ts';
import { createTermStore } from './term-store.ts';

describe.skipIf(!hasNatsServer)('the copies of streams', () => {
  const authority = openAuthority(createAuthorityRecord());
  const signal = AbortSignal.timeout(120_000);
  const patient = <T>(work: () => Promise<T>) => retryTransient(work, { tries: 400, firstMs: 50, maxMs: 50, signal });
  let members: NatsServer[] = [];
  let connection: Connection;
  const user = authority.createServerUser();
  const connect = async () => {
    const urls = members.map(({ url }) => url);
    connection = await openConnection({ ...shortTimes, urls, credentials: () => user }, signal);
  };
  const managerOf = (replicas: NatsReplicas) => createStreamManager(connection, { ...smallStreams, replicas });
  const copiesOf = async (stream: string) =>
    (await (await jetstreamManager(connection)).streams.info(stream)).config.num_replicas;

  afterEach(async () => {
    await connection.close().catch(() => {});
    await Promise.all(members.map((member) => member.close()));
  });

  describe('in a cluster of three', () => {
    beforeEach(async () => {
      members = await startNatsCluster((input) => natsConfiguration(authority, input));
      await connect();
    });

    it('grow with the setting, and are fewer only when that is named', { timeout: 120_000 }, async () => {
      const runnerId = newId('runnerMachine');
      const streams = [offerStream, journalStream, termStream, names.fileStream(runnerId, 'in')];
      const prepare = (replicas: NatsReplicas) =>
        patient(async () => {
          const manager = managerOf(replicas);
          await manager.createStreams();
          await manager.createRunner(runnerId);
        });
      const copies = () => Promise.all(streams.map(copiesOf));
      const term = Buffer.from('term');
      const one = { count: 1, isNamed: false };
      await patient(() => createTermStore(connection, one).write(term, { when: { ifAbsent: true }, signal }));
      await prepare(one);
      expect(await copies()).toEqual([1, 1, 1, 1]);
      await prepare({ count: 3, isNamed: false });
      expect(await copies()).toEqual([3, 3, 3, 3]);
      await prepare(one);
      expect(await copies()).toEqual([3, 3, 3, 3]);
      // A server with another number goes on with the term that it finds.
      const found = await patient(() => createTermStore(connection, one).read({ signal }));
      const when = { ifMatch: found?.tag ?? '' };
      expect(await patient(() => createTermStore(connection, one).write(term, { when, signal }))).toBe(true);
      await prepare({ count: 1, isNamed: true });
      expect(await copies()).toEqual([1, 1, 1, 1]);
    });

    it('are five only with five members, and a sentence says so', async () => {
      const prepared = patientUntilCluster(() => managerOf({ count: 5, isNamed: true }).createStreams());
      await expect(prepared).rejects.toMatchObject({
        reason: 'replicas_unavailable',
        message: expect.stringContaining('GROUNDCTL_NATS_REPLICAS'),
      });
    });

    it('have a part of a file as soon as it was stored', { timeout: 120_000 }, async () => {
      const runnerId = newId('runnerMachine');
      await patient(() => managerOf({ count: 3, isNamed: false }).createRunner(runnerId));
      const store = openPartStore({ connection, runnerId, direction: 'in' });
      for (let part = 0; part < 200; part += 1) {
        const address = { file: 'a'.repeat(32), part };
        await patient(() => store.put(address, Buffer.from([part])));
        expect((await patient(() => store.find(address)))?.[0]).toBe(part);
      }
    });

    /** Repeats work while the cluster has no leader. */
    async function patientUntilCluster(work: () => Promise<void>): Promise<void> {
      const isReady = async () => void (await (await jetstreamManager(connection)).getAccountInfo());
      await expect
        .poll(
          () =>
            isReady().then(
              () => true,
              () => false,
            ),
          { timeout: 30_000 },
        )
        .toBe(true);
      await retryTransient(work, { tries: 1, firstMs: 50, signal });
    }
  });

  it('are one on a server without a cluster, and a sentence says so', async () => {
    members = [await startNatsServer((input) => natsConfiguration(authority, input))];
    await connect();
    await expect(managerOf({ count: 3, isNamed: false }).createStreams()).rejects.toMatchObject({
      reason: 'replicas_unavailable',
      message: expect.stringContaining('Start the missing members'),
    });
  });
});
