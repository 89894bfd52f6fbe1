import { and, asc, eq, isNull } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import { runnerPools, workspaceRunnerPools } from './schema.ts';

export type WorkspacePoolRow = typeof workspaceRunnerPools.$inferSelect;

export type ChoiceStore = ReturnType<typeof createChoiceStore>;

/** Pools that Workspaces may use. */
export const createChoiceStore = (db: Db) => ({
  /** Lists the pools that a Workspace may use, or has used, by name. */
  listWorkspacePools: (workspaceId: string) =>
    db.orm
      .select({
        id: runnerPools.id,
        name: runnerPools.name,
        removedAt: runnerPools.removedAt,
        withdrawnAt: workspaceRunnerPools.withdrawnAt,
        isDefault: workspaceRunnerPools.isDefault,
      })
      .from(workspaceRunnerPools)
      .innerJoin(runnerPools, eq(runnerPools.id, workspaceRunnerPools.poolId))
      .where(eq(workspaceRunnerPools.workspaceId, workspaceId))
      .orderBy(asc(runnerPools.name), asc(runnerPools.id))
      .all(),
  findWorkspacePool: (workspaceId: string, poolId: string): WorkspacePoolRow | undefined =>
    db.orm
      .select()
      .from(workspaceRunnerPools)
      .where(
        and(
          eq(workspaceRunnerPools.workspaceId, workspaceId),
          eq(workspaceRunnerPools.poolId, poolId),
          isNull(workspaceRunnerPools.withdrawnAt),
        ),
      )
      .get(),
  findDefault: (workspaceId: string): string | undefined =>
    db.orm
      .select({ poolId: workspaceRunnerPools.poolId })
      .from(workspaceRunnerPools)
      .where(and(eq(workspaceRunnerPools.workspaceId, workspaceId), eq(workspaceRunnerPools.isDefault, true)))
      .get()?.poolId,
  /** Withdraws every pool of a Workspace; those that it may still use are allowed again afterwards. */
  withdrawAll: (workspaceId: string, withdrawnAt: number): void =>
    void db.orm
      .update(workspaceRunnerPools)
      .set({ withdrawnAt, isDefault: false })
      .where(and(eq(workspaceRunnerPools.workspaceId, workspaceId), isNull(workspaceRunnerPools.withdrawnAt)))
      .run(),
  allow: ({ workspaceId, poolId, allowedAt, isDefault }: Omit<WorkspacePoolRow, 'withdrawnAt'>): void =>
    void db.orm
      .insert(workspaceRunnerPools)
      .values({ workspaceId, poolId, allowedAt, isDefault, withdrawnAt: null })
      .onConflictDoUpdate({
        target: [workspaceRunnerPools.workspaceId, workspaceRunnerPools.poolId],
        set: { isDefault, withdrawnAt: null },
      })
      .run(),
});
