import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

const signatureBytes = 64;

/** Signs with the Ed25519 key of the server. Returns base64. */
export const signBytes = (signWith: KeyObject, bytes: Uint8Array): string =>
  sign(null, bytes, signWith).toString('base64');

/** Checks a signature with the public key of the server (base64, SPKI). False for a malformed key or signature too. */
export function isSigned(verifyWith: string, bytes: Uint8Array, signature: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(verifyWith, 'base64'), format: 'der', type: 'spki' });
    const signed = Buffer.from(signature, 'base64');
    return key.asymmetricKeyType === 'ed25519' && signed.length === signatureBytes && verify(null, bytes, key, signed);
  } catch {
    return false;
  }
}
