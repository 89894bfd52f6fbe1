import { and, asc, desc, eq, getTableColumns, gt, lt, ne } from 'drizzle-orm';
import { capsules } from '#server/domains/capsules/schema';
import type { Db } from '#server/kernel/db';
import { workspaceFinder } from '#server/kernel/workspace-finder';
import { outputs, stateVersions } from './schema.ts';

export type StateRow = typeof stateVersions.$inferSelect;
/** Without the sealed state itself, which can be large. */
export type StateHead = Omit<StateRow, 'state'>;
/** Capsule that manages the resources of a lineage. */
export type LineageHolder = { capsuleId: string; workspaceId: string };
export type OutputRow = typeof outputs.$inferSelect;

const { state: _state, ...headColumns } = getTableColumns(stateVersions);

export type StateVersionsStore = ReturnType<typeof createStateVersionsStore>;

export const createStateVersionsStore = (db: Db) => ({
  findWorkspace: workspaceFinder(db, stateVersions),
  findHead: (id: string): StateHead | undefined =>
    db.orm.select(headColumns).from(stateVersions).where(eq(stateVersions.id, id)).get(),
  findState: (id: string): StateRow | undefined =>
    db.orm.select().from(stateVersions).where(eq(stateVersions.id, id)).get(),
  findOutput: (stateVersionId: string): OutputRow | undefined =>
    db.orm.select().from(outputs).where(eq(outputs.stateVersionId, stateVersionId)).get(),
  findDigestOfRun: (runId: string): string | undefined =>
    db.orm
      .select({ digest: stateVersions.stateDigest })
      .from(stateVersions)
      .where(eq(stateVersions.createdByRunId, runId))
      .get()?.digest,
  insertState: (row: Omit<StateRow, 'seq'>): void => void db.orm.insert(stateVersions).values(row).run(),
  insertOutput: (row: OutputRow): void => void db.orm.insert(outputs).values(row).run(),
  listHeads: (capsuleId: string, limit: number, before: number): StateHead[] =>
    db.orm
      .select(headColumns)
      .from(stateVersions)
      .where(and(eq(stateVersions.capsuleId, capsuleId), lt(stateVersions.seq, before)))
      .orderBy(desc(stateVersions.seq))
      .limit(limit)
      .all(),
  /** Lists in the order of the Capsules; those without state are skipped. */
  listCurrent: (workspaceId: string, limit: number, afterCapsule: string): StateHead[] =>
    db.orm
      .select(headColumns)
      .from(capsules)
      .innerJoin(stateVersions, eq(stateVersions.id, capsules.currentStateVersionId))
      .where(and(eq(capsules.workspaceId, workspaceId), gt(capsules.id, afterCapsule)))
      .orderBy(asc(capsules.id))
      .limit(limit)
      .all(),
  /** Returns a Capsule of any Workspace that is not destroyed and whose current state has a lineage. */
  findHolder: (lineage: string): LineageHolder | undefined =>
    db.orm
      .select({ capsuleId: capsules.id, workspaceId: capsules.workspaceId })
      .from(capsules)
      .innerJoin(stateVersions, eq(stateVersions.id, capsules.currentStateVersionId))
      .where(and(ne(capsules.status, 'destroyed'), eq(stateVersions.lineage, lineage)))
      .limit(1)
      .get(),
});
