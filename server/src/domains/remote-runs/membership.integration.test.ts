import { jetstreamManager } from '@nats-io/jetstream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type NatsFixture, startNatsFixture } from '../../../test/nats-fixture.ts';
import { hasNatsServer } from '../../../test/nats-server.ts';
import type { NatsConnection } from '../../drivers/nats/index.ts';
import { names, offerStream } from '../../drivers/nats/names.ts';
import { newId } from '../../kernel/ids.ts';
import { createLog } from '../../kernel/log.ts';
import { createMembership } from './membership.ts';

describe.skipIf(!hasNatsServer)('what NATS has of pools and machines', () => {
  let fixture: NatsFixture;
  let connection: NatsConnection | undefined;
  let stop: AbortController;
  const poolIds = new Set<string>();
  beforeEach(async () => {
    fixture = await startNatsFixture();
    connection = fixture.server;
    stop = new AbortController();
    poolIds.clear();
  });
  afterEach(async () => {
    stop.abort();
    await fixture?.close();
  });

  const open = () =>
    createMembership({
      log: createLog('silent'),
      urls: [fixture.nats.url],
      ca: undefined,
      replicas: { count: 1, isNamed: false },
      authority: async () => fixture.authority,
      pools: { listPoolIds: () => [...poolIds], listMembers: () => [] },
      findServersRevokedAt: () => undefined,
      findConnection: () => connection,
      stopping: stop.signal,
    });
  async function listConsumers(): Promise<string[]> {
    const found: string[] = [];
    for await (const { name } of (await jetstreamManager(fixture.server)).consumers.list(offerStream)) found.push(name);
    return found.sort();
  }

  it('is only what the ledger has: a removed pool loses its consumer', async () => {
    const [current, gone] = [newId('runnerPool'), newId('runnerPool')];
    poolIds.add(current).add(gone);
    const membership = open();
    await membership.establish(fixture.server);
    expect(await listConsumers()).toEqual([current, gone].map(names.poolConsumer).sort());
    poolIds.delete(gone);
    membership.requestPoolDeletions();
    await expect.poll(listConsumers).toEqual([names.poolConsumer(current)]);
  });

  it('is made equal to the ledger by the next connect after a pool was removed without one', async () => {
    const gone = newId('runnerPool');
    poolIds.add(gone);
    const membership = open();
    await membership.establish(fixture.server);
    connection = undefined;
    poolIds.delete(gone);
    membership.requestPoolDeletions();
    expect(await listConsumers()).toEqual([names.poolConsumer(gone)]);
    await membership.establish(fixture.server);
    expect(await listConsumers()).toEqual([]);
  });
});
