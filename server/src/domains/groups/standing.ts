import type { RunStatus } from '#shared/runs/contract';

type Member = { status: RunStatus; startedAt?: string | undefined; finishedAt?: string | undefined };
type Standing = { status: RunStatus; finishedAt?: string };

/** How a group stands by its members (shapes 15.7). Without members it has succeeded. */
export function standingOf(members: readonly Member[]): Standing {
  const has = (...statuses: RunStatus[]) => members.some(({ status }) => statuses.includes(status));
  if (has('queued', 'running')) {
    const isBegun = members.some(({ startedAt, finishedAt }) => startedAt !== undefined || finishedAt !== undefined);
    return { status: isBegun ? 'running' : 'queued' };
  }
  if (has('waiting_approval')) return { status: 'waiting_approval' };
  const ends = members.flatMap(({ finishedAt }) => finishedAt ?? []).sort();
  const finishedAt = ends.at(-1);
  const status = has('failed') ? 'failed' : has('cancelled', 'expired') ? 'cancelled' : 'succeeded';
  return { status, ...(finishedAt !== undefined && { finishedAt }) };
}
