import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

export const nonceBytes = 12;
export const tagBytes = 16;

/**
 * AES-256-GCM. Returns nonce, tag and ciphertext. The nonce is random: a key of this product seals far fewer than the
 * 2^32 values that this allows (NIST SP 800-38D, 8.3).
 */
export function encrypt(key: Uint8Array, plain: Uint8Array, aad: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(aad);
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** Decrypts the output of `encrypt`. Throws when it, or its additional data, differs. */
export function decrypt(key: Uint8Array, sealed: Uint8Array, aad: Uint8Array): Buffer {
  if (sealed.length < nonceBytes + tagBytes) throw new Error('The sealed value is cut short.');
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(aad);
  decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
}
