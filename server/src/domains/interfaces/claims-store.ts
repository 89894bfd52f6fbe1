import { and, eq } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import { resourceClaims } from './schema.ts';

export type ClaimRow = typeof resourceClaims.$inferSelect;
export type ClaimsStore = ReturnType<typeof createClaimsStore>;

export const createClaimsStore = (db: Db) => ({
  find: (uri: string): ClaimRow | undefined =>
    db.orm.select().from(resourceClaims).where(eq(resourceClaims.uri, uri)).get(),
  /** Inserts the claim unless another owner has it. */
  insert: (row: ClaimRow): void => void db.orm.insert(resourceClaims).values(row).onConflictDoNothing().run(),
  delete: ({ uri, ownerKind, ownerId, workspaceId }: ClaimRow): void =>
    void db.orm
      .delete(resourceClaims)
      .where(
        and(
          eq(resourceClaims.uri, uri),
          eq(resourceClaims.workspaceId, workspaceId),
          eq(resourceClaims.ownerKind, ownerKind),
          eq(resourceClaims.ownerId, ownerId),
        ),
      )
      .run(),
});
