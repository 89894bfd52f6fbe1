import { isoTime } from '#server/kernel/clock';
import { isPlanType, type Run, type RunRow } from '#shared/runs/contract';
import type { RunRecord } from './store.ts';

/** What a plan waits for: a person's approval, an apply, or nothing. */
export function awaitsOf(row: RunRecord, now: number): 'approve' | 'apply' | undefined {
  const reviewable =
    row.type !== 'drift_check' && isPlanType(row.type) && row.applyRunId === null && row.supersededAt === null;
  if (!reviewable || row.planDigest === null || (row.planExpiresAt ?? 0) <= now) return undefined;
  if (row.status === 'waiting_approval') return 'approve';
  return row.status === 'succeeded' ? 'apply' : undefined;
}

/** Drops members without a value, so that optional members are absent instead of null. */
function present<T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && value !== undefined),
  ) as never;
}

const time = (ms: number | null) => (ms === null ? null : isoTime(ms));

/** A Run as lists show it. */
export function runRowOf(row: RunRecord, now: number): RunRow {
  const {
    seq: _seq,
    attempts: _attempts,
    facts,
    detail: _detail,
    input: _input,
    journalOffset: _offset,
    groupLayer: _layer,
    ...columns
  } = row;
  const { supersededAt, supersededReason, ...rest } = columns;
  return {
    ...present({
      ...rest,
      ...facts,
      createdAt: isoTime(row.createdAt),
      startedAt: time(row.startedAt),
      finishedAt: time(row.finishedAt),
      planExpiresAt: time(row.planExpiresAt),
      awaits: awaitsOf(row, now),
      superseded:
        supersededAt !== null && supersededReason !== null
          ? { at: isoTime(supersededAt), reason: supersededReason }
          : null,
    }),
  } as RunRow;
}

/** A Run whole. */
export const runOf = (row: RunRecord, now: number): Run => ({ ...runRowOf(row, now), ...row.detail });
