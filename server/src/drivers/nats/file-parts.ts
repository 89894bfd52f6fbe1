import { createHmac, hkdfSync } from 'node:crypto';
import { decrypt, encrypt } from '#server/kernel/aes-gcm';
import { Secret } from '#server/kernel/secret';
import { NatsError } from './nats-error.ts';

/** Bytes of one part; sealed it fits into one message. */
export const partBytes = 524_288;

/** Content of a file that is sent: `sha256:` and hex, and its size. */
export type FileReference = { digest: string; sizeBytes: number };

export const partCount = ({ sizeBytes }: FileReference): number => Math.ceil(sizeBytes / partBytes);

/** Size of a part; the last one is shorter. */
export const sizeOfPart = ({ sizeBytes }: FileReference, part: number): number =>
  Math.min(partBytes, sizeBytes - part * partBytes);

/** Returns the key of an archive that several Runs share, so that it is sent once. Given to a runner in the Job. */
export const archiveKey = (serverKey: Secret, digest: string): Secret =>
  new Secret(new Uint8Array(hkdfSync('sha256', serverKey.revealBytes(), digest, 'groundctl archive v1', 32)));

/** Returns the name of a file in NATS, which says nothing about its content to those without the key. */
export const fileName = (key: Secret, { digest }: FileReference): string =>
  createHmac('sha256', key.revealBytes()).update(`groundctl file v1 ${digest}`).digest('hex').slice(0, 32);

/** Whole content and position are authenticated, so a part cannot stand for another one. */
const aadOf = ({ digest, sizeBytes }: FileReference, part: number): Buffer =>
  Buffer.from(`groundctl part v1 ${digest} ${sizeBytes} ${part}`);

export const sealPart = (
  key: Secret,
  file: FileReference,
  { part, plain }: { part: number; plain: Uint8Array },
): Buffer => encrypt(key.revealBytes(), plain, aadOf(file, part));

/** Opens a part. Throws `file_forged` for one that was changed, cut or sealed for another position. */
export function openPart(
  key: Secret,
  file: FileReference,
  { part, sealed }: { part: number; sealed: Uint8Array },
): Buffer {
  let plain: Buffer;
  try {
    plain = decrypt(key.revealBytes(), sealed, aadOf(file, part));
  } catch {
    throw new NatsError('file_forged');
  }
  if (plain.length !== sizeOfPart(file, part)) throw new NatsError('file_forged');
  return plain;
}
