import type { ApplyType, PlanType, RunType } from '#shared/runs/contract';
import { isApplyType, isPlanType } from '#shared/runs/contract';
import { type CapsuleRunInput, parseInput, type SyncInput } from './input.ts';
import type { RunRow } from './schema.ts';

type Of<T extends RunType, Members> = Omit<RunRow, 'type' | 'input' | keyof Members> & { type: T } & Members;

export type PlanRun = Of<PlanType, { capsuleId: string; input: CapsuleRunInput }>;
export type ApplyRun = Of<ApplyType, { capsuleId: string; planRunId: string; input: CapsuleRunInput }>;
/** A plan that was refused when it was created: it has failed, and pins nothing. */
type RefusedRun = Of<PlanType, { capsuleId: string; input: null }>;
export type SyncRun = Of<'source_sync', { sourceId: string; input: SyncInput }>;
/** A Run whose type needs no input of its own. */
export type OtherRun = Of<Exclude<RunType, PlanType | ApplyType | 'source_sync'>, { input: null }>;

/** A Run that runs the tool on a Capsule. */
export type CapsuleRun = PlanRun | ApplyRun;
export type RunRecord = CapsuleRun | RefusedRun | SyncRun | OtherRun;

export const isPlanRun = (run: RunRecord): run is PlanRun => isPlanType(run.type) && run.input !== null;
export const isApplyRun = (run: RunRecord): run is ApplyRun => isApplyType(run.type);
export const isCapsuleRun = (run: RunRecord): run is CapsuleRun => isPlanRun(run) || isApplyRun(run);
export const isSyncRun = (run: RunRecord): run is SyncRun => run.type === 'source_sync';

/** Returns the Run of a stored row. Throws when the row lacks what Runs of its type have. */
export function runRecordOf(row: RunRow): RunRecord {
  const input = parseInput(row.type, row.input);
  const { type, capsuleId, planRunId, sourceId } = row;
  const isWhole =
    ((!isPlanType(type) && !isApplyType(type)) || capsuleId !== null) &&
    (!isApplyType(type) || (planRunId !== null && input !== null)) &&
    (type !== 'source_sync' || (sourceId !== null && input !== null));
  if (!isWhole) throw new Error(`The row of the Run ${row.id} is incomplete.`);
  return { ...row, input } as RunRecord;
}
