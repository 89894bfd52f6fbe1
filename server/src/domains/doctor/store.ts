import { and, asc, desc, eq, gt, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import { auditEvents } from '#server/domains/activity/schema';
import { backups } from '#server/domains/backups/schema';
import { capsules } from '#server/domains/capsules/schema';
import { installConfigs } from '#server/domains/install-configs/schema';
import { planArtifacts } from '#server/domains/plans/schema';
import { runnerMachines } from '#server/domains/runner-pools/schema';
import { runs } from '#server/domains/runs/schema';
import { projectionPages, stateProjections } from '#server/domains/state-resources/schema';
import { outputs, stateVersions } from '#server/domains/state-versions/schema';
import type { LedgerView } from '#server/kernel/db';
import { capsuleRunTypes, type RunStatus } from '#shared/runs/contract';

export type DoctorStore = ReturnType<typeof createDoctorStore>;
/**
 * A column of sealed values; `id` and `workspace` are the columns that the values are bound to where those have other names, null for
 * none.
 */
export type SealedColumn = { table: string; column: string; id?: string; workspace?: string | null };
type SealedValue = { id: string; workspaceId: string; sealed: Buffer };
export type StoredState = typeof stateVersions.$inferSelect;

const auditedTypes = ['plan', 'destroy_plan', 'apply', 'destroy_apply', 'compatibility_check'] as const;

/** Read-only queries for comparing the ledger with the data folder and with itself. */
export function createDoctorStore(view: Pick<LedgerView, 'orm' | 'sqlite'>) {
  return {
    ...ledgerFile(view),
    ...runFacts(view),
    ...openPlans(view),
    ...auditTrail(view),
    ...installedState(view),
    ...poolMachines(view),
  };
}

function ledgerFile({ orm, sqlite }: Pick<LedgerView, 'orm' | 'sqlite'>) {
  return {
    /** Errors that SQLite reports; empty when there are none. */
    integrity: (): string[] =>
      (sqlite.pragma('integrity_check(20)') as { integrity_check: string }[])
        .map((row) => row.integrity_check)
        .filter((line) => line !== 'ok'),
    foreignKeys: (): { table: string; parent: string }[] =>
      sqlite.pragma('foreign_key_check') as { table: string; parent: string }[],
    listSealed({ table, column, id = 'id', workspace = 'workspace_id' }: SealedColumn): SealedValue[] {
      const owner = workspace === null ? sql`''` : sql`ifnull(${sql.identifier(workspace)}, '')`;
      return orm.all<SealedValue>(
        sql`SELECT CAST(${sql.identifier(id)} AS TEXT) AS id, ${owner} AS "workspaceId", ${sql.identifier(column)} AS sealed
          FROM ${sql.identifier(table)} WHERE ${sql.identifier(column)} IS NOT NULL ORDER BY 1`,
      );
    },
  };
}

function runFacts({ orm }: Pick<LedgerView, 'orm'>) {
  return {
    listBackups: (): { id: string; digest: string }[] =>
      orm.select({ id: backups.id, digest: backups.digest }).from(backups).orderBy(asc(backups.seq)).all(),
    listByStatus: (status: RunStatus) =>
      orm
        .select({
          id: runs.id,
          type: runs.type,
          runnerPool: runs.runnerPool,
          capsuleId: runs.capsuleId,
          createdAt: runs.createdAt,
          startedAt: runs.startedAt,
          heartbeatAt: runs.heartbeatAt,
          planExpiresAt: runs.planExpiresAt,
        })
        .from(runs)
        .where(eq(runs.status, status))
        .orderBy(asc(runs.seq))
        .all(),
    findRun: (id: string) =>
      orm.select({ status: runs.status, finishedAt: runs.finishedAt }).from(runs).where(eq(runs.id, id)).get(),
    isCapsuleRunning: (capsuleId: string): boolean =>
      orm
        .select({ id: runs.id })
        .from(runs)
        .where(and(eq(runs.capsuleId, capsuleId), eq(runs.status, 'running'), inArray(runs.type, [...capsuleRunTypes])))
        .limit(1)
        .get() !== undefined,
  };
}

function openPlans({ orm }: Pick<LedgerView, 'orm'>) {
  const isOpen = (now: number): SQL | undefined =>
    and(
      isNull(runs.applyRunId),
      isNull(runs.supersededAt),
      gt(runs.planExpiresAt, now),
      inArray(runs.type, ['plan', 'destroy_plan']),
      inArray(runs.status, ['waiting_approval', 'succeeded']),
    );
  return {
    /** Plans that wait for a person, with the digests of their sealed file and of the files built for them. */
    listOpenPlans: (now: number) =>
      orm
        .select({ id: runs.id, digest: planArtifacts.planFileDigest, builtDigest: planArtifacts.builtDigest })
        .from(runs)
        .leftJoin(planArtifacts, eq(planArtifacts.runId, runs.id))
        .where(isOpen(now))
        .orderBy(asc(runs.seq))
        .all(),
    isPlanOpen: (id: string, now: number): boolean =>
      orm
        .select({ id: runs.id })
        .from(runs)
        .where(and(eq(runs.id, id), isOpen(now)))
        .get() !== undefined,
  };
}

const poolMachines = ({ orm }: Pick<LedgerView, 'orm'>) => ({
  hasActiveMachines: (): boolean =>
    orm
      .select({ id: runnerMachines.id })
      .from(runnerMachines)
      .where(eq(runnerMachines.state, 'active'))
      .limit(1)
      .get() !== undefined,
});

function auditTrail({ orm }: Pick<LedgerView, 'orm'>) {
  return {
    /** Runs that the trail does not name, although every creation of a Run writes a row. */
    listUntoldRuns: (): string[] =>
      orm
        .select({ id: runs.id })
        .from(runs)
        .where(
          and(
            inArray(runs.type, [...auditedTypes]),
            sql`${runs.id} NOT IN (SELECT ${auditEvents.runId} FROM ${auditEvents} WHERE ${auditEvents.runId} IS NOT NULL)`,
          ),
        )
        .orderBy(asc(runs.seq))
        .limit(100)
        .all()
        .map(({ id }) => id),
    newestTime: (): number =>
      orm.select({ at: auditEvents.createdAt }).from(auditEvents).orderBy(desc(auditEvents.seq)).limit(1).get()?.at ??
      0,
  };
}

function installedState({ orm }: Pick<LedgerView, 'orm'>) {
  return {
    listConfigs: () => orm.select().from(installConfigs).orderBy(asc(installConfigs.id)).all(),
    listStateIds: (): string[] =>
      orm
        .select({ id: stateVersions.id })
        .from(stateVersions)
        .orderBy(asc(stateVersions.seq))
        .all()
        .map(({ id }) => id),
    /** StateVersions whose projection lacks pages. */
    listTornProjections: (): string[] =>
      orm
        .select({ id: stateProjections.stateVersionId })
        .from(stateProjections)
        .leftJoin(projectionPages, eq(projectionPages.stateVersionId, stateProjections.stateVersionId))
        .groupBy(stateProjections.stateVersionId)
        .having(sql`count(${projectionPages.id}) <> ${stateProjections.pageCount}`)
        .all()
        .map(({ id }) => id),
    findState: (id: string): StoredState | undefined =>
      orm.select().from(stateVersions).where(eq(stateVersions.id, id)).get(),
    findOutput: (stateVersionId: string) =>
      orm.select().from(outputs).where(eq(outputs.stateVersionId, stateVersionId)).get(),
    /** Capsules whose current state is missing, or has another generation than recorded. */
    listBrokenCapsules: (): string[] =>
      orm
        .select({ id: capsules.id })
        .from(capsules)
        .leftJoin(stateVersions, eq(stateVersions.id, capsules.currentStateVersionId))
        .where(
          sql`${capsules.currentStateVersionId} IS NOT NULL
            AND (${stateVersions.id} IS NULL OR ${stateVersions.generation} <> ${capsules.currentStateGeneration})`,
        )
        .all()
        .map(({ id }) => id),
  };
}
