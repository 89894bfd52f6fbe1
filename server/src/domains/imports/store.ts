import { and, asc, desc, eq, inArray, isNotNull, isNull, lt, lte, ne, or, sql } from 'drizzle-orm';
import { capsules } from '#server/domains/capsules/schema';
import { runs } from '#server/domains/runs/schema';
import type { LineageHolder } from '#server/domains/state-versions/index';
import type { Db } from '#server/kernel/db';
import { imports } from './schema.ts';

export type ImportRow = typeof imports.$inferSelect;
export type NewImport = Omit<ImportRow, 'seq'>;
export type ImportsStore = ReturnType<typeof createImportsStore>;

export const createImportsStore = ({ orm }: Pick<Db, 'orm'>) => ({
  insert: (row: NewImport): void => void orm.insert(imports).values(row).run(),
  find: (id: string): ImportRow | undefined => orm.select().from(imports).where(eq(imports.id, id)).get(),
  findWorkspace: (id: string): string | undefined =>
    orm.select({ workspaceId: imports.workspaceId }).from(imports).where(eq(imports.id, id)).get()?.workspaceId,
  /** Returns the newest import of these bytes into a Workspace, without those of destroyed Capsules. */
  findByDigest: (workspaceId: string, digest: string): ImportRow | undefined =>
    orm
      .select()
      .from(imports)
      .leftJoin(capsules, eq(capsules.id, imports.capsuleId))
      .where(
        and(
          eq(imports.workspaceId, workspaceId),
          eq(imports.digest, digest),
          or(isNull(imports.capsuleId), ne(capsules.status, 'destroyed')),
        ),
      )
      .orderBy(desc(imports.seq))
      .limit(1)
      .get()?.imports,
  listPage: (workspaceId: string, before: number, limit: number): ImportRow[] =>
    orm
      .select()
      .from(imports)
      .where(and(eq(imports.workspaceId, workspaceId), lt(imports.seq, before)))
      .orderBy(desc(imports.seq))
      .limit(limit)
      .all(),
  update: (id: string, set: Partial<ImportRow>): void =>
    void orm.update(imports).set(set).where(eq(imports.id, id)).run(),
  /** Deletes the states that a restore Run has given to their Capsules. */
  deleteStates: (runId: string): void =>
    void orm.update(imports).set({ state: null }).where(eq(imports.runId, runId)).run(),
  /** Deletes an upload that no Capsule has. Returns whether there was one. */
  deleteUnused: (id: string): boolean =>
    orm
      .delete(imports)
      .where(and(eq(imports.id, id), isNull(imports.capsuleId)))
      .run().changes === 1,
  findOldestUnused: (): number | undefined =>
    orm
      .select({ updatedAt: imports.updatedAt })
      .from(imports)
      .where(isNull(imports.capsuleId))
      .orderBy(asc(imports.updatedAt))
      .limit(1)
      .get()?.updatedAt,
  listUnusedSince: (at: number, limit: number): { id: string }[] =>
    orm
      .select({ id: imports.id })
      .from(imports)
      .where(and(isNull(imports.capsuleId), lte(imports.updatedAt, at)))
      .orderBy(asc(imports.updatedAt))
      .limit(limit)
      .all(),
  /** Returns the Capsule that gets a state of a lineage from an import whose restore Run has not ended. */
  findExpectedHolder: (lineage: string): LineageHolder | undefined =>
    orm
      .select({ capsuleId: runs.capsuleId, workspaceId: runs.workspaceId })
      .from(imports)
      .innerJoin(runs, eq(runs.id, imports.runId))
      .where(
        and(
          isNotNull(runs.capsuleId),
          inArray(runs.status, ['waiting_approval', 'queued', 'running']),
          sql`${imports.summary} ->> '$.lineage' = ${lineage}`,
        ),
      )
      .limit(1)
      .get() as LineageHolder | undefined,
});
