import { eq, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Db } from './db.ts';

type OwnedTable = SQLiteTable & { id: SQLiteColumn; workspaceId: SQLiteColumn };

/** Returns the look-up of the Workspace that a record of a table belongs to. The gate makes one for each request. */
export function workspaceFinder({ orm }: Pick<Db, 'orm'>, table: OwnedTable): (id: string) => string | undefined {
  const selectOwner = orm
    .select({ workspaceId: sql<string>`${table.workspaceId}` })
    .from(table)
    .where(eq(table.id, sql.placeholder('id')))
    .prepare();
  return (id) => selectOwner.get({ id })?.workspaceId;
}
