import type { KeyObject } from 'node:crypto';
import * as HPKE from 'hpke';
import { Secret } from '#server/kernel/secret';
import { type Envelope, maxJobBytes } from './envelope-schema.ts';
import { isJobId, isTicket, requireId } from './names.ts';
import { NatsError } from './nats-error.ts';
import { isSigned, signBytes } from './server-signature.ts';

const secretBytes = 32;

const suite = new HPKE.CipherSuite(HPKE.KEM_DHKEM_X25519_HKDF_SHA256, HPKE.KDF_HKDF_SHA256, HPKE.AEAD_AES_256_GCM);
const info = Buffer.from('groundctl job v1');

/** Key that Jobs for one runner are sealed to; both halves base64. The private one never leaves the runner. */
export type SealKey = { publicKey: string; privateKey: Secret };

export async function createSealKey(): Promise<SealKey> {
  const pair = await suite.GenerateKeyPair(true);
  const publicKey = Buffer.from(await suite.SerializePublicKey(pair.publicKey)).toString('base64');
  const privateKey = Buffer.from(await suite.SerializePrivateKey(pair.privateKey)).toString('base64');
  return { publicKey, privateKey: new Secret(privateKey) };
}

/** Job of one attempt, and the runner that it is for. Both are bound to the envelope. */
type Address = { runnerId: string; jobId: string; ticket: string };

function addressBytes({ runnerId, jobId, ticket }: Address): Buffer {
  requireId('runnerMachine', runnerId);
  if (!isJobId(jobId) || !isTicket(ticket)) throw new NatsError('name_invalid');
  return Buffer.from(`groundctl job v1 ${runnerId} ${jobId} ${ticket}`);
}
const signedBytes = (address: Buffer, sealed: Uint8Array): Buffer => Buffer.concat([address, Buffer.from([0]), sealed]);

/**
 * Seals a Job to the public key of a runner and signs it with the key of the server, so that NATS can neither read nor
 * make one. Throws `job_too_large`, or `name_invalid` for an id or key of another form.
 */
export async function sealJob(
  job: unknown,
  input: Address & { publicKey: string; signWith: KeyObject },
): Promise<Envelope> {
  const { jobId, ticket, publicKey, signWith } = input;
  const aad = addressBytes(input);
  const plain = Buffer.from(JSON.stringify(job));
  if (plain.length > maxJobBytes) throw new NatsError('job_too_large');
  const recipient = await importPublicKey(publicKey);
  const { encapsulatedSecret, ciphertext } = await suite.Seal(recipient, plain, { aad, info });
  const sealed = Buffer.concat([encapsulatedSecret, ciphertext]);
  const signature = signBytes(signWith, signedBytes(aad, sealed));
  return { jobId, ticket, sealed: sealed.toString('base64'), signature };
}

async function importPublicKey(text: string) {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== secretBytes) throw new NatsError('name_invalid');
  return suite.DeserializePublicKey(bytes);
}

/**
 * Checks an envelope and opens it: it was signed by the server (`verifyWith`: base64, SPKI) for this runner. Returns
 * the Job, whose form is not checked. Throws `envelope_refused`.
 */
export async function openJob(
  envelope: Envelope,
  input: { runnerId: string; key: SealKey; verifyWith: string },
): Promise<unknown> {
  const { runnerId, key, verifyWith } = input;
  try {
    const { jobId, ticket } = envelope;
    const aad = addressBytes({ runnerId, jobId, ticket });
    const sealed = Buffer.from(envelope.sealed, 'base64');
    if (!isSigned(verifyWith, signedBytes(aad, sealed), envelope.signature)) throw new NatsError('envelope_refused');
    const pair = await importKey(key);
    const plain = await suite.Open(pair, sealed.subarray(0, secretBytes), sealed.subarray(secretBytes), { aad, info });
    return JSON.parse(Buffer.from(plain).toString());
  } catch {
    // A cause could contain a part of the content.
    throw new NatsError('envelope_refused');
  }
}

/** Imports both halves: WebCrypto computes one from the other only with a method that Node calls experimental. */
async function importKey({ publicKey, privateKey }: SealKey) {
  const secret = Buffer.from(privateKey.reveal(), 'base64');
  return {
    publicKey: await importPublicKey(publicKey),
    privateKey: await suite.DeserializePrivateKey(secret, false),
  };
}
