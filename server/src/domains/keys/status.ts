import type { KeyRing, KeySourceKind } from '#server/drivers/vault/index';
import { isoTime } from '#server/kernel/clock';
import type { KeyJob, KeySourceName, VaultStatus } from '#shared/keys/contract';
import type { MasterKeyManager } from './master-keys.ts';
import type { JobRow, KeysStore } from './store.ts';

type Deps = {
  vault: Pick<KeyRing, 'sealedBy'>;
  masterKeys: Pick<MasterKeyManager, 'findActive' | 'keyLocationOf'>;
  store: Pick<KeysStore, 'findNewestJob' | 'countOldKeys'>;
};

/** Describes the vault: whether it is open, where its key is, and how far a re-encryption has come. */
export function vaultStatus({ vault, masterKeys, store }: Deps): VaultStatus {
  const active = masterKeys.findActive();
  const job = store.findNewestJob();
  const why = vault.sealedBy;
  return {
    sealed: why !== undefined,
    ...(why && { reason: why.reason, message: why.message }),
    ...(active && {
      keySource: sourceNameOf(active.source),
      place: masterKeys.keyLocationOf(active),
      keyId: active.id,
      keyMadeAt: isoTime(active.createdAt),
      ...(active.keychainMissed && { keychainMissed: active.keychainMissed }),
    }),
    oldKeys: store.countOldKeys(),
    ...(job && { job: jobOf(job) }),
  };
}

const sourceNameOf = (source: KeySourceKind): KeySourceName => (source === 'memory' ? 'file' : source);

const jobOf = ({ kind, startedAt, finishedAt, resealed, unreadable }: JobRow): KeyJob => ({
  kind,
  startedAt: isoTime(startedAt),
  ...(finishedAt !== null && { finishedAt: isoTime(finishedAt) }),
  resealed,
  unreadable,
});
