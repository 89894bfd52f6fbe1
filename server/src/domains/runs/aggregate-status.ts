import type { RunStatus } from '#shared/runs/contract';

type Member = { status: RunStatus; awaits?: 'approve' | 'apply' | undefined; finishedAt?: string | undefined };

/** Returns the status of a group, derived from its members. Without members it is `succeeded`. */
export function aggregateStatus(members: readonly Member[]): { status: RunStatus; finishedAt?: string } {
  const has = (...statuses: RunStatus[]) => members.some(({ status }) => statuses.includes(status));
  if (has('running')) return { status: 'running' };
  if (has('waiting_approval') || members.some(({ awaits }) => awaits !== undefined))
    return { status: 'waiting_approval' };
  if (has('queued')) return { status: 'queued' };
  const finishedAt = members
    .flatMap((member) => member.finishedAt ?? [])
    .sort()
    .at(-1);
  const status = has('failed') ? 'failed' : has('cancelled', 'expired') ? 'cancelled' : 'succeeded';
  return { status, ...(finishedAt !== undefined && { finishedAt }) };
}
