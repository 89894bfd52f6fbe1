import { afterEach, describe, expect, it } from 'vitest';
import { newId } from '#server/kernel/ids';
import { type NatsFixture, shortTimes, startNatsFixture } from '../../../test/nats-fixture.ts';
import { hasNatsServer } from '../../../test/nats-server.ts';
import { type ConnectionState, connectOnce } from './connection.ts';
import { names } from './names.ts';
import { publishRevocations } from './revocation.ts';
import { createUserKey, inboxOf, type UserKey } from './user-key.ts';

describe.skipIf(!hasNatsServer)('the rights of users', () => {
  let fixture: NatsFixture;
  afterEach(() => fixture?.close());
  const nowSeconds = () => Math.floor(Date.now() / 1_000);

  it('end with a revocation: the connection is cut, and refused after kill -9 and a restart of NATS', async () => {
    fixture = await startNatsFixture();
    const { authority, nats } = fixture;
    const poolId = await fixture.createPool();
    const states: ConnectionState[] = [];
    const revoked = await fixture.join(poolId, { onState: (state) => states.push(state) });
    const other = await fixture.join(poolId);
    const system = await fixture.connectSystem();
    await publishRevocations(system, authority, { [revoked.key.publicKey]: nowSeconds() });
    await expect.poll(() => states).toContain('denied');

    const reconnect = (key: UserKey, runnerId: string) => {
      const jwt = authority.signRunner({ runnerId, poolId, publicKey: key.publicKey, seconds: 60 });
      const credentials = () => ({ jwt, seed: key.seed });
      return connectOnce({ ...shortTimes, urls: [nats.url], inboxPrefix: inboxOf(runnerId), credentials });
    };
    await nats.kill();
    await nats.start();
    const before = states.length;
    await expect.poll(() => states.slice(before)).toContain('denied');
    expect(states.slice(before)).not.toContain('connected');
    // A JWT that is signed after the revocation is refused by a later one.
    const again = await fixture.connectSystem();
    await publishRevocations(again, authority, { [revoked.key.publicKey]: nowSeconds() + 60 });
    await expect(reconnect(revoked.key, revoked.runnerId)).rejects.toMatchObject({ reason: 'denied' });
    await other.connection.flush();
    fixture.track(await reconnect(createUserKey(), other.runnerId));
  });

  it('reach no further than one question for an enrolment', async () => {
    fixture = await startNatsFixture();
    const { authority, nats } = fixture;
    const enrolmentId = newId('runnerEnrolment');
    const user = authority.createEnrolmentUser(enrolmentId);
    const denied: string[] = [];
    const connection = fixture.track(
      await connectOnce({
        ...shortTimes,
        urls: [nats.url],
        inboxPrefix: inboxOf(enrolmentId),
        credentials: () => user,
      }),
    );
    void (async () => {
      for await (const event of connection.status())
        if (event.type === 'error') denied.push((event.error as Error & { subject: string }).subject);
    })();
    const runnerId = newId('runnerMachine');
    const subjects = [
      names.question(runnerId, 'claim'),
      names.journal(runnerId, newId('plan')),
      names.part({ runnerId, direction: 'out', file: '0'.repeat(32), part: 0 }),
      names.enrolment(newId('runnerEnrolment')),
      names.offer(newId('runnerPool'), 'plan'),
      '$JS.API.INFO',
      '$JS.API.STREAM.LIST',
      '$JS.API.CONSUMER.MSG.NEXT.GC_OFFERS.pool-',
      '$SYS.REQ.CLAIMS.UPDATE',
      '_INBOX.x',
    ];
    for (const subject of subjects) connection.publish(subject, '');
    connection.subscribe('>', { callback: () => {} });
    connection.subscribe('_INBOX.>', { callback: () => {} });
    await connection.flush();
    await expect.poll(() => denied).toEqual([...subjects, '>', '_INBOX.>']);
    connection.publish(names.enrolment(enrolmentId), '');
    await connection.flush();
    expect(denied).toHaveLength(subjects.length + 2);
  });

  it('are those of one message for the system user', async () => {
    fixture = await startNatsFixture();
    const system = await fixture.connectSystem();
    const denied: unknown[] = [];
    void (async () => {
      for await (const event of system.status()) if (event.type === 'error') denied.push(event.error.name);
    })();
    system.publish('$SYS.REQ.SERVER.PING', '');
    system.subscribe('$SYS.>', { callback: () => {} });
    await system.flush();
    await expect.poll(() => denied).toEqual(['PermissionViolationError', 'PermissionViolationError']);
  });
});
