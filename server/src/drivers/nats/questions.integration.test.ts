import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { newId } from '#server/kernel/ids';
import { type NatsFixture, shortTimes, startNatsFixture, type TestRunner } from '../../../test/nats-fixture.ts';
import { hasNatsServer, holdsBytes } from '../../../test/nats-server.ts';
import { createAuthorityRecord, openAuthority } from './authority.ts';
import type { Beat } from './beat.ts';
import { connectOnce } from './connection.ts';
import { createSealKey, openJob, sealJob } from './envelope.ts';
import { publishPiece } from './journal-pieces.ts';
import { names } from './names.ts';
import { answerQuestions, type QuestionHandlers, sendQuestion } from './questions.ts';
import { createRunKey, createTicket, sealBox } from './run-box.ts';
import { createUserKey, inboxOf } from './user-key.ts';

describe.skipIf(!hasNatsServer)('questions', () => {
  let fixture: NatsFixture;
  let runner: TestRunner;
  const onFault = vi.fn();
  const onRefused = vi.fn();
  const unexpected = () => Promise.reject(new Error('not expected'));
  const handlers: QuestionHandlers = {
    claim: unexpected,
    resume: unexpected,
    permit: unexpected,
    lateState: unexpected,
    beat: unexpected,
    renew: unexpected,
    enrol: unexpected,
  };
  const jobId = newId('apply');
  const ticket = createTicket();
  const sender = () => ({
    connection: runner.connection,
    senderId: runner.runnerId,
    verifyWith: fixture.authority.verifyWith,
    answerMs: 2_000,
  });
  let stop = () => {};
  /** Resolves when NATS knows that the server answers. */
  async function startAnswers(
    changed: Partial<QuestionHandlers>,
    signWith = fixture.authority.signWith,
  ): Promise<void> {
    const { server: connection } = fixture;
    stop = answerQuestions({ connection, signWith, handlers: { ...handlers, ...changed }, onFault, onRefused });
    await connection.flush();
  }
  afterEach(async () => {
    stop();
    await fixture.server.flush();
  });

  beforeAll(async () => {
    fixture = await startNatsFixture();
    runner = await fixture.join(await fixture.createPool());
  });
  afterAll(() => fixture?.close());

  it('carry the id of the runner and the body to the server, and the answer back', async () => {
    const beat: Beat = {
      facts: {
        productVersion: '0.1.0',
        jobFormatVersion: 1,
        tool: { name: 'tofu', version: '1.12.6' },
        platform: 'linux_amd64',
        sandbox: 'bwrap',
        network: 'isolated',
        concurrency: 4,
      },
      freeSlots: 3,
      isDraining: false,
      runs: [{ jobId: `${jobId}.2`, ticket, offset: 17, state: 'working' }],
    };
    const handle = vi.fn<QuestionHandlers['beat']>(async () => ({
      runs: [{ jobId: `${jobId}.2`, ticket, state: 'held', offset: 17, isCancelled: false }],
      isDraining: true,
    }));
    await startAnswers({ beat: handle });
    const answer = await sendQuestion(sender(), 'beat', beat);
    expect(handle).toHaveBeenCalledWith(runner.runnerId, beat);
    expect(answer).toMatchObject({ isDraining: true, runs: [{ state: 'held' }] });
  });

  it('carry a Job of which NATS writes nothing', async () => {
    const key = await createSealKey();
    const { runnerId } = runner;
    const canary = randomBytes(24).toString('hex');
    const job = { credentials: canary };
    await startAnswers({
      resume: async (senderId, claim) => {
        const address = { runnerId: senderId, ...claim };
        const { signWith } = fixture.authority;
        return { offset: 0, envelope: await sealJob(job, { ...address, publicKey: key.publicKey, signWith }) };
      },
    });
    const answer = await sendQuestion(sender(), 'resume', { jobId, ticket });
    const { verifyWith } = fixture.authority;
    expect('envelope' in answer && (await openJob(answer.envelope, { runnerId, key, verifyWith }))).toEqual(job);
    const piece = { jobId, ticket, offset: 0 };
    const sealed = sealBox(createRunKey(), { kind: 'piece', ...piece }, Buffer.from(canary));
    await publishPiece(runner.connection, { runnerId, ...piece, turn: 0, sealed });
    // The search finds what is there: headers are not secret.
    expect(holdsBytes(fixture.nats.folder, Buffer.from(ticket))).toBe(true);
    expect(holdsBytes(fixture.nats.folder, Buffer.from(canary))).toBe(false);
  });

  it('of an enrolment are answered before there is a runner', async () => {
    const enrolmentId = newId('runnerEnrolment');
    const user = fixture.authority.createEnrolmentUser(enrolmentId);
    const connection = fixture.track(
      await connectOnce({
        ...shortTimes,
        urls: [fixture.nats.url],
        inboxPrefix: inboxOf(enrolmentId),
        credentials: () => user,
      }),
    );
    await startAnswers({
      enrol: async (senderId) => (senderId === enrolmentId ? { refused: 'enrolment_closed' } : unexpected()),
    });
    const answer = await sendQuestion({ ...sender(), connection, senderId: enrolmentId }, 'enrol', {
      keys: { publicKey: createUserKey().publicKey, sealKey: (await createSealKey()).publicKey },
      productVersion: '0.1.0',
      proof: '0'.repeat(64),
      name: 'office-1',
    });
    expect(answer).toEqual({ refused: 'enrolment_closed' });
  });

  it('report at once that no server listens, and in time that it has no answer', async () => {
    await expect(sendQuestion(sender(), 'renew', {})).rejects.toMatchObject({ reason: 'no_answer', isTransient: true });
    await startAnswers({});
    await expect(sendQuestion({ ...sender(), answerMs: 200 }, 'renew', {})).rejects.toMatchObject({
      reason: 'timeout',
    });
    expect(onFault).toHaveBeenLastCalledWith(expect.any(Error), 'renew', runner.runnerId);
  });

  it('do not accept an answer with another signature', async () => {
    await startAnswers({ permit: async () => ({ permit: 'AAAA' }) }, openAuthority(createAuthorityRecord()).signWith);
    await expect(sendQuestion(sender(), 'permit', { jobId, ticket })).rejects.toMatchObject({
      reason: 'answer_invalid',
    });
  });

  it('do not accept a recorded answer to an earlier question', async () => {
    const recorded: string[] = [];
    await startAnswers({ permit: async () => ({ refused: 'cancelled' }) });
    const request = JSON.stringify({ version: 1, nonce: '0'.repeat(32), body: { jobId, ticket } });
    recorded.push((await runner.connection.request(names.question(runner.runnerId, 'permit'), request)).string());
    stop();
    await fixture.server.flush();
    const replay = fixture.server.subscribe(names.question(runner.runnerId, 'permit'), {
      callback: (_error, message) => void message.respond(recorded[0]),
    });
    await fixture.server.flush();
    await expect(sendQuestion(sender(), 'permit', { jobId, ticket })).rejects.toMatchObject({
      reason: 'answer_invalid',
    });
    replay.unsubscribe();
  });

  it('do not accept an answer of another form', async () => {
    await startAnswers({ renew: async () => ({ refused: 'other' }) as never });
    await expect(sendQuestion(sender(), 'renew', {})).rejects.toMatchObject({ reason: 'answer_invalid' });
  });

  it.each([
    ['an unknown question', 'take', { version: 1, nonce: '0'.repeat(32), body: {} }],
    ['an enrolment under a runner', 'enrol', { version: 1, nonce: '0'.repeat(32), body: {} }],
    ['an inherited name', 'constructor', { version: 1, nonce: '0'.repeat(32), body: {} }],
    ['an unknown member', 'renew', { version: 1, nonce: '0'.repeat(32), body: { more: 1 } }],
    ['an unknown member of the frame', 'renew', { version: 1, nonce: '0'.repeat(32), body: {}, more: 1 }],
    ['another version', 'renew', { version: 2, nonce: '0'.repeat(32), body: {} }],
    ['no nonce', 'renew', { version: 1, nonce: '', body: {} }],
    ['a wildcard as a Run', 'permit', { version: 1, nonce: '0'.repeat(32), body: { jobId: '*', ticket } }],
    ['a large body', 'renew', { version: 1, nonce: '0'.repeat(32), body: {}, fill: 'x'.repeat(8_000) }],
    ['no JSON', 'renew', '{'],
  ])('are dropped when they have %s', async (_what, question, frame) => {
    const renew = vi.fn<QuestionHandlers['renew']>(async () => ({ jwt: 'x' }));
    await startAnswers({ renew });
    onRefused.mockClear();
    const text = typeof frame === 'string' ? frame : JSON.stringify(frame);
    runner.connection.publish(names.question(runner.runnerId, question), text);
    await expect.poll(() => onRefused.mock.calls.length).toBe(1);
    expect(renew).not.toHaveBeenCalled();
  });
});
