import { and, asc, count, eq, gt, inArray, isNull, ne, sql } from 'drizzle-orm';
import { capsules } from '#server/domains/capsules/schema';
import { runs } from '#server/domains/runs/schema';
import { workspaces } from '#server/domains/workspaces/schema';
import { isAfter } from '#server/kernel/conditions';
import type { Db } from '#server/kernel/db';
import type { Created } from '#server/kernel/page';
import { runnerMachines, runnerPools, workspaceRunnerPools } from './schema.ts';

export type PoolRow = typeof runnerPools.$inferSelect;
/** A record that uses a pool. */
export type PoolUser = { id: string; name: string };

export type PoolsStore = ReturnType<typeof createPoolsStore>;

export const createPoolsStore = (db: Db) => ({ ...poolRows(db), ...poolUsers(db) });

const exists = isNull(runnerPools.removedAt);

const poolRows = (db: Db) => ({
  insertPool: (row: PoolRow): void => void db.orm.insert(runnerPools).values(row).run(),
  updatePool: (id: string, set: Partial<PoolRow>): void =>
    void db.orm.update(runnerPools).set(set).where(eq(runnerPools.id, id)).run(),
  /** Returns a pool that was not removed. */
  findPool: (id: string): PoolRow | undefined =>
    db.orm
      .select()
      .from(runnerPools)
      .where(and(eq(runnerPools.id, id), exists))
      .get(),
  /** Finds a pool by its name, in upper or lower case. */
  findPoolByName: (name: string): PoolRow | undefined =>
    db.orm
      .select()
      .from(runnerPools)
      .where(and(sql`lower(${runnerPools.name}) = lower(${name})`, exists))
      .get(),
  listPoolIds: (): string[] =>
    db.orm
      .select({ id: runnerPools.id })
      .from(runnerPools)
      .where(exists)
      .all()
      .map(({ id }) => id),
  listPools: (after: Created, limit: number): PoolRow[] =>
    db.orm
      .select()
      .from(runnerPools)
      .where(and(exists, isAfter([runnerPools.createdAt, runnerPools.id], [after.createdAt, after.id])))
      .orderBy(asc(runnerPools.createdAt), asc(runnerPools.id))
      .limit(limit)
      .all(),
  countMachines: (poolId: string): number =>
    db.orm
      .select({ n: count() })
      .from(runnerMachines)
      .where(and(eq(runnerMachines.poolId, poolId), ne(runnerMachines.state, 'revoked')))
      .get()?.n ?? 0,
  /** Lists the facts of the machines of a pool that claim Runs and have reported since a moment. */
  listLiveFacts: (poolId: string, since: number) =>
    db.orm
      .select({ facts: runnerMachines.facts })
      .from(runnerMachines)
      .where(
        and(
          eq(runnerMachines.poolId, poolId),
          eq(runnerMachines.state, 'active'),
          gt(runnerMachines.lastSeenAt, since),
        ),
      )
      .orderBy(asc(runnerMachines.enrolledAt), asc(runnerMachines.id))
      .all()
      .map(({ facts }) => facts),
});

/** Records that keep a pool from being removed. */
const poolUsers = (db: Db) => ({
  countLiveRuns: (poolId: string): number =>
    db.orm
      .select({ n: count() })
      .from(runs)
      .where(and(inArray(runs.status, ['queued', 'running']), eq(runs.runnerPool, poolId)))
      .get()?.n ?? 0,
  listCapsulesOf: (poolId: string, limit: number): PoolUser[] =>
    db.orm
      .select({ id: capsules.id, name: capsules.name })
      .from(capsules)
      .where(and(eq(capsules.runnerPoolId, poolId), ne(capsules.status, 'destroyed')))
      .orderBy(asc(capsules.id))
      .limit(limit)
      .all(),
  listWorkspacesOf: (poolId: string, limit: number): PoolUser[] =>
    db.orm
      .select({ id: workspaces.id, name: workspaces.displayName })
      .from(workspaceRunnerPools)
      .innerJoin(workspaces, eq(workspaces.id, workspaceRunnerPools.workspaceId))
      .where(
        and(
          eq(workspaceRunnerPools.poolId, poolId),
          isNull(workspaceRunnerPools.withdrawnAt),
          isNull(workspaces.deletedAt),
        ),
      )
      .orderBy(asc(workspaces.id))
      .limit(limit)
      .all(),
});
