import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import type { Identity, Recipient } from 'age-encryption';

/*
 * The scrypt recipient of age (age-encryption.org/v1), with the key derivation of Node: it runs off the thread, where the
 * one of the library blocks for a second.
 */

const label = 'age-encryption.org/v1/scrypt';
const workFactor = 18;
const saltBytes = 16;
const tagBytes = 16;
const fileKeyBytes = 16;
const cipher = 'chacha20-poly1305';
const nonce = Buffer.alloc(12);

export const passphraseRecipient = (passphrase: string): Recipient => ({
  wrapFileKey: async (fileKey) => {
    const salt = randomBytes(saltBytes);
    const sealing = createCipheriv(cipher, await deriveKey(passphrase, salt), nonce, { authTagLength: tagBytes });
    const sealed = Buffer.concat([sealing.update(fileKey), sealing.final(), sealing.getAuthTag()]);
    const { Stanza } = await import('age-encryption');
    return [new Stanza(['scrypt', base64(salt), String(workFactor)], sealed)];
  },
});

/** Opens only files with the work factor of this format: a larger one would cost any amount of memory. */
export const passphraseIdentity = (passphrase: string): Identity => ({
  unwrapFileKey: async (stanzas) => {
    const [stanza] = stanzas;
    if (stanza?.args[0] !== 'scrypt') return null;
    const [, saltText = '', factor] = stanza.args;
    const salt = Buffer.from(saltText, 'base64');
    const isOurs = stanzas.length === 1 && factor === String(workFactor) && salt.length === saltBytes;
    if (!isOurs || stanza.body.length !== fileKeyBytes + tagBytes) throw new Error('malformed scrypt stanza');
    const opening = createDecipheriv(cipher, await deriveKey(passphrase, salt), nonce, { authTagLength: tagBytes });
    opening.setAuthTag(stanza.body.subarray(fileKeyBytes));
    try {
      return Buffer.concat([opening.update(stanza.body.subarray(0, fileKeyBytes)), opening.final()]);
    } catch {
      return null;
    }
  },
});

function deriveKey(passphrase: string, salt: Uint8Array): Promise<Buffer> {
  const cost = 2 ** workFactor;
  const options = { N: cost, r: 8, p: 1, maxmem: 2 * 128 * 8 * cost };
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFC'), Buffer.concat([Buffer.from(label), salt]), 32, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replace(/=+$/, '');
