import { decrypt, encrypt, nonceBytes, tagBytes } from '#server/kernel/aes-gcm';

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
