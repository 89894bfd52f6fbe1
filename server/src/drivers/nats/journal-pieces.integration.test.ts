import { jetstream, jetstreamManager, RetentionPolicy, type StreamConfig } from '@nats-io/jetstream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newId } from '#server/kernel/ids';
import { type NatsFixture, startNatsFixture, type TestRunner } from '../../../test/nats-fixture.ts';
import { hasNatsServer } from '../../../test/nats-server.ts';
import { followJournals, type JournalPiece, publishPiece } from './journal-pieces.ts';
import { journalStream, names, offerStream } from './names.ts';
import { openOffers, publishOffer } from './offers.ts';
import { retryTransient } from './retry.ts';
import { createTicket } from './run-box.ts';
import { createStreamManager } from './streams.ts';

describe.skipIf(!hasNatsServer)('between NATS and the ledger', () => {
  let fixture: NatsFixture;
  let runner: TestRunner;
  let stop: AbortController;
  let following: Promise<void> | undefined;
  const jobId = newId('apply');
  const ticket = createTicket();

  beforeEach(async () => {
    fixture = await startNatsFixture();
    runner = await fixture.join(await fixture.createPool());
    stop = new AbortController();
  });
  afterEach(async () => {
    stop?.abort();
    await following;
    await fixture?.close();
  });

  const publish = (piece: Partial<JournalPiece & { turn: number }> = {}) =>
    publishPiece(runner.connection, {
      runnerId: runner.runnerId,
      jobId,
      ticket,
      offset: 0,
      turn: 0,
      sealed: Buffer.from('piece'),
      publishMs: 1_000,
      ...piece,
    });
  function follow(commit: (pieces: readonly JournalPiece[]) => void, onRefused = () => {}): void {
    following = followJournals(fixture.server, {
      commit,
      onRefused,
      onFault: () => {},
      signal: stop.signal,
      retryMs: 50,
    });
  }

  const countOffers = async (poolId: string): Promise<number> => {
    const { consumers } = await jetstreamManager(fixture.server);
    return (await consumers.info(offerStream, names.poolConsumer(poolId))).num_pending;
  };

  it('pieces arrive once each, in order, with runner, Run, ticket and offset', async () => {
    const pieces: JournalPiece[] = [];
    follow((batch) => void pieces.push(...batch));
    for (const offset of [0, 5, 10]) await publish({ offset, jobId: `${jobId}.3` });
    await publish({ offset: 10, jobId: `${jobId}.3` });
    await publish({ offset: 10, jobId: `${jobId}.3`, turn: 1 });
    await expect.poll(() => pieces.map(({ offset }) => offset)).toEqual([0, 5, 10, 10]);
    expect(pieces[1]).toMatchObject({ runnerId: runner.runnerId, jobId: `${jobId}.3`, ticket, offset: 5 });
    expect(Buffer.from(pieces[1]!.sealed).toString()).toBe('piece');
  });

  it('pieces that could not be committed are delivered again, to another server too', async () => {
    const commit = vi.fn((_pieces: readonly JournalPiece[]) => {
      throw new Error('the ledger is locked');
    });
    follow(commit);
    await publish();
    await expect.poll(() => commit.mock.calls.length).toBeGreaterThan(1);
    stop.abort();
    await following;
    stop = new AbortController();
    const pieces: JournalPiece[] = [];
    follow((batch) => void pieces.push(...batch));
    await expect.poll(() => pieces.map(({ offset }) => offset)).toEqual([0]);
  });

  it('pieces wait in NATS over a kill -9, and those sent during that on the runner', async () => {
    await publish({ offset: 0 });
    await fixture.nats.kill();
    const sending = retryTransient(() => publish({ offset: 5 }), {
      tries: 20,
      firstMs: 20,
      signal: AbortSignal.timeout(30_000),
    });
    await fixture.nats.start();
    await sending;
    const offsets: number[] = [];
    follow((batch) => void offsets.push(...batch.map(({ offset }) => offset)));
    await expect.poll(() => offsets).toEqual([0, 5]);
  });

  it('pieces of another form are dropped and counted', async () => {
    const onRefused = vi.fn();
    const commit = vi.fn();
    follow(commit, onRefused);
    const subject = names.journal(runner.runnerId, jobId);
    await jetstream(runner.connection).publish(subject, 'without headers');
    await jetstream(runner.connection).publish(`gc.journal.${runner.runnerId}.nonsense`, 'x');
    await publish({ ticket: 'ticket', offset: 0 });
    await publish({ offset: -1 });
    await publish({ sealed: Buffer.alloc(600_000) });
    await expect.poll(() => onRefused.mock.calls.length).toBe(5);
    expect(commit).not.toHaveBeenCalled();
  });

  it('a full stream refuses pieces until the ledger has deleted some', async () => {
    await createStreamManager(fixture.server, { journalBytes: 1_000_000, fileBytes: 1_000_000 }).createStreams();
    const sealed = Buffer.alloc(400_000);
    await publish({ offset: 0, sealed });
    await publish({ offset: 1, sealed });
    await expect(publish({ offset: 2, sealed })).rejects.toMatchObject({ reason: 'stream_full', isTransient: true });
    await fixture.streams.deleteJournal(runner.runnerId, jobId);
    await publish({ offset: 2, sealed });
  });

  it('the ledger makes room for later pieces, so that a long Run never fills the stream', async () => {
    const { streams } = await jetstreamManager(fixture.server);
    const readRetention = async () => (await streams.info(journalStream)).config.retention;
    // As an earlier version has created it.
    const earlier: Partial<StreamConfig> = { retention: RetentionPolicy.Limits };
    await streams.update(journalStream, earlier);
    expect(await readRetention()).toBe(RetentionPolicy.Limits);
    await createStreamManager(fixture.server, { journalBytes: 1_000_000 }).createStreams();
    expect(await readRetention()).toBe(RetentionPolicy.Interest);
    const sealed = Buffer.alloc(400_000);
    follow(() => {});
    for (let offset = 0; offset < 5; offset += 1)
      await retryTransient(() => publish({ offset, sealed }), {
        tries: 40,
        firstMs: 50,
        maxMs: 50,
        signal: AbortSignal.timeout(30_000),
      });
  });

  it('an offer reaches one runner of its pool, and its next turn another one', async () => {
    const { poolId } = runner;
    const second = await fixture.join(poolId);
    const other = await fixture.join(await fixture.createPool());
    const offer = { runId: jobId, attempt: 0 };
    await publishOffer(fixture.server, { poolId, kind: 'apply', offer, turn: 0 });
    await publishOffer(fixture.server, { poolId, kind: 'apply', offer, turn: 0 });
    expect(await countOffers(poolId)).toBe(1);
    expect(await openOffers(other.connection, other.poolId).next(1_000)).toBeUndefined();
    const taken = await openOffers(runner.connection, poolId).next(5_000);
    expect(taken?.offer).toEqual(offer);
    expect(await openOffers(second.connection, poolId).next(1_000)).toBeUndefined();
    taken?.acknowledge();
    await publishOffer(fixture.server, { poolId, kind: 'apply', offer, turn: 1 });
    expect((await openOffers(second.connection, poolId).next(5_000))?.offer).toEqual(offer);
  });

  it('a malformed offer is dropped', async () => {
    const { poolId } = runner;
    await jetstream(fixture.server).publish(names.offer(poolId, 'plan'), '{"runId":"*"}');
    expect(await openOffers(runner.connection, poolId).next(5_000)).toBeUndefined();
    await expect.poll(() => countOffers(poolId)).toBe(0);
  });

  it('only the pools that remain and the machines that are not named keep what they have', async () => {
    const { streams, server } = fixture;
    const gone = await fixture.join(await fixture.createPool());
    const offer = { runId: jobId, attempt: 0 };
    for (const { poolId } of [runner, gone]) await publishOffer(server, { poolId, kind: 'apply', offer, turn: 0 });
    await streams.deleteOtherPools(() => [runner.poolId]);
    await streams.deleteRunners([gone.runnerId, newId('runnerMachine')]);
    const manager = await jetstreamManager(server);
    const left: string[] = [];
    for await (const name of manager.streams.names()) left.push(name);
    const filesOf = ({ runnerId }: TestRunner) =>
      (['in', 'out'] as const).map((one) => names.fileStream(runnerId, one));
    expect(left).toEqual(expect.arrayContaining(filesOf(runner)));
    expect(left.filter((name) => filesOf(gone).includes(name))).toEqual([]);
    expect(await countOffers(runner.poolId)).toBe(1);
    await expect(countOffers(gone.poolId)).rejects.toMatchObject({ code: 10_014 });
    expect((await manager.streams.info(offerStream)).state.messages).toBe(1);
  });

  it('pools, runners and streams can be created and deleted twice', async () => {
    const { streams } = fixture;
    await streams.createStreams();
    await streams.createPool(runner.poolId);
    await streams.createRunner(runner.runnerId);
    for (let count = 0; count < 2; count += 1) {
      await streams.deleteOtherPools(() => []);
      await streams.deleteRunners([runner.runnerId]);
    }
    await expect(openOffers(runner.connection, runner.poolId).next(1_000)).rejects.toMatchObject({ name: 'NatsError' });
  });
});
