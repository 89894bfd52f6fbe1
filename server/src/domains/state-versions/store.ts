import { and, asc, desc, eq, getTableColumns, gt, lt } from 'drizzle-orm';
import { capsules } from '#server/domains/capsules/schema';
import type { Db } from '#server/kernel/db';
import { outputs, stateVersions } from './schema.ts';

export type StateRow = typeof stateVersions.$inferSelect;
/** Without the sealed state itself, which can be large. */
export type StateHead = Omit<StateRow, 'state'>;
export type OutputRow = typeof outputs.$inferSelect;

const { state: _state, ...headColumns } = getTableColumns(stateVersions);

export type StateVersionsStore = ReturnType<typeof createStateVersionsStore>;

export const createStateVersionsStore = (db: Db) => ({
  findHead: (id: string): StateHead | undefined =>
    db.orm.select(headColumns).from(stateVersions).where(eq(stateVersions.id, id)).get(),
  findState: (id: string): StateRow | undefined =>
    db.orm.select().from(stateVersions).where(eq(stateVersions.id, id)).get(),
  findOutput: (stateVersionId: string): OutputRow | undefined =>
    db.orm.select().from(outputs).where(eq(outputs.stateVersionId, stateVersionId)).get(),
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
});
