import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;
const headerBytes = 5;
const layout = 1;

/** What a ciphertext belongs to. It is authenticated with it, so that a value moved to another row, column or Workspace does not open. */
export type SealContext = { table: string; row: string; column: string; workspaceId: string };

const aadOf = ({ table, row, column, workspaceId }: SealContext, keyVersion: number): Buffer =>
  Buffer.from(JSON.stringify([table, row, column, workspaceId, keyVersion]));

/** AES-256-GCM. Layout: 1 byte format, 4 bytes key version, 12 bytes nonce, 16 bytes tag, ciphertext. */
export function sealBytes(
  key: Buffer,
  keyVersion: number,
  { context, plain }: { context: SealContext; plain: Uint8Array },
): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(aadOf(context, keyVersion));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  const header = Buffer.alloc(headerBytes);
  header.writeUInt8(layout, 0);
  header.writeUInt32BE(keyVersion, 1);
  return Buffer.concat([header, nonce, cipher.getAuthTag(), body]);
}

/** The key version a ciphertext was made with. */
export const keyVersionOf = (sealed: Buffer): number => sealed.readUInt32BE(1);

/** Throws when the bytes were changed or belong elsewhere. */
export function openBytes(key: Buffer, { context, sealed }: { context: SealContext; sealed: Buffer }): Buffer {
  if (sealed.length < headerBytes + nonceBytes + tagBytes || sealed.readUInt8(0) !== layout)
    throw new Error('The sealed value has an unknown layout.');
  const nonce = sealed.subarray(headerBytes, headerBytes + nonceBytes);
  const tag = sealed.subarray(headerBytes + nonceBytes, headerBytes + nonceBytes + tagBytes);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(aadOf(context, keyVersionOf(sealed)));
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed.subarray(headerBytes + nonceBytes + tagBytes)), decipher.final()]);
}
