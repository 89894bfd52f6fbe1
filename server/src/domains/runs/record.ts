import { isoTime } from '#server/kernel/clock';
import { present } from '#server/kernel/present';
import { isPlanType, type Run, type RunRow } from '#shared/runs/contract';
import type { RunRecord } from './run-record.ts';

/** Reports whether a plan is computed and is not consumed, superseded or expired. */
function isReviewable(row: RunRecord, now: number): boolean {
  const isOpen =
    row.type !== 'drift_check' && isPlanType(row.type) && row.applyRunId === null && row.supersededAt === null;
  if (!isOpen || row.planDigest === null || (row.planExpiresAt ?? 0) <= now) return false;
  return row.status === 'waiting_approval' || row.status === 'succeeded';
}

/** Returns what a reviewable plan waits for: an approval, an apply, or nothing when it has no changes. */
function awaitsOf({ status, facts }: RunRecord): 'approve' | 'apply' | undefined {
  if (facts.hasChanges === false) return undefined;
  return status === 'waiting_approval' ? 'approve' : 'apply';
}

const time = (ms: number | null) => (ms === null ? null : isoTime(ms));

/** Time of a read, and the look-up of the newer reviewable plan of a Capsule. */
export type RunView = { now: number; findNewerPlan: (row: RunRecord, now: number) => string | undefined };

function reviewOf(row: RunRecord, { now, findNewerPlan }: RunView): Pick<Run, 'awaits' | 'obsoletedBy'> {
  if (!isReviewable(row, now)) return {};
  const obsoletedBy = findNewerPlan(row, now);
  return obsoletedBy === undefined ? { awaits: awaitsOf(row) } : { obsoletedBy };
}

/** Returns a Run as lists show it. */
export function runRowOf(row: RunRecord, view: RunView): RunRow {
  const {
    seq: _seq,
    attempts: _attempts,
    facts,
    detail: _detail,
    input: _input,
    journalOffset: _offset,
    groupLayer: _layer,
    groupSeq: _groupSeq,
    planSeq: _planSeq,
    changeSeq: _changeSeq,
    rowSeq: _rowSeq,
    cause: _cause,
    runnerPool,
    applied: _applied,
    ...columns
  } = row;
  const { supersededAt, supersededReason, ...rest } = columns;
  return {
    ...present({
      ...rest,
      runnerPoolId: runnerPool,
      ...facts,
      createdAt: isoTime(row.createdAt),
      startedAt: time(row.startedAt),
      finishedAt: time(row.finishedAt),
      planExpiresAt: time(row.planExpiresAt),
      ...reviewOf(row, view),
      superseded:
        supersededAt !== null && supersededReason !== null
          ? { at: isoTime(supersededAt), reason: supersededReason }
          : null,
    }),
  } as RunRow;
}

/** Returns a complete Run. */
export const runOf = (row: RunRecord, view: RunView): Run => ({ ...runRowOf(row, view), ...row.detail });
