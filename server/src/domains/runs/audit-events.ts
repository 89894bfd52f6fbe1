import { isApplyType, isPlanType } from '#shared/runs/contract';
import type { RunRecord } from './run-record.ts';

/** Returns the prefix of the audit events in a Run's feed. */
export const runKindOf = (run: Pick<RunRecord, 'type'>): string => {
  if (isPlanType(run.type)) return 'plan';
  return isApplyType(run.type) ? 'apply' : run.type;
};

/** Returns the audit event of an end or a new attempt; destroys have some of their own. */
export function endEventOf(
  run: Pick<RunRecord, 'type'>,
  what: 'completed' | 'failed' | 'retry_scheduled' | 'artifact_ledger_retry_scheduled',
): string {
  if (run.type === 'destroy_apply') return `destroy.${what}`;
  if (run.type === 'destroy_plan' && what === 'retry_scheduled') return 'destroy_plan.retry_scheduled';
  return `${runKindOf(run)}.${what}`;
}
