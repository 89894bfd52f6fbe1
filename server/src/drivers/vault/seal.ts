import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;
const headerBytes = 5;

/** First byte of a sealed value: the kind of key that sealed it. */
export const layouts = { interim: 1, envelope: 2 } as const;

/**
 * Owner of a ciphertext. It is authenticated with it, so a value that was moved to another row, column or Workspace
 * does not open.
 */
export type SealContext = { table: string; row: string; column: string; workspaceId: string };

/** Facts about a sealed value that can be read without a key. */
type SealHead = { layout: number; keyVersion: number };

/** Reads the head of a sealed value. Throws when it is too short or has an unknown layout. */
export function headOf(sealed: Uint8Array): SealHead {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const layout = bytes[0];
  if (bytes.length < headerBytes + nonceBytes + tagBytes || !isLayout(layout))
    throw new Error('The sealed value has an unknown layout.');
  return { layout, keyVersion: bytes.readUInt32BE(1) };
}

const isLayout = (value: number | undefined): value is number =>
  value === layouts.interim || value === layouts.envelope;

function aadOf({ table, row, column, workspaceId }: SealContext, { layout, keyVersion }: SealHead): Buffer {
  const bound = [table, row, column, workspaceId, keyVersion];
  return Buffer.from(JSON.stringify(layout === layouts.interim ? bound : [...bound, layout]));
}

/** AES-256-GCM. Layout: 1 byte layout, 4 bytes key version, 12 bytes nonce, 16 bytes tag, ciphertext. */
export function sealBytes(
  key: Buffer,
  head: SealHead,
  { context, plain }: { context: SealContext; plain: Uint8Array },
): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt8(head.layout, 0);
  header.writeUInt32BE(head.keyVersion, 1);
  return Buffer.concat([header, encrypt(key, plain, aadOf(context, head))]);
}

/** Opens a sealed value. Throws when the bytes were changed or belong to another context. */
export const openBytes = (key: Buffer, { context, sealed }: { context: SealContext; sealed: Buffer }): Buffer =>
  decrypt(key, sealed.subarray(headerBytes), aadOf(context, headOf(sealed)));

/**
 * Returns nonce, tag and ciphertext. The nonce is random: a key of this product seals far fewer than the 2^32 values
 * that this allows (NIST SP 800-38D, 8.3).
 */
export function encrypt(key: Buffer, plain: Uint8Array, aad: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(aad);
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** Decrypts the output of `encrypt`. Throws when it, or its additional data, differs. */
export function decrypt(key: Buffer, sealed: Buffer, aad: Buffer): Buffer {
  if (sealed.length < nonceBytes + tagBytes) throw new Error('The sealed value is cut short.');
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(aad);
  decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
}
