import { isoTime } from '#server/kernel/clock';
import { present } from '#server/kernel/present';
import { runnerLimits } from '#shared/limits';
import type {
  MachineFacts,
  MachineTool,
  PoolQueue,
  RunnerEnrolment,
  RunnerMachine,
  RunnerPool,
  SkewedMachines,
  VersionSkew,
} from '#shared/runner-pools/contract';
import type { EnrolmentRow, MachineRow, NamedMachine } from './machines-store.ts';
import type { PoolRow } from './store.ts';

const time = (ms: number | null): string | undefined => (ms === null ? undefined : isoTime(ms));

/** Returns the first moment of a beat that makes a machine live now. */
export const liveSince = (now: number): number => now - runnerLimits.liveMs;

export const isLive = ({ state, lastSeenAt }: MachineRow, now: number): boolean =>
  state !== 'revoked' && (lastSeenAt ?? 0) > liveSince(now);

/** Returns the tools of these machines without repeats, in the order of the machines. */
export function toolsOf(facts: readonly MachineFacts[]): MachineTool[] {
  const tools = new Map(facts.flatMap(({ tool }) => (tool ? [[`${tool.name} ${tool.version}`, tool] as const] : [])));
  return [...tools.values()];
}

/** Networks of Runs, from the least separate to none. */
const networks = ['shared', 'isolated', 'none'] as const satisfies MachineFacts['network'][];

/** Returns the least separate network of these machines; undefined while none has reported one. */
export const leastSeparate = (facts: readonly MachineFacts[]): MachineFacts['network'] =>
  networks.find((network) => facts.some((one) => one.network === network));

/** Returns how the format of jobs that a machine reads differs from that of this server; undefined before its first beat. */
export const versionSkewOf = ({ jobFormatVersion: reads }: MachineFacts, jobFormat: number): VersionSkew | undefined =>
  reads === undefined || reads === jobFormat ? undefined : reads < jobFormat ? 'older' : 'newer';

/** Counts the machines with another format of jobs than this server. */
export function countSkewed(facts: readonly MachineFacts[], jobFormat: number): SkewedMachines {
  const skews = facts.map((one) => versionSkewOf(one, jobFormat));
  const countOf = (skew: VersionSkew): number => skews.filter((one) => one === skew).length;
  return { older: countOf('older'), newer: countOf('newer') };
}

/** Runs of a pool as the queue counts them. */
export type QueueCounts = { waiting: number; oldestWaitingAt: number | undefined; running: number };

export const queueOf = ({ oldestWaitingAt, ...counts }: QueueCounts): PoolQueue => ({
  ...counts,
  ...(oldestWaitingAt !== undefined && { oldestWaitingAt: isoTime(oldestWaitingAt) }),
});

export const poolOfRow = (
  { removedAt: _removed, note, createdAt, ...row }: PoolRow,
  more: Pick<RunnerPool, 'queue' | 'machines' | 'liveMachines' | 'skewedMachines' | 'tools'>,
): RunnerPool => ({ ...row, ...(note !== null && { note }), createdAt: isoTime(createdAt), ...more });

type Shown = { now: number; jobFormat: number; runningRuns: number };

export function machineOf(row: NamedMachine, { now, jobFormat, runningRuns }: Shown): RunnerMachine {
  const { facts, enrolledAt, lastSeenAt, revokedAt, revokedBy, ...rest } = row;
  return {
    ...rest,
    ...facts,
    isLive: isLive(row, now),
    runningRuns,
    enrolledAt: isoTime(enrolledAt),
    ...present({
      versionSkew: versionSkewOf(facts, jobFormat),
      lastSeenAt: time(lastSeenAt),
      revokedAt: time(revokedAt),
      revokedBy: revokedBy ?? undefined,
    }),
  };
}

export function enrolmentStatusOf(row: EnrolmentRow, now: number): RunnerEnrolment['status'] {
  if (row.usedAt !== null) return 'used';
  if (row.cancelledAt !== null) return 'cancelled';
  return row.expiresAt > now ? 'open' : 'expired';
}

export function enrolmentOf(row: EnrolmentRow, now: number): RunnerEnrolment {
  const { id, poolId, createdAt, createdBy, expiresAt, usedAt, machineId } = row;
  return {
    id,
    poolId,
    status: enrolmentStatusOf(row, now),
    createdAt: isoTime(createdAt),
    createdBy,
    expiresAt: isoTime(expiresAt),
    ...present({ usedAt: time(usedAt), machineId: machineId ?? undefined }),
  };
}
