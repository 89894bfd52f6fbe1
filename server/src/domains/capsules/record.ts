import type { RunsService } from '#server/domains/runs/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import { jsonDigest } from '#server/kernel/digest';
import type { Capsule } from '#shared/capsules/contract';
import type { DriftMark } from '#shared/drift/mark';
import { isPlanType } from '#shared/runs/contract';
import { findHold } from './hold.ts';
import type { CapsuleRow } from './store.ts';

const guardContract = 'svc.capsule-authority-guard/v1';

export type CapsuleRecordPorts = {
  clock: Clock;
  runs: RunsService;
  /** Digest of an InstallConfig; passed in because that domain is in a higher layer. */
  configDigest: (installConfigId: string) => string;
  /** Digest of the proof that only an action after the latest apply failed; null without one. Passed in for the same reason. */
  recoveryDigest: (capsule: CapsuleRow) => string | null;
  /** Result of the newest drift check; passed in for the same reason. */
  findDrift: (capsuleId: string) => DriftMark | undefined;
};

/** Schedule of a Capsule that has that of its Workspace. */
export const inherited = 'inherit';
export const driftScheduleOf = ({ driftSchedule }: Pick<CapsuleRow, 'driftSchedule'>): string =>
  driftSchedule ?? inherited;

export type CapsuleRecords = ReturnType<typeof createCapsuleRecords>;

/** The public form of a row: the record and the guard of its authority. */
export function createCapsuleRecords({ clock, runs, configDigest, recoveryDigest, findDrift }: CapsuleRecordPorts) {
  /** Opaque to the caller: the state that a change of authority expects. */
  function guardOf(row: CapsuleRow): string {
    return jsonDigest([
      guardContract,
      row.workspaceId,
      row.id,
      row.installConfigId,
      configDigest(row.installConfigId),
      row.status,
      row.currentStateGeneration,
      row.currentStateVersionId,
      row.executionAuthorityEpoch,
      recoveryDigest(row),
    ]);
  }

  function latestRunOf(row: CapsuleRow): Capsule['latestRun'] {
    const newest = runs.store.findNewestOfCapsule(row.id);
    if (!newest) return undefined;
    const run = runs.getRun(newest.id);
    return {
      id: run.id,
      type: run.type,
      status: run.status,
      createdAt: run.createdAt,
      ...(run.finishedAt && { finishedAt: run.finishedAt }),
      ...(run.summary && isPlanType(run.type) && { summary: run.summary }),
      ...(run.errorCode && { errorCode: run.errorCode }),
      ...(run.awaits && { awaits: run.awaits }),
    };
  }

  function capsuleOf(row: CapsuleRow): Capsule {
    const { createdAt, updatedAt, disabledFrom: _from, holdReason, holdUntil, heldBy, heldAt, ...columns } = row;
    const present = Object.fromEntries(
      Object.entries(columns).filter(([, value]) => value !== null),
    ) as unknown as Capsule;
    const latestRun = latestRunOf(row);
    return {
      ...present,
      hold: findHold({ holdReason, holdUntil, heldBy, heldAt }, clock.now()) ?? null,
      runnerPoolId: row.runnerPoolId,
      driftSchedule: driftScheduleOf(row),
      drift: findDrift(row.id) ?? null,
      ...(latestRun && { latestRun }),
      createdAt: isoTime(createdAt),
      updatedAt: isoTime(updatedAt),
    };
  }

  return { guardOf, capsuleOf };
}
