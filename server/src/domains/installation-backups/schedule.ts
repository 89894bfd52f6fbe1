import fs from 'node:fs';
import path from 'node:path';
import { copyFailureOf, nextDue, retryAfterMs, type TargetStore } from '#server/domains/backup-schedules/index';
import { writeWholeFile } from '#server/drivers/backup-archive/index';
import type { Clock } from '#server/kernel/clock';
import { type Db, isLedgerFault } from '#server/kernel/db';
import { createDeadline } from '#server/kernel/deadline';
import { AppError } from '#server/kernel/errors';
import { findFact, findInstallationId, writeFact } from '#server/kernel/installation';
import { faultFields, type Log } from '#server/kernel/log';
import type { InstallationBackupSettings } from '#server/kernel/settings';
import type { WorkGate } from '#server/kernel/work-gate';
import type { InstallationBackupState } from '#shared/backup-schedules/installation-state';
import type { InstallationBackups } from './service.ts';

export type InstallationBackupPorts = {
  db: Db;
  clock: Clock;
  log: Log;
  unattendedGate: WorkGate;
  dataDir: string;
  /** Absent when the installation is not backed up every day. */
  settings: Omit<InstallationBackupSettings, 'target'> | undefined;
  openTarget: () => TargetStore;
  backups: Pick<InstallationBackups, 'create' | 'isBusy'>;
};
type Job = InstallationBackupPorts & { settings: NonNullable<InstallationBackupPorts['settings']> };
export type InstallationBackupScheduler = ReturnType<typeof createInstallationBackupScheduler>;

/** File of the data folder that holds a backup until it is at its target. */
const waitingFile = 'scheduled-backup.age';

/** Backs up the whole installation every day. Several missed days make one backup. */
export function createInstallationBackupScheduler(ports: InstallationBackupPorts) {
  const { db, clock, log, unattendedGate, dataDir, settings, backups } = ports;
  const stopping = new AbortController();
  const read = () => findFact<InstallationBackupState>(db, 'backup_schedule') ?? {};
  const write = (state: InstallationBackupState) => db.write(() => writeFact(db, 'backup_schedule', state));

  function fail(state: InstallationBackupState, { hour }: Job['settings'], error: unknown): void {
    const now = clock.now();
    const { attempts = 0 } = state;
    const failed = { at: now, message: copyFailureOf(error) };
    log.warn(faultFields(error), 'the scheduled backup of the installation failed');
    write({
      ...state,
      failed,
      attempts: attempts + 1,
      retryAt: Math.min(now + retryAfterMs(attempts), nextDue(hour, now)),
    });
  }

  async function handlePast(): Promise<void> {
    const state = read();
    if (!settings || (state.retryAt ?? state.dueAt ?? 0) > clock.now()) return;
    if (backups.isBusy()) {
      // A backup that the operator has requested is in progress, which is no failure.
      write({ ...state, retryAt: clock.now() + retryAfterMs(0) });
      return;
    }
    try {
      const stored = await backUp({ ...ports, settings }, stopping.signal);
      write({ dueAt: nextDue(settings.hour, clock.now()), stored });
    } catch (error) {
      // A stop of the server leaves the backup to its next start.
      if (stopping.signal.aborted) return;
      if (isLedgerFault(error)) throw error;
      fail(state, settings, error);
    }
  }

  const deadline = createDeadline({
    clock,
    log,
    gate: unattendedGate,
    findNext: () => (settings ? (read().retryAt ?? read().dueAt) : undefined),
    handlePast,
    failure: 'the backup of the installation could not be scheduled',
  });
  return {
    /** State for the operator; undefined without a schedule. */
    find: (): InstallationBackupState | undefined => (settings ? read() : undefined),

    start(): void {
      for (const name of [waitingFile, `${waitingFile}.partial`]) fs.rmSync(path.join(dataDir, name), { force: true });
      const { dueAt, retryAt, stored } = read();
      if (!settings) {
        // A failure is over when the operator ends the schedule.
        if (dueAt !== undefined) write({ ...(stored && { stored }) });
        return;
      }
      // A changed hour is used at once; a backup that is due stays due.
      const next = nextDue(settings.hour, clock.now());
      const isDue = dueAt !== undefined && (dueAt <= clock.now() || retryAt !== undefined);
      if (!isDue && dueAt !== next) write({ ...read(), dueAt: next });
      deadline.start();
    },
    async stop(): Promise<void> {
      stopping.abort();
      await deadline.stop();
    },
  };
}

const stampOf = (ms: number): string => new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '');

/** Makes one backup, copies it to its target, reads it back, and deletes those beyond the number to keep. */
async function backUp(job: Job, signal: AbortSignal): Promise<NonNullable<InstallationBackupState['stored']>> {
  const { db, clock, log, dataDir, settings, openTarget, backups } = job;
  const target = openTarget();
  const start = `groundctl-${findInstallationId(db) ?? ''}-`;
  const name = `${start}${stampOf(clock.now())}.age`;
  const file = path.join(dataDir, waitingFile);
  try {
    const body = { encryptFor: { recipients: settings.recipients } };
    const written = await writeWholeFile(file, () => backups.create(body, { actorId: 'system', signal }));
    await copyTo(target, { name, file, ...written }, signal);
    await prune(target, { start, keep: settings.keep }, signal).catch((error) =>
      log.warn(faultFields(error), 'old backups of the installation could not be deleted'),
    );
    return { at: clock.now(), location: target.location(name), ...written };
  } finally {
    fs.rmSync(file, { force: true });
  }
}

type Copy = { name: string; file: string; digest: string; sizeBytes: number };

async function copyTo(target: TargetStore, { name, file, digest, sizeBytes }: Copy, signal: AbortSignal) {
  let uploadId: string | undefined;
  const onUpload = (id: string) => {
    uploadId = id;
  };
  try {
    await target.put(name, { file, uploadId: null, onUpload, signal });
  } catch (error) {
    // The next attempt sends another backup, so these parts would stay for ever.
    if (uploadId !== undefined) await target.abort(name, uploadId).catch(() => {});
    throw error;
  }
  const copy = await target.read(name, signal);
  if (copy?.digest === digest && copy.sizeBytes === sizeBytes) return;
  await target.delete(name, signal);
  throw new AppError('feature_unavailable', 'The copy at the target differs from the backup, so it was deleted.');
}

type PruneOptions = { start: string; keep: number };

/** Deletes the oldest backups of this installation, by the times in their names, and files that killed copies left. */
async function prune(target: TargetStore, { start, keep }: PruneOptions, signal: AbortSignal): Promise<void> {
  const names = (await target.list(start, signal)).filter((name) =>
    /^\d{8}T\d{6}Z\.age(\.partial)?$/.test(name.slice(start.length)),
  );
  const isPartial = (name: string) => name.endsWith('.partial');
  const old = names
    .filter((name) => !isPartial(name))
    .toSorted()
    .toReversed()
    .slice(keep);
  for (const name of [...names.filter(isPartial), ...old]) await target.delete(name, signal);
}
