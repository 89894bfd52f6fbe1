import { afterEach, describe, expect, it } from 'vitest';
import { newId } from '#server/kernel/ids';
import { type NatsFixture, shortTimes, startNatsFixture } from '../../test/nats-fixture.ts';
import { hasNatsServer } from '../../test/nats-server.ts';
import { reportedFacts } from '../../test/runner-machines.ts';
import { createSealKey } from '../drivers/nats/envelope.ts';
import { answerQuestions, type QuestionHandlers } from '../drivers/nats/questions.ts';
import { publishRevocations } from '../drivers/nats/revocation.ts';
import { createUserKey } from '../drivers/nats/user-key.ts';
import { createLog } from '../kernel/log.ts';
import type { Identity } from './identity.ts';
import { openSession, type Session } from './session.ts';

const nowSeconds = () => Math.floor(Date.now() / 1_000);

describe.skipIf(!hasNatsServer)('the session of a machine', () => {
  let fixture: NatsFixture;
  const sessions: Session[] = [];
  afterEach(async () => {
    for (const session of sessions.splice(0)) await session.close();
    await fixture?.close();
  });

  async function createIdentity(seconds = 3_600): Promise<Identity> {
    const { authority, nats } = fixture;
    const [runnerId, poolId, userKey] = [newId('runnerMachine'), await fixture.createPool(), createUserKey()];
    await fixture.streams.createRunner(runnerId);
    const jwt = authority.signRunner({ runnerId, poolId, publicKey: userKey.publicKey, seconds });
    const { verifyWith } = authority;
    return { runnerId, poolId, urls: [nats.url], verifyWith, userKey, sealKey: await createSealKey(), jwt };
  }
  const stored: string[] = [];
  async function open(identity: Identity): Promise<Session> {
    const store = (jwt: string) => void stored.push(jwt);
    const facts = async () => reportedFacts();
    const session = await openSession({ identity, facts, store, log: createLog('silent'), ...shortTimes });
    sessions.push(session);
    return session;
  }
  function answerRenewals(renew: QuestionHandlers['renew']): void {
    const handlers = { renew } as QuestionHandlers;
    const { server: connection, authority } = fixture;
    answerQuestions({ connection, signWith: authority.signWith, handlers, onFault: () => {}, onRefused: () => {} });
  }

  it('stores a renewed right', async () => {
    fixture = await startNatsFixture();
    answerRenewals(async () => ({ jwt: 'renewed' }));
    await open(await createIdentity());
    await expect.poll(() => stored).toEqual(['renewed']);
  });

  it('ends when the server says that the machine was revoked', async () => {
    fixture = await startNatsFixture();
    answerRenewals(async () => ({ refused: 'runner_revoked' }));
    const { ended } = await open(await createIdentity());
    expect(await ended).toMatch(/was revoked.*enrol it again/);
  });

  it('ends when NATS cuts off a revoked machine, and does not start again', async () => {
    fixture = await startNatsFixture();
    const identity = await createIdentity();
    const { ended } = await open(identity);
    const revocations = { [identity.userKey.publicKey]: nowSeconds() };
    await publishRevocations(await fixture.connectSystem(), fixture.authority, revocations);
    expect(await ended).toMatch(/NATS refuses.*enrol it again/);
    await expect(open(identity)).rejects.toThrow(/NATS refuses.*enrol it again/);
  });

  it('is refused to a machine whose right has ended', async () => {
    fixture = await startNatsFixture();
    await expect(open(await createIdentity(-60))).rejects.toThrow(/away for longer.*enrol it again/);
  });

  it('ends when its right ends without a renewal', async () => {
    fixture = await startNatsFixture();
    // On a slow machine it ends before the session is open.
    const end = await open(await createIdentity(3)).then(
      ({ ended }) => ended,
      (error: Error) => error.message,
    );
    expect(end).toMatch(/away for longer.*enrol it again/);
  });
});
