import { and, asc, count, eq, inArray, isNotNull, isNull, ne, or } from 'drizzle-orm';
import { auditEvents } from '#server/domains/activity/schema';
import { backups } from '#server/domains/backups/schema';
import { capsules } from '#server/domains/capsules/schema';
import { copies } from '#server/domains/copies/schema';
import { formResources } from '#server/domains/form-resources/schema';
import { outputShares } from '#server/domains/output-shares/schema';
import { runs } from '#server/domains/runs/schema';
import { stateVersions } from '#server/domains/state-versions/schema';
import type { Db } from '#server/kernel/db';
import type { DeletedRecords } from '#shared/workspace-deletions/contract';
import { workspaceDeletions } from './schema.ts';
import { actingTables, historyTables, type WorkspaceTable } from './tables.ts';

export type DeletionRow = typeof workspaceDeletions.$inferSelect;
export type DeletionsStore = ReturnType<typeof createDeletionsStore>;
type Ledger = Pick<Db, 'orm' | 'sqlite'>;

export function createDeletionsStore(db: Ledger) {
  return { ...tombstones(db), ...rowsOfWorkspace(db), ...capsuleRows(db), ...otherUse(db), ...files(db) };
}

function tombstones({ orm }: Ledger) {
  return {
    insertDeletion: (row: DeletionRow): void => void orm.insert(workspaceDeletions).values(row).run(),
    findDeletion: (workspaceId: string): DeletionRow | undefined =>
      orm.select().from(workspaceDeletions).where(eq(workspaceDeletions.workspaceId, workspaceId)).get(),
    listOpenDeletions: (): string[] =>
      orm
        .select({ id: workspaceDeletions.workspaceId })
        .from(workspaceDeletions)
        .where(isNull(workspaceDeletions.completedAt))
        .orderBy(asc(workspaceDeletions.deletedAt))
        .all()
        .map(({ id }) => id),
    completeDeletion: (workspaceId: string, completedAt: number): void =>
      void orm
        .update(workspaceDeletions)
        .set({ completedAt })
        .where(eq(workspaceDeletions.workspaceId, workspaceId))
        .run(),
    countAuditEvents: (workspaceId: string): number =>
      orm.select({ n: count() }).from(auditEvents).where(eq(auditEvents.workspaceId, workspaceId)).get()?.n ?? 0,
  };
}

/** Deletes and counts rows by the list of tables. Their names come from the code only. */
function rowsOfWorkspace({ sqlite }: Ledger) {
  const remove = ({ name, where }: WorkspaceTable, workspaceId: string, rows: number): number =>
    sqlite.prepare(`DELETE FROM ${name} WHERE ${where} LIMIT :rows`).run({ workspaceId, rows }).changes;
  const removeAll = (tables: readonly WorkspaceTable[], workspace: string): number =>
    tables.reduce((sum, table) => sum + remove(table, workspace, -1), 0);
  const countIn = (name: string, workspace: string): number =>
    sqlite.prepare(`SELECT count(*) FROM ${name} WHERE workspace_id = ?`).pluck().get(workspace) as number;
  return {
    deleteActing: (workspaceId: string): void => void removeAll(actingTables, workspaceId),
    /** Deletes some rows of a table; returns whether more may be left. */
    deleteSome: (table: WorkspaceTable, workspaceId: string): boolean =>
      remove(table, workspaceId, table.rows) === table.rows,
    /** Deletes every row that is left, of all tables. */
    deleteRest: (workspaceId: string): void => void removeAll([...actingTables, ...historyTables], workspaceId),
    countRecords: (workspaceId: string): DeletedRecords => ({
      capsules: countIn('capsules', workspaceId),
      stateVersions: countIn('state_versions', workspaceId),
      runs: countIn('runs', workspaceId),
      sources: countIn('sources', workspaceId),
      connections: countIn('connections', workspaceId),
      webhooks: countIn('webhooks', workspaceId),
      members: countIn('members', workspaceId),
      tokens: countIn('access_tokens', workspaceId),
      formResources: countIn('form_resources', workspaceId),
    }),
  };
}

function capsuleRows({ orm }: Ledger) {
  const isIn = (workspaceId: string) => eq(capsules.workspaceId, workspaceId);
  const hasResources = or(
    isNotNull(capsules.currentStateVersionId),
    eq(capsules.runtimeSafety, 'unknown'),
    inArray(capsules.status, ['active', 'stale', 'error', 'disabled']),
  );
  return {
    listCopyIds: (workspaceId: string): string[] =>
      orm
        .select({ id: copies.id })
        .from(copies)
        .where(eq(copies.workspaceId, workspaceId))
        .all()
        .map(({ id }) => id),
    countCapsules: (workspaceId: string) =>
      orm
        .select({ status: capsules.status, n: count() })
        .from(capsules)
        .where(isIn(workspaceId))
        .groupBy(capsules.status)
        .all(),
    listBackupIds: (workspaceId: string): string[] =>
      orm
        .select({ id: backups.id })
        .from(backups)
        .where(eq(backups.workspaceId, workspaceId))
        .all()
        .map(({ id }) => id),
    listCapsuleIds: (workspaceId: string): string[] =>
      orm
        .select({ id: capsules.id })
        .from(capsules)
        .where(isIn(workspaceId))
        .all()
        .map(({ id }) => id),
    /** Lists the Capsules that have, or may have, resources. */
    listWithResources: (workspaceId: string) =>
      orm
        .select({
          id: capsules.id,
          name: capsules.name,
          environment: capsules.environment,
          status: capsules.status,
          resourceCount: stateVersions.resourceCount,
        })
        .from(capsules)
        .leftJoin(stateVersions, eq(stateVersions.id, capsules.currentStateVersionId))
        .where(and(isIn(workspaceId), ne(capsules.status, 'destroyed'), hasResources))
        .orderBy(asc(capsules.name), asc(capsules.id))
        .all(),
  };
}

/** Runs, shares and credentials that a deletion would cut off. */
function otherUse({ orm, sqlite }: Ledger) {
  const isOurs = (workspaceId: string) =>
    or(eq(outputShares.fromWorkspaceId, workspaceId), eq(outputShares.toWorkspaceId, workspaceId));
  return {
    countBusyRuns: (workspaceId: string): number =>
      orm
        .select({ n: count() })
        .from(runs)
        .where(and(eq(runs.workspaceId, workspaceId), inArray(runs.status, ['queued', 'running'])))
        .get()?.n ?? 0,
    /** Counts credentials of Runs that are not revoked at their service yet. */
    countPendingRevocations: (workspaceId: string): number =>
      sqlite
        .prepare(
          'SELECT count(*) FROM credential_issuances WHERE run_id IN (SELECT id FROM runs WHERE workspace_id = ?)',
        )
        .pluck()
        .get(workspaceId) as number,
    listSharesInUse: (workspaceId: string) =>
      orm
        .select({
          id: outputShares.id,
          toWorkspaceId: outputShares.toWorkspaceId,
          capsuleName: capsules.name,
          outputs: outputShares.outputs,
        })
        .from(outputShares)
        .innerJoin(capsules, eq(capsules.id, outputShares.producerCapsuleId))
        .where(
          and(
            eq(outputShares.fromWorkspaceId, workspaceId),
            ne(outputShares.toWorkspaceId, workspaceId),
            eq(outputShares.status, 'active'),
          ),
        )
        .orderBy(asc(outputShares.createdAt), asc(outputShares.id))
        .all(),
    listLiveShares: (workspaceId: string): string[] =>
      orm
        .select({ id: outputShares.id })
        .from(outputShares)
        .where(and(isOurs(workspaceId), ne(outputShares.status, 'revoked')))
        .all()
        .map(({ id }) => id),
    /** Lists the Dependencies of other Workspaces on Capsules of this one. */
    listDependents: (workspaceId: string): string[] =>
      sqlite
        .prepare(
          `SELECT id FROM dependencies WHERE workspace_id <> :workspace
           AND producer_capsule_id IN (SELECT id FROM capsules WHERE workspace_id = :workspace)`,
        )
        .pluck()
        .all({ workspace: workspaceId }) as string[],
  };
}

/** The Runs and Resources, which own files of the data folder. */
const files = ({ orm }: Ledger) => ({
  listNativeIds: (workspaceId: string): string[] =>
    orm
      .select({ id: formResources.nativeId })
      .from(formResources)
      .where(eq(formResources.workspaceId, workspaceId))
      .all()
      .map(({ id }) => id),
  isNativeId: (id: string): boolean =>
    orm.select({ id: formResources.id }).from(formResources).where(eq(formResources.nativeId, id)).get() !== undefined,
  listRunIds: (workspaceId: string): string[] =>
    orm
      .select({ id: runs.id })
      .from(runs)
      .where(eq(runs.workspaceId, workspaceId))
      .all()
      .map(({ id }) => id),
});
