import type { PersonalEvent } from '#shared/notifications/contract';
import { isApplyType, isPlanType, type Run } from '#shared/runs/contract';

type Reported = Pick<Run, 'type' | 'status' | 'awaits' | 'hasChanges' | 'approval' | 'approvalRequest'>;

/** Returns what a Run that has just changed means to the person who created it; undefined when nothing. */
export function personalEventOf(run: Reported): PersonalEvent | undefined {
  if (!isPlanType(run.type) && !isApplyType(run.type)) return undefined;
  if (run.status === 'failed') return 'run.failed';
  // A plan that was approved, or for which an approval was requested, is known to its author.
  const isUnreported = run.awaits !== undefined && run.approval === undefined && run.approvalRequest === undefined;
  if (isPlanType(run.type) && run.type !== 'drift_check' && isUnreported) return 'run.waiting';
  if (run.status !== 'succeeded' || run.type === 'drift_check') return undefined;
  return isApplyType(run.type) || run.hasChanges === false ? 'run.succeeded' : undefined;
}
