import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type NatsFixture, startNatsFixture } from '../../../test/nats-fixture.ts';
import { hasNatsServer } from '../../../test/nats-server.ts';
import { listenForBeatRequests, requestBeat } from './beat-requests.ts';
import { names } from './names.ts';

describe.skipIf(!hasNatsServer)('a request for a beat', () => {
  let fixture: NatsFixture;
  beforeEach(async () => {
    fixture = await startNatsFixture();
  });
  afterEach(() => fixture?.close());

  it('reaches its runner, and no other one', async () => {
    const poolId = await fixture.createPool();
    const [runner, other] = [await fixture.join(poolId), await fixture.join(poolId)];
    const [ofRunner, ofOther] = [vi.fn(), vi.fn()];
    listenForBeatRequests(runner.connection, runner.runnerId, ofRunner);
    listenForBeatRequests(other.connection, other.runnerId, ofOther);
    // Not with the rights of another runner.
    other.connection.subscribe(names.beatRequest(runner.runnerId), { callback: (error) => void (error ?? ofOther()) });
    await Promise.all([runner.connection.flush(), other.connection.flush()]);
    requestBeat(fixture.server, runner.runnerId);
    await expect.poll(() => ofRunner.mock.calls.length).toBe(1);
    await other.connection.flush();
    expect(ofOther).not.toHaveBeenCalled();
  });
});
