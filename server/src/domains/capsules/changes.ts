import { isDeepStrictEqual } from 'node:util';
import { failedPrecondition, invalidArgument } from '#server/kernel/errors';
import type { capsulesApi } from '#shared/capsules/api';
import type { CapsuleEvent } from '#shared/capsules/machine';
import type { BodyOf } from '#shared/kernel/endpoint';
import { driftScheduleOf, inherited } from './record.ts';
import type { CapsuleRow } from './store.ts';
import { requireWritablePaths, type WritablePathsPorts } from './writable-paths.ts';

export type CapsulePatch = BodyOf<typeof capsulesApi.updateCapsule>;

/** Validates the change that a Capsule accepts now. Throws 400 `empty_patch`, or 409 with the reason. */
export function requireChange(row: CapsuleRow, patch: CapsulePatch): void {
  if (Object.values(patch).every((member) => member === undefined))
    throw invalidArgument('empty_patch', 'Name at least one field to change.');
  if (row.status === 'destroyed')
    throw failedPrecondition('capsule_destroyed', 'This Capsule is destroyed. Install the module again.');
  if (row.status === 'disabled')
    throw failedPrecondition('capsule_disabled', 'This Capsule is disabled. Ask the operator to enable it.');
  const neverApplied = row.currentStateVersionId === null;
  if (patch.status !== undefined && (row.status === 'pending' || (patch.status === 'active' && neverApplied)))
    throw failedPrecondition(
      'capsule_never_applied',
      'This Capsule was never applied, so there is no status to correct. Plan and apply it.',
    );
  if (patch.status === 'active' && row.runtimeSafety === 'unknown')
    throw failedPrecondition(
      'capsule_runtime_unsafe',
      'The last apply ended without a known result. Inspect it and apply again instead.',
    );
}

export type ChangeableColumns = Pick<
  CapsuleRow,
  'autoUpdate' | 'writablePaths' | 'note' | 'driftSchedule' | 'runnerPoolId' | 'labels'
>;

/** The columns beside the status that a change sets; only those that differ. 400 `writable_path_refused`. */
export function columnsOf(
  row: CapsuleRow,
  { autoUpdate, writablePaths: paths, note, driftSchedule, runnerPoolId, labels }: Omit<CapsulePatch, 'status'>,
  ports: WritablePathsPorts,
): Partial<ChangeableColumns> {
  const writablePaths = paths && requireWritablePaths(paths, ports);
  const hasNewPaths = writablePaths && !isDeepStrictEqual(writablePaths, row.writablePaths ?? []);
  return {
    ...(autoUpdate !== undefined && autoUpdate !== (row.autoUpdate ?? false) && { autoUpdate }),
    ...(hasNewPaths && { writablePaths: writablePaths.length > 0 ? writablePaths : null }),
    ...labelsOf(row, labels),
    ...(note !== undefined && note !== (row.note ?? '') && { note: note === '' ? null : note }),
    ...(runnerPoolId !== undefined && runnerPoolId !== row.runnerPoolId && { runnerPoolId }),
    ...(driftSchedule !== undefined &&
      driftSchedule !== driftScheduleOf(row) && { driftSchedule: driftSchedule === inherited ? null : driftSchedule }),
  };
}

/** Labels are stored sorted and without repeats. */
function labelsOf(row: CapsuleRow, labels: CapsulePatch['labels']): Partial<Pick<CapsuleRow, 'labels'>> {
  const sorted = labels && [...new Set(labels)].sort();
  if (!sorted || isDeepStrictEqual(sorted, row.labels ?? [])) return {};
  return { labels: sorted.length > 0 ? sorted : null };
}

type Changing = Pick<CapsuleRow, 'status'> & ChangeableColumns;

/** The activity entries of a change. The paths and the note are values, so only the number of paths is recorded. */
export function entriesOf(before: Changing, after: Changing) {
  const isSwitched = (before.autoUpdate ?? false) !== (after.autoUpdate ?? false);
  return [
    ...(before.status !== after.status
      ? [{ action: 'capsule.status_changed' as const, metadata: { from: before.status, to: after.status } }]
      : []),
    ...(isSwitched
      ? [{ action: `capsule.auto_update_${after.autoUpdate ? 'enabled' : 'disabled'}` as const, metadata: {} }]
      : []),
    ...(!isDeepStrictEqual(before.writablePaths, after.writablePaths)
      ? [{ action: 'capsule.writable_paths_changed' as const, metadata: { count: after.writablePaths?.length ?? 0 } }]
      : []),
    ...(!isDeepStrictEqual(before.labels, after.labels)
      ? [{ action: 'capsule.labels_changed' as const, metadata: { labels: after.labels ?? [] } }]
      : []),
    ...(before.note !== after.note
      ? [{ action: `capsule.note_${after.note === null ? 'removed' : 'changed'}` as const, metadata: {} }]
      : []),
    ...(before.driftSchedule !== after.driftSchedule
      ? [{ action: 'capsule.drift_schedule_changed' as const, metadata: { schedule: driftScheduleOf(after) } }]
      : []),
    ...(before.runnerPoolId !== after.runnerPoolId
      ? [{ action: 'capsule.runner_pool_changed' as const, metadata: { poolId: after.runnerPoolId } }]
      : []),
  ];
}

/** Returns the status event of disabling or enabling a Capsule. Throws 409 with the reason. */
export function switchOf(
  { status, disabledFrom }: Pick<CapsuleRow, 'status' | 'disabledFrom'>,
  { disabled, isBusy }: { disabled: boolean; isBusy: boolean },
): { event: CapsuleEvent; set: Partial<CapsuleRow> } {
  if (status === 'destroyed')
    throw failedPrecondition('capsule_destroyed', 'This Capsule is destroyed. Install the module again.');
  if (!disabled) return { event: `enable_${disabledFrom ?? 'stale'}`, set: { disabledFrom: null } };
  if (status !== 'active' && status !== 'stale' && status !== 'error')
    throw failedPrecondition(
      'capsule_never_applied',
      'This Capsule was never applied, so it cannot be disabled. Delete it instead.',
    );
  if (isBusy)
    throw failedPrecondition(
      'run_in_progress',
      'A Run of this Capsule is queued or running. Wait for its end or cancel it, then disable the Capsule.',
    );
  return { event: 'disable', set: { disabledFrom: status } };
}
