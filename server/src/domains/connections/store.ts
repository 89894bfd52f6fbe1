import { and, asc, desc, eq, isNull, or, type SQL, sql } from 'drizzle-orm';
import { isAfter, isBefore } from '#server/kernel/conditions';
import type { Db } from '#server/kernel/db';
import type { Created } from '#server/kernel/page';
import { connectionMaterials, connections, connectionUses } from './schema.ts';

export type ConnectionRow = typeof connections.$inferSelect;
export type MaterialRow = typeof connectionMaterials.$inferSelect;
export type UseRow = typeof connectionUses.$inferSelect;
export type ConnectionsStore = ReturnType<typeof createConnectionsStore>;

export function createConnectionsStore(db: Db) {
  return {
    ...connectionRows(db),
    ...materialRows(db),
    ...connectionUseRows(db),
  };
}

function connectionRows(db: Db) {
  const one = db.orm
    .select()
    .from(connections)
    .where(eq(connections.id, sql.placeholder('id')))
    .prepare();
  const list = (where: SQL | undefined): ConnectionRow[] =>
    db.orm.select().from(connections).where(where).orderBy(asc(connections.createdAt), asc(connections.id)).all();
  return {
    find: (id: string): ConnectionRow | undefined => one.get({ id }),
    insert(row: ConnectionRow, materials: readonly MaterialRow[]): void {
      db.orm.insert(connections).values(row).run();
      if (materials.length > 0)
        db.orm
          .insert(connectionMaterials)
          .values([...materials])
          .run();
    },
    update: (id: string, set: Partial<ConnectionRow>): void =>
      void db.orm.update(connections).set(set).where(eq(connections.id, id)).run(),
    /** One page of a Workspace, or of the operator. */
    listPage: (workspaceId: string | null, after: Created, limit: number): ConnectionRow[] =>
      db.orm
        .select()
        .from(connections)
        .where(
          and(
            workspaceId === null ? isNull(connections.workspaceId) : eq(connections.workspaceId, workspaceId),
            isAfter([connections.createdAt, connections.id], [after.createdAt, after.id]),
          ),
        )
        .orderBy(asc(connections.createdAt), asc(connections.id))
        .limit(limit)
        .all(),
    /** The Connections of a Workspace that have a kind. */
    listOfKind: (workspaceId: string, kind: NonNullable<ConnectionRow['kind']>): ConnectionRow[] =>
      list(and(eq(connections.workspaceId, workspaceId), eq(connections.kind, kind))),
    /** All Connections that a Workspace may bind to providers: its own and the operator's. */
    listForProviders: (workspaceId: string): ConnectionRow[] =>
      list(
        and(or(eq(connections.workspaceId, workspaceId), isNull(connections.workspaceId)), isNull(connections.kind)),
      ),
  };
}

function materialRows(db: Db) {
  return {
    listMaterials: (connectionId: string): MaterialRow[] =>
      db.orm
        .select()
        .from(connectionMaterials)
        .where(eq(connectionMaterials.connectionId, connectionId))
        .orderBy(asc(connectionMaterials.id))
        .all(),
    /** Replaces a sealed value that still exists. */
    replaceMaterial: ({ id, sealed }: Pick<MaterialRow, 'id' | 'sealed'>): void =>
      void db.orm.update(connectionMaterials).set({ sealed }).where(eq(connectionMaterials.id, id)).run(),
    deleteMaterials: (connectionId: string): number =>
      db.orm.delete(connectionMaterials).where(eq(connectionMaterials.connectionId, connectionId)).run().changes,
  };
}

function connectionUseRows(db: Db) {
  return {
    /** One row per Run, with every name that was issued to it. */
    saveUse(row: UseRow): void {
      const { names, usedAt } = row;
      const target = [connectionUses.connectionId, connectionUses.runId];
      db.orm.insert(connectionUses).values(row).onConflictDoUpdate({ target, set: { names, usedAt } }).run();
    },
    findUse: (connectionId: string, runId: string): UseRow | undefined =>
      db.orm
        .select()
        .from(connectionUses)
        .where(and(eq(connectionUses.connectionId, connectionId), eq(connectionUses.runId, runId)))
        .get(),
    listUses: (connectionId: string, before: { usedAt: number; runId: string }, limit: number): UseRow[] =>
      db.orm
        .select()
        .from(connectionUses)
        .where(
          and(
            eq(connectionUses.connectionId, connectionId),
            isBefore([connectionUses.usedAt, connectionUses.runId], [before.usedAt, before.runId]),
          ),
        )
        .orderBy(desc(connectionUses.usedAt), desc(connectionUses.runId))
        .limit(limit)
        .all(),
  };
}
