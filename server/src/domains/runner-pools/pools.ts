import type { ActivityService } from '#server/domains/activity/index';
import type { RunsService } from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failedPrecondition, invalidArgument, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import { everyWorkspace, type Outbox } from '#server/kernel/outbox';
import { afterCreated, type Cursors, createdOf, type ListQueryOf, readPage } from '#server/kernel/page';
import { present } from '#server/kernel/present';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import type { runnerPoolsApi } from '#shared/runner-pools/api';
import type { RunnerPool, WorkspacePool } from '#shared/runner-pools/contract';
import { localPool } from '#shared/runs/contract';
import {
  countSkewed,
  leastSeparate,
  liveSince,
  poolOfRow,
  type QueueCounts,
  queueOf,
  toolsOf,
  versionSkewOf,
} from './records.ts';
import type { PoolRow, PoolsStore, PoolUser } from './store.ts';

export type PoolsDeps = {
  db: Db;
  clock: Clock;
  cursors: Cursors;
  outbox: Outbox;
  activity: Pick<ActivityService, 'record'>;
  runs: { store: Pick<RunsService['store'], 'listPoolQueues'> };
  store: PoolsStore;
  /** True when a NATS server is configured, so that machines can join. */
  isConfigured: boolean;
  /** Format of the jobs that this server writes. */
  jobFormat: number;
};

/** Number of Capsules or Workspaces that a refusal names. */
const namedUsers = 3;
const emptyQueue: QueueCounts = { waiting: 0, oldestWaitingAt: undefined, running: 0 };

export const notConfigured = () =>
  failedPrecondition(
    'runners_not_configured',
    'This server has no NATS server, over which runner machines work. Set GROUNDCTL_NATS_URL, start the server again, and try again.',
  );

/** Reads pools, with what waits in them and the machines that are live. */
export function createPoolReads({ clock, cursors, runs, store, isConfigured, jobFormat }: PoolsDeps) {
  const queuesNow = () => {
    const queues = runs.store.listPoolQueues();
    return (poolId: string) => queueOf(queues.get(poolId) ?? emptyQueue);
  };

  function shownPool(row: PoolRow, queueNow: ReturnType<typeof queuesNow>): RunnerPool {
    const live = store.listLiveFacts(row.id, liveSince(clock.now()));
    return poolOfRow(row, {
      queue: queueNow(row.id),
      machines: store.countMachines(row.id),
      liveMachines: live.length,
      skewedMachines: countSkewed(live, jobFormat),
      tools: toolsOf(live),
    });
  }

  function getRow(id: string): PoolRow {
    const row = store.findPool(id);
    if (!row) throw notFound('pool');
    return row;
  }

  return {
    getRow,
    queuesNow,
    shownPool: (id: string): RunnerPool => shownPool(getRow(id), queuesNow()),
    /** Returns what a Workspace sees of the live machines of a pool. */
    describeLive(poolId: string): Pick<WorkspacePool, 'liveMachines' | 'skewedMachines' | 'tools' | 'network'> {
      const live = store.listLiveFacts(poolId, liveSince(clock.now()));
      const able = live.filter((facts) => versionSkewOf(facts, jobFormat) === undefined);
      return {
        liveMachines: live.length,
        skewedMachines: countSkewed(live, jobFormat),
        tools: toolsOf(able),
        ...present({ network: leastSeparate(able) }),
      };
    },

    listPools(query: ListQueryOf<typeof runnerPoolsApi.listRunnerPools>) {
      const { rows, next } = readPage(cursors, query, {
        binding: 'runner-pools',
        fetch: (after, limit) => store.listPools(afterCreated(after), limit),
        positionOf: createdOf,
      });
      const queueNow = queuesNow();
      return {
        isConfigured,
        local: queueNow(localPool),
        runnerPools: rows.map((row) => shownPool(row, queueNow)),
        ...next,
      };
    },
  };
}

export type PoolReads = ReturnType<typeof createPoolReads>;

type EditDeps = PoolsDeps & { reads: PoolReads; cancelEnrolments: (poolId: string, actorId: string) => void };

/** Creates, changes and removes pools. */
export function createPoolEdits({ db, clock, outbox, activity, store, isConfigured, ...deps }: EditDeps) {
  const { getRow, shownPool } = deps.reads;
  const removed: (() => void)[] = [];

  function requireFree(name: string, own: string | undefined): void {
    const holder = store.findPoolByName(name);
    if (holder && holder.id !== own)
      throw failedPrecondition('runner_pool_name_taken', 'Another pool has this name. Choose a different one.');
  }

  function record(id: string, action: `runner_pool.${'created' | 'updated' | 'removed'}`, actorId: string): void {
    activity.record({ actorId, action, targetType: 'runner_pool', targetId: id });
    outbox.push({ workspaceId: everyWorkspace, kind: 'runner', recordId: id });
  }

  return {
    /** Registers work that runs inside the transaction in which a pool is removed. */
    onPoolRemoved: (work: () => void): void => void removed.push(work),

    /** Creates a pool. 409 `runners_not_configured`, `runner_pool_name_taken`. */
    createPool({ name, note, ...rest }: BodyOf<typeof runnerPoolsApi.createRunnerPool>, actorId: string): RunnerPool {
      nothingLeft(rest);
      if (!isConfigured) throw notConfigured();
      return db.write(() => {
        requireFree(name, undefined);
        const row = {
          id: newId('runnerPool'),
          name,
          note: note || null,
          createdAt: clock.now(),
          createdBy: actorId,
          removedAt: null,
        };
        store.insertPool(row);
        record(row.id, 'runner_pool.created', actorId);
        return shownPool(row.id);
      });
    },

    /** Renames a pool or changes its note. 400 `empty_patch`, 409 `runner_pool_name_taken`. */
    updatePool(id: string, patch: BodyOf<typeof runnerPoolsApi.updateRunnerPool>, actorId: string): RunnerPool {
      const { name, note, ...rest } = patch;
      nothingLeft(rest);
      if (name === undefined && note === undefined)
        throw invalidArgument('empty_patch', 'Name at least one field to change.');
      return db.write(() => {
        const row = getRow(id);
        if (name !== undefined) requireFree(name, id);
        const next = { name: name ?? row.name, note: note === undefined ? row.note : note || null };
        if (next.name !== row.name || next.note !== row.note) {
          store.updatePool(id, next);
          record(id, 'runner_pool.updated', actorId);
        }
        return shownPool(id);
      });
    },

    /** Removes a pool that nothing uses, and cancels its enrolments. 409 `runner_pool_in_use`. */
    removePool(id: string, actorId: string): void {
      db.write(() => {
        getRow(id);
        requireUnused(id, store);
        deps.cancelEnrolments(id, actorId);
        store.updatePool(id, { removedAt: clock.now() });
        record(id, 'runner_pool.removed', actorId);
        for (const work of removed) work();
      });
    },
  };
}

/** Throws 409 `runner_pool_in_use` with what uses the pool. */
function requireUnused(id: string, store: PoolsStore): void {
  const inUse = (message: string, usedBy: string, users: readonly PoolUser[] = []) =>
    failedPrecondition('runner_pool_in_use', message, { usedBy, ...(users.length > 0 && { users }) });
  if (store.countLiveRuns(id) > 0)
    throw inUse('Runs wait or run in this pool. Wait for their end or cancel them, then remove the pool.', 'runs');
  const capsules = store.listCapsulesOf(id, namedUsers);
  if (capsules.length > 0)
    throw inUse(
      `Capsules have chosen this pool, such as ${namesOf(capsules)}. Choose another pool for them, then remove this one.`,
      'capsules',
      capsules,
    );
  const workspaces = store.listWorkspacesOf(id, namedUsers);
  if (workspaces.length > 0)
    throw inUse(
      `Workspaces may use this pool, such as ${namesOf(workspaces)}. Withdraw it from them, then remove it.`,
      'workspaces',
      workspaces,
    );
  if (store.countMachines(id) > 0)
    throw inUse('The pool has runner machines. Revoke them, then remove the pool.', 'machines');
}

const namesOf = (users: readonly PoolUser[]): string => users.map(({ name }) => `"${name}"`).join(', ');
