import { auditItem, type RunRecord, type RunsService } from '#server/domains/runs/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import { notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import { beforeSeq, type Cursors, type ListQueryOf, readPage } from '#server/kernel/page';
import { capsuleRunTypes, isApplyType, isPlanType, type RunType } from '#shared/runs/contract';
import type { usageApi } from '#shared/usage/api';
import type { BillingMode, Cost, UsageEvent, UsageSummary } from '#shared/usage/contract';
import type { UsageRow, UsageStore } from './store.ts';

export type UsageService = ReturnType<typeof createUsageService>;

type Deps = {
  clock: Clock;
  cursors: Cursors;
  store: UsageStore;
  runs: Pick<RunsService, 'getRecord' | 'append'>;
  /** Mode of the whole installation: no route sets another one for a Workspace. */
  billingMode: BillingMode;
};

const minuteMs = 60_000;
const usesRunner = (type: RunType): boolean => (capsuleRunTypes as readonly RunType[]).includes(type);

/** Records how much of the runner Runs have used. Usage is counted, never rated, and blocks nothing. */
export function createUsageService({ clock, cursors, store, runs, billingMode }: Deps) {
  return {
    /**
     * Writes the minutes of a Run that leaves `running`, in the same transaction; a Run that is queued again keeps
     * counting.
     */
    recordRun(run: RunRecord): void {
      if (!usesRunner(run.type) || run.status === 'queued' || run.startedAt === null) return;
      const now = clock.now();
      const isNew = store.insert({
        id: newId('usageEvent'),
        workspaceId: run.workspaceId,
        capsuleId: run.capsuleId,
        runId: run.id,
        kind: 'runner_minutes',
        quantity: Math.max(0, now - run.startedAt) / minuteMs,
        usdMicros: 0,
        ratingStatus: 'unrated',
        source: 'runner',
        idempotencyKey: `${run.id}:runner_minutes`,
        createdAt: now,
      });
      if (isNew && billingMode === 'showback')
        runs.append(run.id, [auditItem('billing.capture.pending', now), auditItem('billing.capture.completed', now)]);
    },

    /** Keeps the usage of Runs that are deleted, in the caller's transaction. */
    detachRuns: store.detachRuns,

    list(
      workspaceId: string,
      query: ListQueryOf<typeof usageApi.listUsage>,
    ): { usageEvents: UsageEvent[]; nextCursor?: string } {
      const { rows, next } = readPage(cursors, query, {
        binding: `usage:${workspaceId}`,
        fetch: (after, limit) => store.list(workspaceId, limit, beforeSeq(after)),
        positionOf: ({ seq }) => [seq],
      });
      return { usageEvents: rows.map(eventOf), ...next };
    },

    summaryOf(capsuleId: string): UsageSummary {
      const { eventCount, ratedEventCount, usdMicros } = store.sumOf(capsuleId);
      return { capsuleId, usdMicros, eventCount, ratedEventCount, unratedEventCount: eventCount - ratedEventCount };
    },

    billing: { settings: { mode: billingMode } },

    /** Throws 404 for a Run of a type that runs no tool on a Capsule. */
    costOf(runId: string): Cost {
      const run = runs.getRecord(runId);
      if (!isPlanType(run.type) && !isApplyType(run.type)) throw notFound('cost: this type of Run has none');
      return {
        runId,
        billingMode,
        estimatedUsdMicros: 0,
        ratingStatus: billingMode === 'disabled' ? 'not_applicable' : 'unrated',
        blocked: false,
        reasons: [],
      };
    },
  };
}

const eventOf = ({ seq: _, capsuleId, runId, createdAt, ...row }: UsageRow): UsageEvent => ({
  ...row,
  ...(capsuleId !== null && { capsuleId }),
  ...(runId !== null && { runId }),
  createdAt: isoTime(createdAt),
});
