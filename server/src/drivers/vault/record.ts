import { hkdfSync, randomBytes } from 'node:crypto';
import { decrypt, encrypt } from '#server/kernel/aes-gcm';
import { keyBytes } from './master-key.ts';
import type { SealContext } from './seal.ts';

/** More than two pages of the ledger, so that most of it is on pages that belong to this value alone. */
const padBytes = 8_192;

const keyOf = (pad: Buffer): Buffer => Buffer.from(hkdfSync('sha256', pad, Buffer.alloc(0), 'record', keyBytes));
const aadOf = ({ table, row, column }: SealContext): Buffer =>
  Buffer.from(JSON.stringify(['record', table, row, column]));

/**
 * Encrypts a secret under its own key, which is derived from a pad of random bytes in front of it, all of which are
 * needed. A database leaves copies of small values in the unused part of its pages when it moves them, and overwriting
 * the value does not remove those. Of a value of this size they hold at most the first few hundred bytes, which reveal
 * nothing. The rest is on pages that are overwritten when the value is deleted.
 */
export function closeRecord(context: SealContext, secret: Buffer): Buffer {
  const pad = randomBytes(padBytes);
  return Buffer.concat([pad, encrypt(keyOf(pad), secret, aadOf(context))]);
}

/** Decrypts a record; throws when it is incomplete or altered. */
export function openRecord(context: SealContext, record: Buffer): Buffer {
  return decrypt(keyOf(record.subarray(0, padBytes)), record.subarray(padBytes), aadOf(context));
}
