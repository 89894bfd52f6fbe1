import { jetstreamManager } from '@nats-io/jetstream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#server/kernel/ids';
import { type NatsFixture, startNatsFixture, type TestRunner } from '../../../test/nats-fixture.ts';
import { hasNatsServer } from '../../../test/nats-server.ts';
import type { Connection } from './connection.ts';
import { publishPiece } from './journal-pieces.ts';
import { names } from './names.ts';
import { openOffers, publishOffer } from './offers.ts';
import { openPartStore } from './part-store.ts';
import { createTicket } from './run-box.ts';

describe.skipIf(!hasNatsServer)('a hostile runner', () => {
  let fixture: NatsFixture;
  let own: TestRunner;
  let other: TestRunner;
  const jobId = newId('plan');
  const file = '0'.repeat(32);

  beforeAll(async () => {
    fixture = await startNatsFixture();
    own = await fixture.join(await fixture.createPool());
    other = await fixture.join(await fixture.createPool());
  });
  afterAll(() => fixture?.close());

  /** Subjects of refused operations, until the work and a round trip have ended. */
  async function denialsOf(connection: Connection, work: () => unknown): Promise<string[]> {
    const denied: string[] = [];
    const status = connection.status();
    const reading = (async () => {
      for await (const event of status) {
        if (event.type !== 'error') continue;
        if (event.error.name === 'PermissionViolationError')
          denied.push((event.error as Error & { subject: string }).subject);
      }
    })();
    await work();
    await connection.flush();
    await connection.flush();
    (status as unknown as { stop(): void }).stop();
    await reading;
    return denied;
  }
  const stateOf = async (stream: string) => (await (await jetstreamManager(fixture.server)).streams.info(stream)).state;

  it('can do its own work without a refusal', async () => {
    const { connection, runnerId, poolId } = own;
    const denied = await denialsOf(connection, async () => {
      await publishOffer(fixture.server, { poolId, kind: 'plan', offer: { runId: jobId, attempt: 0 }, turn: 0 });
      const taken = await openOffers(connection, poolId).next(2_000);
      taken?.acknowledge();
      expect(taken?.offer).toEqual({ runId: jobId, attempt: 0 });
      const ticket = createTicket();
      await publishPiece(connection, { runnerId, jobId, ticket, offset: 0, turn: 0, sealed: Buffer.from('piece') });
      const address = { file, part: 0 };
      await openPartStore({ connection, runnerId, direction: 'out' }).put(address, Buffer.from('out'));
      await openPartStore({ connection: fixture.server, runnerId, direction: 'in' }).put(address, Buffer.from('in'));
      const read = await openPartStore({ connection, runnerId, direction: 'in' }).find(address);
      expect(Buffer.from(read ?? []).toString()).toBe('in');
    });
    expect(denied).toEqual([]);
  });

  const publishes: [string, (runner: TestRunner, other: TestRunner) => string][] = [
    ['a question of another runner', (_own, { runnerId }) => names.question(runnerId, 'permit')],
    ['the journal of another runner', (_own, { runnerId }) => names.journal(runnerId, jobId)],
    ['an offer to its own pool', ({ poolId }) => names.offer(poolId, 'plan')],
    ['an offer to another pool', (_own, { poolId }) => names.offer(poolId, 'apply')],
    ['an inbox of another runner', (_own, { runnerId }) => `${names.inbox(runnerId)}.x`],
    ['an inbox of the server', () => '_INBOX.x'],
    ['files of another runner', (_own, { runnerId }) => names.part({ runnerId, direction: 'out', file, part: 0 })],
    ['files that it only reads', ({ runnerId }) => names.part({ runnerId, direction: 'in', file, part: 0 })],
    ['an enrolment', () => names.enrolment(newId('runnerEnrolment'))],
    ['a pull of another pool', (_own, { poolId }) => `$JS.API.CONSUMER.MSG.NEXT.GC_OFFERS.pool-${poolId}`],
    ['an acknowledgment of another pool', (_own, { poolId }) => `$JS.ACK.GC_OFFERS.pool-${poolId}.1.1.1.1.0`],
    ['the information of a stream', () => '$JS.API.STREAM.INFO.GC_JOURNAL'],
    ['the deletion of a stream', () => '$JS.API.STREAM.DELETE.GC_JOURNAL'],
    ['the purge of a stream', () => '$JS.API.STREAM.PURGE.GC_JOURNAL'],
    ['a consumer of its own', ({ runnerId }) => `$JS.API.CONSUMER.CREATE.${names.fileStream(runnerId, 'in')}`],
    ['a read of a journal', () => '$JS.API.STREAM.MSG.GET.GC_JOURNAL'],
    [
      'a read of the files of another runner',
      (_own, { runnerId }) =>
        `$JS.API.DIRECT.GET.${names.fileStream(runnerId, 'in')}.${names.part({ runnerId, direction: 'in', file, part: 0 })}`,
    ],
    ['claims of an account', () => '$SYS.REQ.CLAIMS.UPDATE'],
  ];
  it.each(publishes)('cannot publish %s', async (_what, subjectFor) => {
    const subject = subjectFor(own, other);
    expect(await denialsOf(own.connection, () => own.connection.publish(subject, ''))).toEqual([subject]);
  });

  const subscriptions: [string, () => string][] = [
    ['the inboxes of another runner', () => `${names.inbox(other.runnerId)}.>`],
    ['all inboxes', () => '_INBOX.>'],
    ['questions', () => 'gc.ask.*.*'],
    ['journals', () => 'gc.journal.>'],
    ['everything', () => '>'],
  ];
  it.each(subscriptions)('cannot subscribe to %s', async (_what, subjectFor) => {
    const subject = subjectFor();
    const denied = await denialsOf(own.connection, () => own.connection.subscribe(subject, { callback: () => {} }));
    expect(denied).toEqual([subject]);
  });

  it('cannot reach anything by the answer to one of its questions', async () => {
    const { connection, runnerId, poolId } = own;
    const seen: string[] = [];
    const spy = fixture.server.subscribe('gc.>', { callback: (_error, { subject }) => void seen.push(subject) });
    const answering = fixture.server.subscribe(names.question(runnerId, 'claim'), {
      callback: (_error, message) => void message.respond('{}'),
    });
    await fixture.server.flush();
    const before = await stateOf('GC_JOURNAL');
    const targets = [
      '$JS.API.STREAM.DELETE.GC_JOURNAL',
      '$JS.API.STREAM.PURGE.GC_JOURNAL',
      names.question(other.runnerId, 'permit'),
      names.journal(other.runnerId, jobId),
      names.offer(other.poolId, 'plan'),
      names.part({ runnerId: other.runnerId, direction: 'in', file, part: 0 }),
    ];
    const inFile = names.part({ runnerId, direction: 'in', file, part: 0 });
    for (const reply of targets) {
      connection.publish(names.question(runnerId, 'claim'), '{}', { reply });
      connection.publish(names.part({ runnerId, direction: 'out', file, part: 1 }), 'x', { reply });
      connection.publish(`$JS.API.DIRECT.GET.${names.fileStream(runnerId, 'in')}.${inFile}`, '', { reply });
      connection.publish(`$JS.API.DIRECT.GET.${names.fileStream(runnerId, 'in')}.${inFile}9`, '', { reply });
      connection.publish(`$JS.API.CONSUMER.MSG.NEXT.GC_OFFERS.pool-${poolId}`, '{"batch":1,"no_wait":true}', { reply });
    }
    // The last of its questions has been answered when this one is.
    await connection.flush();
    await expect
      .poll(() => seen.filter((subject) => subject === names.question(runnerId, 'claim')).length)
      .toBe(targets.length);
    await openPartStore({ connection, runnerId, direction: 'in' }).find({ file, part: 0 });
    await fixture.server.flush();
    const allowed = [names.question(runnerId, 'claim'), names.part({ runnerId, direction: 'out', file, part: 1 })];
    expect(seen.filter((subject) => !allowed.includes(subject))).toEqual([]);
    expect(await stateOf('GC_JOURNAL')).toMatchObject({ messages: before.messages, last_seq: before.last_seq });
    spy.unsubscribe();
    answering.unsubscribe();
  });

  it('gets no name with a wildcard signed', () => {
    const { authority } = fixture;
    const { publicKey } = own.key;
    const input = { runnerId: own.runnerId, poolId: own.poolId, publicKey, seconds: 60 };
    for (const changed of [
      { runnerId: '*' },
      { runnerId: '>' },
      { runnerId: `${own.runnerId}.x` },
      { poolId: '*' },
      { poolId: `${own.poolId}.>` },
      { publicKey: authority.serverKey },
      { publicKey: publicKey.slice(0, -1) },
    ])
      expect(() => authority.signRunner({ ...input, ...changed })).toThrow('does not have the form');
    expect(() => authority.createEnrolmentUser('*')).toThrow('does not have the form');
  });
});
