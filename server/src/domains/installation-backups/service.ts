import type { ActivityService } from '#server/domains/activity/index';
import type { GcHold } from '#server/domains/gc/index';
import type { MasterKeyManager } from '#server/domains/keys/index';
import { BackupError } from '#server/drivers/backup-archive/index';
import { KeySourceError } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { isDiskFault } from '#server/kernel/disk';
import { AppError } from '#server/kernel/errors';
import { findInstallationId } from '#server/kernel/installation';
import { faultFields, type Log } from '#server/kernel/log';
import type { installationBackupsApi } from '#shared/installation-backups/api';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';

import { removeBackupWork, streamInstallationBackup } from './backup-stream.ts';

type CreateInstallationBackup = BodyOf<typeof installationBackupsApi.createInstallationBackup>;
type Body = { encryptFor: CreateInstallationBackup['encryptFor']; includeProviders: boolean };
type Deps = {
  db: Db;
  clock: Clock;
  log: Log;
  dataDir: string;
  keepDays: number;
  masterKeys: Pick<MasterKeyManager, 'exportKeys'>;
  gcHold: Pick<GcHold, 'hold'>;
  activity: Pick<ActivityService, 'record'>;
};

/** Cause of a backup: a request of the operator, or the schedule. */
type Actor = 'operator' | 'system';
type Origin = { actorId: Actor; signal?: AbortSignal };

export type InstallationBackups = ReturnType<typeof createInstallationBackups>;

/** Backs up the whole installation while the server runs, one backup at a time. */
export function createInstallationBackups(deps: Deps) {
  const { db, clock, log, dataDir, keepDays, masterKeys, gcHold, activity } = deps;
  let isBusy = false;

  const record = (action: 'backup.started' | 'backup.created' | 'backup.failed', body: Body, actorId: Actor): void =>
    db.write(() =>
      activity.record({
        actorId,
        action,
        targetType: 'installation',
        targetId: findInstallationId(db) ?? '',
        metadata: metadataOf(body),
      }),
    );

  /** Yields all chunks, and ends the hold after the last one or when the reader stops. The history names the outcome. */
  async function* held(body: Body, { actorId, signal }: Origin) {
    const release = gcHold.hold();
    let isWhole = false;
    try {
      const now = clock.now();
      const exportKeys = masterKeys.exportKeys;
      yield* streamInstallationBackup({ ...body, dataDir, keepDays, now, exportKeys, signal });
      isWhole = true;
      log.info({ ms: clock.now() - now }, 'the installation was backed up');
    } catch (error) {
      log.warn(faultFields(error), 'a backup of the installation failed');
      throw asAppError(error);
    } finally {
      release();
      isBusy = false;
      if (isWhole) record('backup.created', body, actorId);
      else recordFailure(body, actorId);
    }
  }

  /** Records a backup that failed or was ended. A ledger that cannot be written must not hide the cause. */
  function recordFailure(body: Body, actorId: Actor): void {
    try {
      record('backup.failed', body, actorId);
    } catch (fault) {
      log.error(faultFields(fault), 'the end of a backup could not be recorded');
    }
  }

  return {
    /** Removes what a killed server left; called before anything is served. */
    clean: (): void => removeBackupWork(dataDir),
    isBusy: (): boolean => isBusy,

    /**
     * Starts a backup and returns its bytes, when the first of them is there: most errors occur before it. 409
     * `conflict` while another backup is in progress, and when it cannot be made. The caller must read or end the bytes.
     */
    async create(
      body: CreateInstallationBackup,
      origin: Origin = { actorId: 'operator' },
    ): Promise<AsyncIterable<Uint8Array>> {
      const { encryptFor, includeProviders = false, ...rest } = body;
      nothingLeft(rest);
      if (isBusy)
        throw new AppError('conflict', 'A backup of the installation is in progress. Try again when it has ended.');
      isBusy = true;
      try {
        record('backup.started', { encryptFor, includeProviders }, origin.actorId);
      } catch (error) {
        isBusy = false;
        throw error;
      }
      const chunks = held({ encryptFor, includeProviders }, origin);
      const first = await chunks.next();
      return followedBy(first, chunks);
    },
  };
}

const metadataOf = ({ encryptFor, includeProviders }: Body) => ({
  kind: 'installation',
  encryptedFor: 'passphrase' in encryptFor ? 'passphrase' : `${encryptFor.recipients.length} recipients`,
  includeProviders,
});

/** Returns a generator that also ends the rest when it is ended before its first chunk. */
function followedBy(first: IteratorResult<Uint8Array, void>, rest: AsyncGenerator<Uint8Array, void, void>) {
  let pending: IteratorResult<Uint8Array, void> | undefined = first;
  return {
    [Symbol.asyncIterator]: () => ({
      async next(): Promise<IteratorResult<Uint8Array, void>> {
        const next = pending ?? (await rest.next());
        pending = undefined;
        return next;
      },
      return: () => rest.return(),
    }),
  };
}

function asAppError(error: unknown): unknown {
  if (error instanceof BackupError || error instanceof KeySourceError) return new AppError('conflict', error.message);
  if (!isDiskFault(error)) return error;
  const message =
    'The disk is full or failing. A backup needs free space of twice the size of the ledger in the data folder. Free some, then try again.';
  return new AppError('feature_unavailable', message);
}
