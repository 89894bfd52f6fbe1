import { randomBytes } from 'node:crypto';
import { decrypt, encrypt, nonceBytes, tagBytes } from '#server/kernel/aes-gcm';
import { Secret } from '#server/kernel/secret';
import { isJobId, isTicket } from './names.ts';
import { NatsError } from './nats-error.ts';

/** Bytes that sealing adds. */
export const boxBytes = nonceBytes + tagBytes;

/** Creates the key of one attempt of a Run, which only the server and the runner know. */
export const createRunKey = (): Secret => new Secret(randomBytes(32));

/** Creates a ticket: a random text that names one attempt of a Run. */
export const createTicket = (): string => randomBytes(16).toString('hex');

/** Position of a sealed text. It is authenticated, so a box that was moved or repeated elsewhere does not open. */
export type BoxPosition =
  | { kind: 'permit'; jobId: string; ticket: string }
  | { kind: 'piece'; jobId: string; ticket: string; offset: number };

function aadOf(position: BoxPosition): Buffer {
  const { kind, jobId, ticket } = position;
  if (!isJobId(jobId) || !isTicket(ticket)) throw new NatsError('name_invalid');
  return Buffer.from(`groundctl ${kind} v1 ${jobId} ${ticket} ${position.kind === 'piece' ? position.offset : ''}`);
}

export const sealBox = (key: Secret, position: BoxPosition, plain: Uint8Array): Buffer =>
  encrypt(key.revealBytes(), plain, aadOf(position));

/** Opens a box. Throws `box_refused` when it was changed, cut or sealed for another position. */
export function openBox(key: Secret, position: BoxPosition, sealed: Uint8Array): Buffer {
  try {
    return decrypt(key.revealBytes(), sealed, aadOf(position));
  } catch {
    throw new NatsError('box_refused');
  }
}
