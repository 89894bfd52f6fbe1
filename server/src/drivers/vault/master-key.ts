import { createHmac, randomBytes } from 'node:crypto';
import { decrypt, encrypt } from '#server/kernel/aes-gcm';

export const keyBytes = 32;

/**
 * Key-encryption key: it seals the data keys and nothing else. Its id is derived from it, so no source has to store
 * one.
 */
export type MasterKey = { readonly id: string; readonly bytes: Buffer };

/** Id of the data key. */
type KeyName = { scope: string; version: number };

/** A data key as the ledger stores it. */
export type WrappedKey = KeyName & { masterKeyId: string; wrapped: Buffer };

/** Returns 32 random bytes. */
export const newKeyBytes = (): Buffer => randomBytes(keyBytes);

export function masterKeyOf(bytes: Buffer): MasterKey {
  if (bytes.length !== keyBytes) throw new Error('A master key has 32 bytes.');
  return { id: `mk_${createHmac('sha256', bytes).update('master key id').digest('hex').slice(0, 24)}`, bytes };
}

const wrapAad = ({ scope, version }: KeyName, masterKeyId: string): Buffer =>
  Buffer.from(JSON.stringify(['data key', scope, version, masterKeyId]));

/** Seals a data key under the master key, bound to its scope, its version and the id of the master key. */
export const wrapKey = ({ scope, version }: KeyName, plain: Buffer, master: MasterKey): WrappedKey => ({
  scope,
  version,
  masterKeyId: master.id,
  wrapped: encrypt(master.bytes, plain, wrapAad({ scope, version }, master.id)),
});

/** Unwraps a data key. Throws for another master key, and for a row that was altered or moved. */
export function unwrapKey(row: WrappedKey, master: MasterKey): Buffer {
  const plain = decrypt(master.bytes, row.wrapped, wrapAad(row, row.masterKeyId));
  if (row.masterKeyId !== master.id || plain.length !== keyBytes) throw new Error('The data key is not whole.');
  return plain;
}

const canaryText = 'Ground Control';
const canaryAad = (id: string): Buffer => Buffer.from(JSON.stringify(['canary', id]));

/** Seals the canary, which distinguishes the right master key from a wrong one before anything else is opened. */
export const sealCanary = (master: MasterKey): Buffer =>
  encrypt(master.bytes, Buffer.from(canaryText), canaryAad(master.id));

/** Reports whether this is the master key the canary was sealed under. */
export function opensCanary(master: MasterKey, canary: Buffer): boolean {
  try {
    return decrypt(master.bytes, canary, canaryAad(master.id)).toString() === canaryText;
  } catch {
    return false;
  }
}
