import { isPlanType, type Run, type RunType } from '#shared/runs/contract';
import type { TextId } from '../i18n/text.ts';
import { awaitsTexts, runStatusTexts, runTypeTexts, type StatusText } from './status-text.ts';

type StatusOf = Pick<Run, 'type' | 'status'> &
  Partial<Pick<Run, 'awaits' | 'superseded' | 'obsoletedBy' | 'applyRunId' | 'hasChanges' | 'errorCode'>>;

/** Returns the status of a Run: what it waits for, why it no longer waits, or its result. */
export function runStatusText(run: StatusOf): StatusText {
  if (run.awaits) return awaitsTexts[run.awaits];
  if (run.errorCode === 'apply_interrupted') return { text: 'run.status.interrupted', tone: 'warn' };
  return openPlanText(run) ?? runStatusTexts[run.status];
}

/** Returns the status of a computed plan that was not applied and waits for nothing. */
function openPlanText({
  type,
  status,
  applyRunId,
  superseded,
  obsoletedBy,
  hasChanges,
}: StatusOf): StatusText | undefined {
  const isOpen = isPlanType(type) && (status === 'succeeded' || status === 'waiting_approval');
  if (!isOpen || applyRunId !== undefined) return undefined;
  if (superseded) return { text: 'run.superseded', tone: 'neutral' };
  if (obsoletedBy !== undefined) return { text: 'run.obsolete', tone: 'neutral' };
  if (hasChanges === false) return { text: 'run.noChanges', tone: 'good' };
  return status === 'waiting_approval' ? { text: 'run.planned', tone: 'neutral' } : undefined;
}

/** Returns the type of a Run for lists and titles. A plan of an earlier state is a rollback plan. */
export const runTypeText = (run: { type: RunType; rollbackStateVersionId?: string | undefined }): TextId =>
  run.type === 'plan' && run.rollbackStateVersionId !== undefined ? 'run.type.rollback_plan' : runTypeTexts[run.type];
