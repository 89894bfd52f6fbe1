import type { CapsulesService } from '#server/domains/capsules/index';
import type { RestoresService, StateToRestore } from '#server/domains/restores/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import { BackupError, type BackupManifest } from '#server/drivers/backup-archive/index';
import { AppError, failedPrecondition, notFound } from '#server/kernel/errors';
import { digestOfFile } from '#server/kernel/file-digest';
import { unpackText } from '#server/kernel/packed';
import type { backupsApi, backupsOperatorApi } from '#shared/backups/api';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import type { Run } from '#shared/runs/contract';
import type { BackupFiles } from './files.ts';
import type { BackupKeys } from './keys.ts';
import { createLeftOut, isPassing, type LeftOutPorts } from './left-out.ts';
import { type ArchivedState, readStates, type WantedStates } from './read-states.ts';
import type { BackupRow, BackupsStore } from './store.ts';

type Deps = LeftOutPorts & {
  store: Pick<BackupsStore, 'findBackup'>;
  keys: Pick<BackupKeys, 'openIdentity'>;
  files: Pick<BackupFiles, 'fileOf'>;
  capsules: Pick<CapsulesService, 'findWorkspace' | 'getRow'>;
  states: Pick<StateVersionsService, 'findCurrentHead'>;
  restores: Pick<RestoresService, 'request'>;
  installationId: () => string;
};
/** Body of the local owner's route, or of the operator's. */
export type RestoreBody = BodyOf<typeof backupsApi.restoreBackup> | BodyOf<typeof backupsOperatorApi.requestRestore>;
type Input = RestoreBody & { workspaceId: string; actorId: string };

/** Returns the function that reads wanted states of a backup. 409 with the reason when its file cannot be used. */
function createArchiveReader({ keys, files, installationId: ownId }: Pick<Deps, 'keys' | 'files' | 'installationId'>) {
  function requireOwn({ installationId, workspaceId, kind }: BackupManifest, backup: BackupRow): void {
    const isOwn = installationId === ownId() && workspaceId === backup.workspaceId;
    if (!isOwn || kind === 'installation') throw notReadable();
  }

  return async function read(backup: BackupRow, wanted: WantedStates) {
    const file = files.fileOf(backup.id);
    const digest = await digestOfFile(file).catch(() => undefined);
    if (digest === undefined) throw notReadable();
    if (digest !== backup.digest) throw digestMismatch();
    try {
      const identity = keys.openIdentity(backup.workspaceId);
      if (identity === undefined) throw notReadable();
      return await readStates({ file, identity, wanted, check: (manifest) => requireOwn(manifest, backup) });
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw notReadable(error);
    }
  };
}

/** Requests of restores from backups. */
export function createBackupRestore(deps: Deps) {
  const { store, capsules } = deps;
  const read = createArchiveReader(deps);
  const listLeftOut = createLeftOut(deps);

  function findBackup({ workspaceId, backupId, capsuleId, stateGeneration, expectedBackupDigest }: Input): BackupRow {
    const backup = store.findBackup(backupId);
    if (!backup || backup.workspaceId !== workspaceId) throw notFound('backup');
    if (capsuleId !== undefined && capsules.findWorkspace(capsuleId) !== workspaceId) throw notFound('Capsule');
    if (expectedBackupDigest !== undefined && expectedBackupDigest !== backup.digest) throw digestMismatch();
    if (capsuleId !== undefined && backup.capsuleId !== null && capsuleId !== backup.capsuleId) throw hasNoState();
    if (stateGeneration !== undefined && capsuleId === undefined && backup.capsuleId === null)
      throw new AppError('invalid_request', 'Name the Capsule of `stateGeneration` in `capsuleId`.', {
        details: { field: '/stateGeneration' },
      });
    return backup;
  }

  /** A state of terraform in a Capsule of tofu is converted: a plan of another tool would be refused. */
  function toRestore({ packed, id, generation, toolName, ...state }: ArchivedState): StateToRestore {
    const isConverted = toolName === 'terraform' && deps.states.findCurrentHead(state.capsuleId)?.toolName === 'tofu';
    const { sourceSnapshotId, shownOutputs, capsuleId, partial } = state;
    return {
      capsuleId,
      partial,
      text: unpackText(packed),
      sourceGeneration: generation,
      sourceStateVersionId: id,
      ...(sourceSnapshotId !== undefined && { sourceSnapshotId }),
      ...(shownOutputs && { shownOutputs }),
      ...(isConverted ? { toolName: 'tofu' as const, convertedFrom: toolName } : { toolName }),
    };
  }

  function* lazily(states: readonly ArchivedState[]): Generator<StateToRestore> {
    for (const state of states) yield toRestore(state);
  }

  /**
   * Reads the states of a backup, and returns the function that creates the restore Run in the caller's transaction. 404
   * for an unknown backup, 409 with the reason when the backup or a state of it cannot be used.
   */
  return async function request(input: Input): Promise<() => Run> {
    const {
      workspaceId,
      actorId,
      backupId: _id,
      capsuleId,
      stateGeneration,
      expectedBackupDigest: _d,
      ...rest
    } = input;
    nothingLeft(rest);
    const backup = findBackup(input);
    const named = capsuleId ?? backup.capsuleId ?? undefined;
    const archive = await read(backup, { capsuleId: named, generation: stateGeneration });
    const leftOut = named === undefined ? listLeftOut(archive, workspaceId) : [];
    const restorable = archive.states.filter((state) => leftOut.every((left) => left.capsuleId !== state.capsuleId));
    if (restorable.length === 0) throw leftOut.some(isPassing) ? nothingNow() : hasNoState();
    const { id, createdAt } = backup;
    return deps.restores.request({
      workspaceId,
      actorId,
      backup: { id, createdAt },
      states: lazily(restorable),
      leftOut,
    });
  };
}

const nothingNow = () =>
  failedPrecondition(
    'backup_has_no_state',
    'All Capsules of the backup are held, disabled or busy with an apply. Release or enable one, or wait, then try again.',
  );
const digestMismatch = () =>
  failedPrecondition(
    'backup_digest_mismatch',
    'The backup does not have the expected digest: it is another one, or its file was changed. List the backups again.',
  );
const hasNoState = () =>
  failedPrecondition(
    'backup_has_no_state',
    'The backup has no state of this Capsule or generation that can be restored. Name another one.',
  );
const notReadable = (cause?: unknown) =>
  failedPrecondition(
    'backup_not_readable',
    cause instanceof BackupError
      ? cause.message
      : 'The archive of this backup is not in the data folder, or its key was deleted. Put a copy of the archive back there under the same name, or use another backup.',
  );
