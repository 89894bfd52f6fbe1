import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { jsonDigest } from '#server/kernel/digest';
import { AppError, failedPrecondition, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { Outbox } from '#server/kernel/outbox';
import { beforeSeq, type Cursors, type PageQuery, readPage } from '#server/kernel/page';
import { isTerminal, next as nextState } from '#shared/kernel/machine';
import { limits } from '#shared/limits';
import {
  capsuleRunTypes,
  isPlanType,
  type Run,
  type RunRow,
  type RunStatus,
  type RunType,
} from '#shared/runs/contract';
import type { FeedItem, Phase } from '#shared/runs/feed';
import { type RunEvent, runMachine } from '#shared/runs/machine';
import { createFeedStore } from './feed-store.ts';
import { type RunView, runOf, runRowOf } from './record.ts';
import { createRunsStore, type RunChanges, type RunInsert, type RunRecord } from './store.ts';

export type RunsService = ReturnType<typeof createRunsService>;
export type NewRun = Omit<RunInsert, 'seq' | 'status' | 'createdAt' | 'facts' | 'detail' | 'input'> &
  Partial<Pick<RunInsert, 'facts' | 'detail' | 'input'>>;
export type RunQuery = PageQuery & {
  capsuleId?: string | undefined;
  type?: RunType | undefined;
  status?: readonly RunStatus[] | undefined;
  awaits?: 'approve' | 'apply' | undefined;
  /** Part of the Capsule's name, or of the Run's or the Capsule's id. */
  q?: string | undefined;
};

type Deps = { db: Db; clock: Clock; outbox: Outbox; cursors: Cursors };

/** Creates a feed item that records an actor's action on the Run. */
export const auditItem = (
  type: string,
  at: number,
  more: { actor?: string; message?: string; data?: Record<string, unknown> } = {},
): FeedItem => ({
  kind: 'audit',
  at,
  payload: { id: newId('runEvent'), type, ...more },
});

export const phaseItem = (phase: Phase, state: 'started' | 'finished' | 'reused', at: number): FeedItem => ({
  kind: 'phase',
  at,
  payload: { phase, state },
});

/** The ledger of Runs and their transitions. It does not depend on how Runs execute. */
export function createRunsService({ db, clock, outbox, cursors }: Deps) {
  const store = createRunsStore(db);
  const feed = createFeedStore(db);
  const viewNow = (): RunView => ({ now: clock.now(), findNewerPlan: store.findNewerPlan });

  function getRecord(id: string): RunRecord {
    const row = store.findRun(id);
    if (!row) throw notFound('Run');
    return row;
  }

  const notify = (row: RunRecord) =>
    outbox.push({ workspaceId: row.workspaceId, kind: 'run', recordId: row.id, status: row.status });

  function append(id: string, items: readonly FeedItem[]): void {
    if (items.length === 0) return;
    feed.append(id, items);
    db.afterCommit(() => wakeReaders(id));
  }
  const readers = new Map<string, Set<() => void>>();
  const wakeReaders = (id: string) => {
    for (const wake of readers.get(id) ?? []) wake();
  };
  const waits = new Set<() => void>();
  const leaving: ((run: RunRecord) => void)[] = [];
  const leave = (run: RunRecord) => {
    for (const work of leaving) work(run);
  };

  const moving: ((run: RunRecord, from: RunStatus | undefined) => void)[] = [];
  const moved = (run: RunRecord, from: RunStatus | undefined) => {
    for (const work of moving) db.afterCommit(() => work(run, from));
  };

  function create(run: NewRun, items: readonly FeedItem[]): Run {
    return db.write(() => {
      const createdAt = clock.now();
      store.insertRun({ facts: {}, detail: {}, input: {}, ...run, status: 'queued', createdAt });
      const row = getRecord(run.id);
      append(row.id, [...items, statusItem(row, createdAt)]);
      notify(row);
      moved(row, undefined);
      return runOf(row, viewNow());
    });
  }

  /**
   * Moves a Run: reads it, checks the state machine, changes exactly one row, notifies. The only writer of `status`.
   * Throws 409 `conflict` when the transition does not exist or another request was faster.
   */
  function move(
    id: string,
    event: RunEvent,
    change: { set?: RunChanges; facts?: RunRecord['facts']; items?: readonly FeedItem[] } = {},
  ): RunRecord {
    return db.write(() => {
      const row = getRecord(id);
      const status = nextState(runMachine, row.status, event);
      if (!status) throw new AppError('conflict', `A Run that is ${row.status} cannot take the step "${event}".`);
      const now = clock.now();
      const ended = isTerminal(runMachine, status) && row.finishedAt === null;
      const set: RunChanges = {
        ...(ended && { finishedAt: now }),
        ...change.set,
        ...(change.facts && { facts: { ...row.facts, ...change.facts } }),
      };
      if (!store.moveRun(id, row.status, { ...set, status }))
        throw new AppError('conflict', 'The Run was modified by another request. Reload and try again.');
      const after = getRecord(id);
      if (row.status === 'running') leave(after);
      append(id, [...(change.items ?? []), statusItem(after, now)]);
      notify(after);
      moved(after, row.status);
      return after;
    });
  }

  return {
    create,
    move,
    append: (id: string, items: readonly FeedItem[]) => db.write(() => append(id, items)),
    feed,
    store,
    findRecord: store.findRun,
    getRecord,
    getRun: (id: string): Run => runOf(getRecord(id), viewNow()),
    findWorkspace: (id: string): string | undefined => store.findRun(id)?.workspaceId,
    update: (id: string, set: RunChanges, facts?: RunRecord['facts']): void => {
      const row = getRecord(id);
      store.updateRun(id, { ...set, ...(facts && { facts: { ...row.facts, ...facts } }) });
    },

    listRuns(workspaceId: string, query: RunQuery): { runs: RunRow[]; nextCursor?: string } {
      const { limit, cursor, ...filter } = query;
      const now = clock.now();
      const { rows, next } = readPage(
        cursors,
        { limit, cursor },
        {
          binding: `runs:${jsonDigest({ workspaceId, ...filter })}`,
          fetch: (after, most) =>
            store.listRuns({ workspaceId, before: beforeSeq(after), limit: most, now, ...filter }),
          positionOf: ({ seq }) => [seq],
        },
      );
      const view = viewNow();
      return { runs: rows.map((row) => runRowOf(row, view)), ...next };
    },

    listGroup(runGroupId: string): RunRow[] {
      const view = viewNow();
      return store.listGroup(runGroupId).map((row) => runRowOf(row, view));
    },

    /** Throws when 20 Runs already wait for the Capsule. */
    requireCapacity(capsuleId: string): void {
      if (store.countQueued(capsuleId) >= limits.queuedRunsPerCapsule) {
        throw failedPrecondition(
          'run_queue_full',
          `There are already ${limits.queuedRunsPerCapsule} Runs waiting for this Capsule. Cancel some or wait.`,
        );
      }
    },
    findActive: (capsuleId: string): RunRecord | undefined => store.findActive(capsuleId, capsuleRunTypes),

    /** Reports whether a plan with changes of the Capsule waits to be approved or applied. */
    isAwaited: (capsuleId: string): boolean => store.isAwaited(capsuleId, clock.now()),

    /** Returns the id of the newest reviewable plan of the Capsule that is newer than this one. */
    findNewerPlan: (row: RunRecord): string | undefined => store.findNewerPlan(row, clock.now()),

    /** Marks the open plans of a Capsule as superseded. */
    supersede(capsuleId: string, reason: 'authority_epoch' | 'state_generation'): void {
      const now = clock.now();
      for (const id of store.supersedePlans(capsuleId, { supersededAt: now, supersededReason: reason })) {
        append(id, [auditItem('plan.superseded', now, { data: { reason } })]);
        notify(getRecord(id));
      }
    },

    /**
     * Registers a callback for the transaction in which a Run leaves `running`: it has ended, waits for a person, or is
     * queued again.
     */
    onLeave: (work: (run: RunRecord) => void): void => void leaving.push(work),

    /** Registers a callback for after the commit of each move, and of each new Run (without a previous status). */
    onMoved: (work: (run: RunRecord, from: RunStatus | undefined) => void): void => void moving.push(work),
    countLive: store.countLive,
    findOldestQueued: store.findOldestQueued,

    /** Registers a callback for growth of a Run's feed. Returns the function that unsubscribes. */
    onFeed(id: string, wake: () => void): () => void {
      const set = readers.get(id) ?? new Set();
      readers.set(id, set.add(wake));
      return () => {
        set.delete(wake);
        if (set.size === 0) readers.delete(id);
      };
    },

    /** Resolves when the Run has left `queued` and `running`, or after `ms` at the latest, with the Run as it is then. */
    async waitUntilSettled(id: string, ms: number): Promise<RunRecord> {
      const settled = (row: RunRecord) => row.status !== 'queued' && row.status !== 'running';
      if (!settled(getRecord(id))) {
        await new Promise<void>((resolve) => {
          const done = () => {
            clearTimeout(timer);
            stop();
            waits.delete(done);
            resolve();
          };
          const timer = setTimeout(done, ms);
          const stop = this.onFeed(id, () => {
            if (settled(getRecord(id))) done();
          });
          waits.add(done);
        });
      }
      return getRecord(id);
    },

    /** Resolves all waits with the current Run, because the server stops. */
    endWaits(): void {
      for (const done of waits) done();
    },
  };
}

/** Returns the status item of the stream. */
function statusItem(row: RunRecord, at: number): FeedItem {
  const { summary, policyStatus, requiresApproval } = row.facts;
  const payload = {
    runId: row.id,
    status: row.status,
    ...(summary && isPlanType(row.type) && { summary }),
    ...(policyStatus && { policyStatus }),
    ...(requiresApproval !== undefined && { requiresApproval }),
    ...(row.errorCode !== null && { errorCode: row.errorCode }),
  };
  return { kind: 'status', at, payload };
}
