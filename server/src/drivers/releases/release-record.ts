import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from '#server/kernel/digest';
import { parseJson } from '#server/kernel/parse-json';

/** Name of the record beside the packages of a release. */
export const recordName = 'release.json';
/** Longest record in bytes; one with thirty packages takes about 6 KiB. */
export const maxRecordBytes = 262_144;

const releaseFile = z.object({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/),
  sizeBytes: z.int().positive(),
  /** Base64, as in the channel files of electron-builder. */
  sha512: z.base64(),
});
const unsignedRecord = z.object({
  format: z.literal(1),
  version: z.string().regex(/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/),
  /** Number of migrations that this version knows: it cannot open a ledger with more of them. */
  ledger: z.int().positive(),
  publishedAt: z.iso.datetime(),
  /** Page for a person. */
  notesUrl: z.url({ protocol: /^https$/ }),
  files: z.array(releaseFile).max(200),
});
const releaseRecord = unsignedRecord.extend({ signature: z.base64() });

export type ReleaseFile = z.infer<typeof releaseFile>;
export type UnsignedRecord = z.infer<typeof unsignedRecord>;
/** A published release, signed with the Ed25519 key whose public part is in the packages before it. */
export type ReleaseRecord = z.infer<typeof releaseRecord>;

/** The record is damaged, has a wrong signature, or belongs to a format that this version does not know. */
export class ReleaseError extends Error {}

/** The signature covers the RFC 8785 form of all other members. */
const signedBytes = (record: UnsignedRecord): Buffer => Buffer.from(canonicalJson(record));

export const signRecord = (record: UnsignedRecord, privateKey: KeyObject): ReleaseRecord => ({
  ...record,
  signature: sign(null, signedBytes(unsignedRecord.parse(record)), privateKey).toString('base64'),
});

/** Reads a record whose signature is that of `publicKey`, the 32 bytes of an Ed25519 key in base64url. Throws `ReleaseError`. */
export function readRecord(text: string, publicKey: string): ReleaseRecord {
  const parsed = releaseRecord.safeParse(parseJson(text));
  if (!parsed.success)
    throw new ReleaseError('The release record is damaged, or of a format that this version does not know.');
  const { signature, ...unsigned } = parsed.data;
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: publicKey } });
  if (!verify(null, signedBytes(unsigned), key, Buffer.from(signature, 'base64')))
    throw new ReleaseError('The release record is not signed with the key of this product. Nothing of it is used.');
  return parsed.data;
}
