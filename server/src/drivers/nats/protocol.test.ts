import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '#server/kernel/digest';
import { newId } from '#server/kernel/ids';
import { Secret } from '#server/kernel/secret';
import { maxAuthorityChars } from './authority-file.ts';
import { enrolmentProof, isEnrolmentProof } from './enrolment-proof.ts';
import { type EnrolmentContent, readEnrolment, writeEnrolment } from './enrolment-text.ts';
import { isJobId, names, parseEnrolmentSubject, parseJournalSubject, parseQuestionSubject } from './names.ts';
import { isRunnerQuestion, offerSchema, pieceHead, questions, subjectOf } from './protocol.ts';
import { createTicket } from './run-box.ts';
import { createUserKey } from './user-key.ts';

const runnerId = newId('runnerMachine');
const enrolmentId = newId('runnerEnrolment');
const hostile = ['*', '>', '', 'a.b', `${runnerId}.>`, `${runnerId} `, `${runnerId}\r\n`, runnerId.toLowerCase()];

describe('subjects', () => {
  it('lead back to the ids that they were made of', () => {
    const run = newId('apply');
    for (const jobId of [run, `${run}.0`, `${run}.12`])
      expect(parseJournalSubject(names.journal(runnerId, jobId))).toEqual({ runnerId, jobId });
    expect(parseQuestionSubject(subjectOf('beat', runnerId))).toEqual({ runnerId, question: 'beat' });
    expect(parseEnrolmentSubject(subjectOf('enrol', enrolmentId))).toBe(enrolmentId);
  });

  it.each(hostile)('are not made of %j', (text) => {
    const makers = [
      () => names.offer(text, 'plan'),
      () => names.question(text, 'claim'),
      () => names.enrolment(text),
      () => names.journal(text, newId('plan')),
      () => names.journal(runnerId, text),
      () => names.inbox(text),
      () => names.fileStream(text, 'in'),
      () => names.poolConsumer(text),
      () => names.part({ runnerId, direction: 'in', file: text, part: 0 }),
      () => parseJournalSubject(`gc.journal.${text}.${newId('plan')}`),
      () => parseQuestionSubject(`gc.ask.${text}.claim`),
      () => parseEnrolmentSubject(`gc.enrol.${text}`),
    ];
    for (const make of makers) expect(make).toThrow('does not have the form');
  });

  it.each(['plan', 'apply', 'backup', 'restore'] as const)('name a Run of the kind %s', (kind) => {
    expect(isJobId(newId(kind))).toBe(true);
  });
  it.each([newId('sync'), 'plan_x', `${newId('plan')}.`, `${newId('plan')}.-1`, `${newId('plan')}.10000`])(
    'name no Run for %s',
    (text) => expect(isJobId(text)).toBe(false),
  );
});

describe('the table of questions', () => {
  const ticket = createTicket();
  const jobId = newId('plan');
  const facts = {
    productVersion: '1.2.3',
    jobFormatVersion: 1,
    platform: 'linux_amd64',
    sandbox: 'bwrap',
    network: 'isolated',
    concurrency: 4,
  } as const;
  const bodies = {
    claim: { runId: jobId, attempt: 1 },
    resume: { jobId, ticket },
    permit: { jobId, ticket },
    lateState: { jobId, ticket, files: [{ name: 'a.tfstate', digest: `sha256:${'0'.repeat(64)}`, sizeBytes: 1 }] },
    beat: {
      facts,
      freeSlots: 4,
      isDraining: false,
      runs: [],
    },
    renew: {},
    enrol: {
      keys: { publicKey: createUserKey().publicKey, sealKey: Buffer.alloc(32).toString('base64') },
      productVersion: '1.2.3',
      proof: '0'.repeat(64),
      name: 'office',
    },
  } as const;
  const namesOfQuestions = Object.keys(questions) as (keyof typeof questions)[];

  it.each(namesOfQuestions)('accepts %s, and drops or refuses an unknown member', (name) => {
    expect(questions[name].body.safeParse(bodies[name]).success).toBe(true);
    const { success, data } = questions[name].body.safeParse({ ...bodies[name], more: 1 });
    if (name === 'beat') expect(data).toEqual(bodies.beat);
    else expect(success).toBe(false);
  });

  it('reads the beat of a newer machine and the answer of a newer server without what it does not know', () => {
    const newer = { ...facts, jobFormatVersion: 2, more: 1 };
    expect(questions.beat.body.parse({ ...bodies.beat, facts: newer })).toMatchObject({
      facts: { jobFormatVersion: 2 },
    });
    const answer = { runs: [], isDraining: true };
    expect(questions.beat.answer.parse({ ...answer, versionSkew: 'sideways', more: 1 })).toEqual(answer);
    expect(questions.beat.answer.parse({ ...answer, versionSkew: 'newer' })).toMatchObject({ versionSkew: 'newer' });
  });

  it('bounds the Runs, positions and texts of a beat', () => {
    const accepts = (changed: object) => questions.beat.body.safeParse({ ...bodies.beat, ...changed }).success;
    const run = { jobId, ticket, offset: 0, state: 'working' };
    const most = { ...run, jobId: `${newId('restore')}.9999`, offset: Number.MAX_SAFE_INTEGER };
    expect(accepts({ runs: Array(256).fill(most) })).toBe(true);
    // The largest beat fits into its limit.
    expect(JSON.stringify({ ...bodies.beat, runs: Array(256).fill(most) }).length).toBeLessThan(
      questions.beat.maxBodyBytes,
    );
    for (const changed of [
      { runs: Array(257).fill(run) },
      { runs: [{ ...run, offset: -1 }] },
      { runs: [{ ...run, offset: 1.5 }] },
      { runs: [{ ...run, ticket: `${ticket}0` }] },
      { freeSlots: 257 },
      { facts: { ...facts, sandbox: 'docker' } },
      { facts: { ...facts, productVersion: 'x'.repeat(65) } },
      { facts: { ...facts, tool: { name: 'make', version: '1' } } },
    ])
      expect(accepts(changed)).toBe(false);
  });

  it('has only the questions of a runner under its subjects', () => {
    expect(isRunnerQuestion('permit')).toBe(true);
    for (const name of ['enrol', 'toString', '__proto__', '']) expect(isRunnerQuestion(name)).toBe(false);
  });

  it('reads an offer and the headers of a piece', () => {
    expect(offerSchema.safeParse({ runId: jobId, attempt: 0 }).success).toBe(true);
    expect(offerSchema.safeParse({ runId: '*', attempt: 0 }).success).toBe(false);
    expect(pieceHead.parse({ ticket, offset: '17' })).toEqual({ ticket, offset: 17 });
    for (const offset of ['', '-1', '1e3', '017', '9007199254740993', undefined])
      expect(pieceHead.safeParse({ ticket, offset }).success).toBe(false);
  });
});

describe('the text of an enrolment', () => {
  const { seed } = createUserKey();
  const token = new Secret(randomBytes(32).toString('base64url'));
  const content: EnrolmentContent = {
    enrolmentId,
    urls: ['tls://nats.example.com:4222'],
    ca: '-----BEGIN CERTIFICATE-----\n',
    verifyWith: 'AAAA',
    jwt: 'a.b.c',
    seed,
    token,
  };
  const text = writeEnrolment(content);

  it('has space for the largest authority, and for all members', () => {
    const [ca, jwt] = ['\n'.repeat(maxAuthorityChars), 'x'.repeat(4_096)];
    const largest = { ...content, ca, jwt, urls: Array(16).fill('x'.repeat(300)) };
    expect(readEnrolment(writeEnrolment(largest)).ca).toBe(ca);
  });

  it('is one line that can be read again', () => {
    expect(text).toMatch(/^[\w.-]+$/);
    const read = readEnrolment(`\n ${text}\n`);
    expect({ ...read, seed, token }).toEqual(content);
    expect(read.seed.reveal()).toBe(seed.reveal());
    expect(read.token.reveal()).toBe(token.reveal());
  });

  it('proves the keys of the machine that has it, and no others', () => {
    const keys = { enrolmentId, publicKey: createUserKey().publicKey, sealKey: 'AAAA' };
    const proof = enrolmentProof(token, keys);
    const hash = sha256Hex(token.reveal());
    expect(isEnrolmentProof(proof, hash, keys)).toBe(true);
    for (const changed of [
      { ...keys, publicKey: createUserKey().publicKey },
      { ...keys, sealKey: 'BBBB' },
      { ...keys, enrolmentId: newId('runnerEnrolment') },
    ])
      expect(isEnrolmentProof(proof, hash, changed)).toBe(false);
    expect(isEnrolmentProof(proof, sha256Hex('another'), keys)).toBe(false);
    expect(isEnrolmentProof('', hash, keys)).toBe(false);
  });

  it.each([
    ['', 'nothing'],
    ['groundctl-enrolment-2.e30', 'another version'],
    ['groundctl-enrolment-1.', 'no content'],
    ['groundctl-enrolment-1.e30', 'missing members'],
    [`${text.slice(0, -5)}`, 'a cut end'],
    [`groundctl-enrolment-1.${'A'.repeat(40_000)}`, 'too much'],
    [writeEnrolment({ ...content, seed: new Secret('not a seed') }), 'another seed'],
  ])('is refused without its content: %#', (broken) => {
    let refusal: unknown;
    try {
      readEnrolment(broken);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toHaveProperty('reason', 'enrolment_invalid');
    expect((refusal as Error).cause).toBeUndefined();
  });
});
