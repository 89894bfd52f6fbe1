import type { ActivityService } from '#server/domains/activity/index';
import {
  interimScope,
  type KeyRing,
  KeySourceError,
  type KeySourceKind,
  sealedError,
} from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError } from '#server/kernel/errors';
import type { Log } from '#server/kernel/log';
import type { Secret } from '#server/kernel/secret';
import type { ActivityAction } from '#shared/activity/actions';
import type { KeySourceName, VaultStatus } from '#shared/keys/contract';
import { createErasure } from './erasure.ts';
import { createKeyJobs } from './jobs.ts';
import type { MasterKeyManager } from './master-keys.ts';
import { createRecoveryKits } from './recovery-kits.ts';
import type { KeyUse } from './retire.ts';
import { vaultStatus } from './status.ts';
import type { KeyStep } from './steps.ts';
import type { KeysStore, SealedColumn } from './store.ts';

export type KeysService = ReturnType<typeof createKeysService>;

type Deps = {
  db: Db;
  clock: Clock;
  log: Log;
  store: KeysStore;
  vault: KeyRing;
  masterKeys: MasterKeyManager;
  dataDir: string;
  installationId: string;
  activity: Pick<ActivityService, 'record'>;
  columns: readonly SealedColumn[];
  listUses: () => readonly KeyUse[];
  passed?: (step: KeyStep) => void;
};

/** Values that the keys domain itself seals; other columns come from the domains above. */
const ownColumns: readonly SealedColumn[] = [
  { table: 'installation_secrets', column: 'sealed', id: 'purpose', workspace: null },
];

/** The keys of the vault: opening it, replacing its keys, and erasing what they sealed. */
export function createKeysService(deps: Deps) {
  const { db, log, store, vault, masterKeys, activity, passed = () => {} } = deps;
  const jobs = createKeyJobs({ ...deps, passed, columns: [...ownColumns, ...deps.columns] });
  let opened: () => void = () => {};

  const recordActivity = (actorId: string, action: ActivityAction, metadata = {}) =>
    activity.record({ actorId, action, targetType: 'vault', targetId: 'vault', metadata });

  /** Resumes incomplete changes, once the vault is open. */
  function resume(): void {
    void jobs.run();
    opened();
  }

  return {
    ...createErasure(deps),
    ...createRecoveryKits({ ...deps, recordActivity }),
    status: (): VaultStatus => vaultStatus(deps),
    /** The reason that requests are refused now; undefined while the vault is open. */
    findRefusal: (): AppError | undefined => vault.sealedBy && sealedError(vault.sealedBy),

    /** Runs `work`, which needs an open vault: now, or as soon as it has been unsealed. */
    start(work: () => void): void {
      opened = work;
      if (!vault.sealedBy) resume();
    },
    stop: (): Promise<void> => jobs.stop(),

    /** Tries to open the vault. 401 `invalid_credentials` for a wrong passphrase; returns whether it is still sealed. */
    async unseal(passphrase: Secret | undefined, actorId: string): Promise<boolean> {
      if (!vault.sealedBy) return false;
      await masterKeys.open(passphrase);
      const why: KeySourceError | undefined = vault.sealedBy;
      if (why) {
        log.warn({ reason: why.reason }, `the vault stays sealed: ${why.message}`);
        if (passphrase && /^passphrase_/.test(why.reason)) throw new AppError('invalid_credentials', why.message);
        return true;
      }
      resume();
      db.write(() => recordActivity(actorId, 'vault.unsealed'));
      log.info({}, 'the vault is open');
      return false;
    },

    /**
     * Creates new versions of every data key; sealed values are re-encrypted in the background. 409 `conflict` while a re-encryption is in
     * progress.
     */
    rotate(actorId: string): void {
      db.write(() => {
        if (store.findOpenJob())
          throw new AppError('conflict', 'A re-encryption is already in progress. Try again when it has ended.');
        const scopes = new Set(store.listKeys().map(({ scope }) => scope));
        scopes.delete(interimScope);
        for (const scope of scopes) vault.renew(scope);
        store.insertJob('rotation');
        recordActivity(actorId, 'vault.keys_rotated', { keys: scopes.size });
      });
      passed('renewed');
      void jobs.run();
    },

    /** Creates a new master key in the given location. 409 `conflict` when it cannot be stored there; then nothing has changed. */
    async changeKey(to: KeySourceName, passphrase: Secret | undefined, actorId: string): Promise<void> {
      const from = masterKeys.findActive()?.source;
      try {
        await masterKeys.changeKey(to satisfies KeySourceKind, passphrase);
      } catch (error) {
        if (error instanceof KeySourceError)
          throw new AppError('conflict', error.message, { details: { reason: error.reason } });
        throw error;
      }
      db.write(() => recordActivity(actorId, 'vault.key_changed', { from, to }));
    },

    /** Resolves when the re-encryption has ended; for tests and for commands that wait. */
    settled: (): Promise<void> => jobs.run(),
  };
}
