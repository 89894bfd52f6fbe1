import { z } from 'zod';
import { Count, Timestamp } from '../kernel/scalars.ts';

/** Storage of the key that seals the data keys. */
export const keySources = ['keychain', 'file', 'passphrase'] as const;
export const KeySourceName = z.enum(keySources);
export type KeySourceName = z.infer<typeof KeySourceName>;

/** Reason why a vault is sealed; `details.reason` of a 503 `vault_sealed`. */
export const sealReasons = [
  /** The key file or the keychain entry is missing. */
  'key_missing',
  /** A key exists, but it is not the one that this ledger was sealed with. */
  'key_wrong',
  /** The key file is open to others, damaged, or cannot be read or written. */
  'key_file_refused',
  'keychain_locked',
  'keychain_unavailable',
  'passphrase_required',
  'passphrase_wrong',
] as const;
export type SealReason = (typeof sealReasons)[number];

/** Job that re-encrypts every sealed value: after an update from the interim key, or for a new key version. */
export const keyJobKinds = ['retrofit', 'rotation'] as const;
export const KeyJob = z.strictObject({
  kind: z.enum(keyJobKinds),
  startedAt: Timestamp,
  /** Absent while it runs; it continues automatically after a restart. */
  finishedAt: Timestamp.optional(),
  resealed: Count,
  /** Number of values that no key opens; while there are any, old keys are kept. */
  unreadable: Count,
});
export type KeyJob = z.infer<typeof KeyJob>;

/** State of the vault, without any value. */
export const VaultStatus = z.strictObject({
  sealed: z.boolean(),
  reason: z.enum(sealReasons).optional(),
  /** A sentence that says why it is sealed, and the remedy. */
  message: z.string().optional(),
  /** Absent until the first key is created. */
  keySource: KeySourceName.optional(),
  /** Path of the key file, or name of the keychain entry. */
  place: z.string().optional(),
  keyId: z.string().optional(),
  keyMadeAt: Timestamp.optional(),
  /** True when the keychain was requested at the first start and was not available. */
  keychainMissed: z.enum(sealReasons).optional(),
  /** Old versions of data keys that plans, Runs or values still need. */
  oldKeys: Count,
  job: KeyJob.optional(),
});
export type VaultStatus = z.infer<typeof VaultStatus>;

/**
 * `none`: no kit was made. `made`: the newest kit holds the key in use. `outdated`: the key was changed after it.
 * `dismissed`: the owner does not want one.
 */
export const recoveryKitStates = ['none', 'made', 'outdated', 'dismissed'] as const;
export const RecoveryKitStatus = z.strictObject({
  state: z.enum(recoveryKitStates),
  /** Time of the newest kit. */
  createdAt: Timestamp.optional(),
  /** The key that the newest kit holds. */
  keyId: z.string().optional(),
});
export type RecoveryKitStatus = z.infer<typeof RecoveryKitStatus>;
