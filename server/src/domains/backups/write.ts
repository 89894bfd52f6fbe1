import type { RunRecord } from '#server/domains/runs/index';
import { writeBackupArchive } from '#server/drivers/backup-archive/index';
import type { Vault } from '#server/drivers/vault/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import { isDiskFault } from '#server/kernel/disk';
import { failpoint } from '#server/kernel/failpoints';
import { newId } from '#server/kernel/ids';
import { faultFields, type Log } from '#server/kernel/log';
import { untilAborted } from '#server/kernel/until-aborted';
import { createOpenState, listMembers, readLedgerSequence } from './cut-store.ts';
import type { BackupFiles } from './files.ts';
import type { BackupKeys } from './keys.ts';
import type { BackupRow } from './store.ts';

export type WritingPorts = {
  clock: Clock;
  log: Log;
  vault: Vault;
  keys: BackupKeys;
  files: Pick<BackupFiles, 'newCopy' | 'fileOf'>;
  installationId: () => string;
  /** Copies the ledger into a new file. Throws an error with a sentence for a person. */
  copyLedger: (target: string) => Promise<void>;
};
export type Written = Pick<BackupRow, 'id' | 'digest' | 'sizeBytes'>;

/** A rotation of keys between copy and reading makes a copy unreadable; the next one is sealed with the new keys. */
const attempts = 3;

/** Returns the function that writes the archive of a backup Run. It throws soon after the signal of a stop. */
export function createWriting({ clock, log, vault, keys, files, installationId, copyLedger }: WritingPorts) {
  const openState = createOpenState(vault);

  async function write(run: RunRecord, signal: AbortSignal): Promise<Written> {
    const id = newId('backupRecord');
    const { workspaceId } = run;
    const capsuleId = run.capsuleId ?? undefined;
    const recipient = await keys.ensureRecipient(workspaceId);
    const copy = files.newCopy();
    await untilAborted(copyLedger(copy), signal);
    failpoint('backup.copied');
    const written = await writeBackupArchive({
      file: files.fileOf(id),
      manifest: {
        kind: capsuleId === undefined ? 'workspace' : 'capsule',
        installationId: installationId(),
        workspaceId,
        ...(capsuleId !== undefined && { capsuleId }),
        ledgerSequence: readLedgerSequence(copy),
        createdAt: isoTime(clock.now()),
      },
      members: listMembers({ copy, scope: { workspaceId, capsuleId }, openState, signal }),
      encryptFor: { recipients: [recipient] },
    });
    return { id, ...written };
  }

  async function writeWithRetry(run: RunRecord, signal: AbortSignal, left: number): Promise<Written> {
    try {
      return await write(run, signal);
    } catch (error) {
      if (left <= 1 || signal.aborted || isDiskFault(error)) throw error;
      log.warn({ runId: run.id, ...faultFields(error) }, 'a backup is made again');
      return writeWithRetry(run, signal, left - 1);
    }
  }

  return (run: RunRecord, signal: AbortSignal): Promise<Written> => writeWithRetry(run, signal, attempts);
}
