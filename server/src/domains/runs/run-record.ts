import { type ApplyType, isApplyType, isPlanType, type PlanType, type RunType } from '#shared/runs/contract';
import { type CapsuleRunInput, parseInput, type RestoreInput, type SyncInput } from './input.ts';
import type { RunRow } from './schema.ts';

type Of<T extends RunType, Members> = Omit<RunRow, 'type' | 'input' | keyof Members> & { type: T } & Members;

export type PlanRun = Of<PlanType, { capsuleId: string; input: CapsuleRunInput }>;
export type ApplyRun = Of<ApplyType, { capsuleId: string; planRunId: string; input: CapsuleRunInput }>;
export type SyncRun = Of<'source_sync', { sourceId: string; input: SyncInput }>;
export type RestoreRun = Of<'restore', { input: RestoreInput }>;
/**
 * A Run that lacks what Runs of its type need: a plan that was refused when it was created, or a damaged row. It can be
 * read and ended, and nothing executes it.
 */
type IncompleteRun = Of<PlanType | ApplyType | 'source_sync' | 'restore', { input: null }>;
/** A Run whose type needs no input of its own. */
export type OtherRun = Of<Exclude<RunType, PlanType | ApplyType | 'source_sync' | 'restore'>, { input: null }>;

/** A Run that runs the tool on a Capsule. */
export type CapsuleRun = PlanRun | ApplyRun;
export type RunRecord = CapsuleRun | SyncRun | RestoreRun | IncompleteRun | OtherRun;

export const isPlanRun = (run: RunRecord): run is PlanRun => isPlanType(run.type) && run.input !== null;
export const isApplyRun = (run: RunRecord): run is ApplyRun => isApplyType(run.type) && run.input !== null;
export const isCapsuleRun = (run: RunRecord): run is CapsuleRun => isPlanRun(run) || isApplyRun(run);
export const isRestoreRun = (run: RunRecord): run is RestoreRun => run.type === 'restore' && run.input !== null;
export const isSyncRun = (run: RunRecord): run is SyncRun => run.type === 'source_sync' && run.input !== null;
/** Returns the person who ended an apply or asked to cancel it. */
export const endedByOf = (run: RunRecord): string | undefined => (isApplyRun(run) ? run.input.cancelledBy : undefined);
/** Reports whether a schedule created this drift check. */
export const isScheduledCheck = ({ type, createdBy }: Pick<RunRow, 'type' | 'createdBy'>): boolean =>
  type === 'drift_check' && createdBy === 'system';
export const isIncomplete = (run: RunRecord): run is IncompleteRun =>
  run.input === null &&
  (isPlanType(run.type) || isApplyType(run.type) || run.type === 'source_sync' || run.type === 'restore');

/** Returns the Run of a stored row. One damaged row must not hide the others of a list, so this never throws. */
export function runRecordOf(row: RunRow): RunRecord {
  return { ...row, input: hasReferences(row) ? parseInput(row.type, row.input) : null } as RunRecord;
}

function hasReferences({ type, capsuleId, planRunId, sourceId }: RunRow): boolean {
  if (isApplyType(type)) return capsuleId !== null && planRunId !== null;
  return isPlanType(type) ? capsuleId !== null : type !== 'source_sync' || sourceId !== null;
}
