import { afterEach, describe, expect, it } from 'vitest';
import { newId } from '#server/kernel/ids';
import { type NatsFixture, startNatsFixture } from '../../../test/nats-fixture.ts';
import { hasNatsServer } from '../../../test/nats-server.ts';
import { openOffers } from './offers.ts';

const missing = { reason: 'queue_missing', isTransient: true, message: expect.stringContaining('does not have') };

describe.skipIf(!hasNatsServer)('a pool that NATS does not have', () => {
  let fixture: NatsFixture;
  afterEach(() => fixture?.close());

  it('is reported as missing to a machine that waits for offers', async () => {
    fixture = await startNatsFixture();
    const poolId = newId('runnerPool');
    const { connection } = await fixture.join(poolId);
    await expect(openOffers(connection, poolId).next(1_000)).rejects.toMatchObject(missing);
  });

  it('is reported as missing when it is removed while a machine waits', async () => {
    fixture = await startNatsFixture();
    const poolId = await fixture.createPool();
    const { connection } = await fixture.join(poolId);
    const waiting = openOffers(connection, poolId).next(30_000);
    waiting.catch(() => {});
    await connection.flush();
    await fixture.streams.deleteOtherPools(() => []);
    await expect(waiting).rejects.toMatchObject(missing);
  });
});
