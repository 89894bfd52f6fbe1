import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newId } from '#server/kernel/ids';
import { createAuthorityRecord, openAuthority } from './authority.ts';
import { createSealKey, openJob, sealJob } from './envelope.ts';
import { type Envelope, envelopeSchema, maxJobBytes } from './envelope-schema.ts';
import { NatsError } from './nats-error.ts';
import { maxMessageBytes } from './role.ts';
import { createTicket } from './run-box.ts';

describe('an envelope', async () => {
  const authority = openAuthority(createAuthorityRecord());
  const { signWith, verifyWith } = authority;
  const key = await createSealKey();
  const runnerId = newId('runnerMachine');
  const address = { runnerId, jobId: `${newId('apply')}.3`, ticket: createTicket() };
  const job = { step: 'plan', secret: 'canary-of-a-job', list: [1, 2.5, null] };
  const sealed = await sealJob(job, { ...address, publicKey: key.publicKey, signWith });
  const open = (envelope: Envelope, changed: Partial<Parameters<typeof openJob>[1]> = {}) =>
    openJob(envelope, { runnerId, key, verifyWith, ...changed });
  const flip = (base64: string, at: number): string => {
    const bytes = Buffer.from(base64, 'base64');
    bytes[at] = bytes[at]! ^ 1;
    return bytes.toString('base64');
  };

  it('is opened by its runner, and holds nothing of the Job in clear', async () => {
    expect(await open(envelopeSchema.parse(JSON.parse(JSON.stringify(sealed))))).toEqual(job);
    expect(JSON.stringify(sealed) + Buffer.from(sealed.sealed, 'base64')).not.toContain('canary');
  });

  const other = openAuthority(createAuthorityRecord());
  const refusals: [string, () => Promise<unknown> | unknown][] = [
    ['for another runner', () => open(sealed, { runnerId: newId('runnerMachine') })],
    ['with the key of another runner', async () => open(sealed, { key: await createSealKey() })],
    ['from another server', () => open(sealed, { verifyWith: other.verifyWith })],
    ['with a malformed public key', () => open(sealed, { verifyWith: 'AAAA' })],
    ['for another Run', () => open({ ...sealed, jobId: newId('apply') })],
    ['with another ticket', () => open({ ...sealed, ticket: createTicket() })],
    ['with a malformed ticket', () => open({ ...sealed, ticket: '*' })],
    ['with a changed encapsulated secret', () => open({ ...sealed, sealed: flip(sealed.sealed, 0) })],
    ['with changed content', () => open({ ...sealed, sealed: flip(sealed.sealed, 40) })],
    ['with truncated content', () => open({ ...sealed, sealed: sealed.sealed.slice(0, -8) })],
    ['without content', () => open({ ...sealed, sealed: '' })],
    ['with a changed signature', () => open({ ...sealed, signature: flip(sealed.signature, 63) })],
    ['without a signature', () => open({ ...sealed, signature: '' })],
    [
      'that was signed by the server for another runner and sealed again',
      async () => {
        const wanted = { ...address, runnerId: newId('runnerMachine') };
        return open(await sealJob(job, { ...wanted, publicKey: key.publicKey, signWith }));
      },
    ],
    [
      'that anyone sealed to its public key',
      async () => open(await sealJob(job, { ...address, publicKey: key.publicKey, signWith: other.signWith })),
    ],
  ];
  it.each(refusals)('is refused %s, with an error that contains no content', async (_what, work) => {
    const error = await Promise.resolve(work()).catch((refusal: unknown) => refusal);
    expect(error).toBeInstanceOf(NatsError);
    expect(error).toMatchObject({ reason: 'envelope_refused', isTransient: false });
    expect((error as Error).cause).toBeUndefined();
  });

  it('fits into one message at its limit, and is refused above it', async () => {
    const input = { ...address, publicKey: key.publicKey, signWith };
    const text = randomBytes(maxJobBytes / 2 - 1).toString('hex');
    const largest = await sealJob(text, input);
    expect(envelopeSchema.safeParse(largest).success).toBe(true);
    expect(JSON.stringify({ envelope: largest }).length).toBeLessThan(maxMessageBytes - 16_384);
    await expect(sealJob(`${text}xyz`, input)).rejects.toMatchObject({ reason: 'job_too_large' });
  });

  it.each([
    [{ runnerId: '*' }],
    [{ jobId: 'plan_1' }],
    [{ jobId: `${newId('plan')}.1.2` }],
    [{ jobId: `${newId('plan')}.01` }],
    [{ ticket: 'x y' }],
    [{ publicKey: 'AAAA' }],
  ])('is not sealed for %j', async (changed) => {
    const input = { ...address, publicKey: key.publicKey, signWith, ...changed };
    await expect(sealJob(job, input)).rejects.toMatchObject({ reason: 'name_invalid' });
  });
});
