import { z } from 'zod';
import { Count, Timestamp } from '../kernel/scalars.ts';

/** Where the key that seals the data keys may be kept. */
export const keySources = ['keychain', 'file', 'passphrase'] as const;
export const KeySourceName = z.enum(keySources);
export type KeySourceName = z.infer<typeof KeySourceName>;

/** Why a vault is sealed; `details.reason` of a 503 `vault_sealed`. */
export const sealReasons = [
  /** The key file is not there, or the entry of the keychain is gone. */
  'key_missing',
  /** A key is there, and it is not the one this ledger was sealed with. */
  'key_wrong',
  /** The key file is open to others, damaged, or cannot be read or written. */
  'key_file_refused',
  'keychain_locked',
  'keychain_unavailable',
  'passphrase_required',
  'passphrase_wrong',
] as const;
export type SealReason = (typeof sealReasons)[number];

/** What re-seals everything that is sealed: after an update from the interim key, or for a new version of the keys. */
export const keyJobKinds = ['retrofit', 'rotation'] as const;
export const KeyJob = z.strictObject({
  kind: z.enum(keyJobKinds),
  startedAt: Timestamp,
  /** Absent while it runs; it goes on by itself after a restart. */
  finishedAt: Timestamp.optional(),
  resealed: Count,
  /** Values that open with no key; while there are any, old keys are kept. */
  unreadable: Count,
});
export type KeyJob = z.infer<typeof KeyJob>;

/** The vault without any value. */
export const VaultStatus = z.strictObject({
  sealed: z.boolean(),
  reason: z.enum(sealReasons).optional(),
  /** A sentence that says why it is sealed and what to do. */
  message: z.string().optional(),
  /** Absent until a first key was made. */
  keySource: KeySourceName.optional(),
  /** Path of the key file, or the name of the keychain's entry. */
  place: z.string().optional(),
  keyId: z.string().optional(),
  keyMadeAt: Timestamp.optional(),
  /** The keychain was wanted at the first start and could not be had. */
  keychainMissed: z.enum(sealReasons).optional(),
  /** Old versions of data keys that are kept for plans, Runs or values that still need them. */
  oldKeys: Count,
  job: KeyJob.optional(),
});
export type VaultStatus = z.infer<typeof VaultStatus>;
