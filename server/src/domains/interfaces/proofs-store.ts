import { and, asc, eq } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import { hostnameProofs } from './schema.ts';

export type ProofRow = typeof hostnameProofs.$inferSelect;
export type ProofsStore = ReturnType<typeof createProofsStore>;

export const createProofsStore = (db: Db) => ({
  find: (workspaceId: string, hostname: string): ProofRow | undefined =>
    db.orm
      .select()
      .from(hostnameProofs)
      .where(and(eq(hostnameProofs.workspaceId, workspaceId), eq(hostnameProofs.hostname, hostname)))
      .get(),
  list: (workspaceId: string): ProofRow[] =>
    db.orm
      .select()
      .from(hostnameProofs)
      .where(eq(hostnameProofs.workspaceId, workspaceId))
      .orderBy(asc(hostnameProofs.hostname))
      .all(),
  insert: (row: ProofRow): void => void db.orm.insert(hostnameProofs).values(row).run(),
  delete: (workspaceId: string, hostname: string): boolean =>
    db.orm
      .delete(hostnameProofs)
      .where(and(eq(hostnameProofs.workspaceId, workspaceId), eq(hostnameProofs.hostname, hostname)))
      .run().changes === 1,
});
