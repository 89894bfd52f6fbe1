import { and, asc, eq } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import type { OwnerRef } from '#shared/interfaces/contract';
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
  /** Returns the proof of a hostname in any Workspace. */
  findAnywhere: (hostname: string): ProofRow | undefined =>
    db.orm.select().from(hostnameProofs).where(eq(hostnameProofs.hostname, hostname)).get(),
  list: (workspaceId: string): ProofRow[] =>
    db.orm
      .select()
      .from(hostnameProofs)
      .where(eq(hostnameProofs.workspaceId, workspaceId))
      .orderBy(asc(hostnameProofs.createdAt), asc(hostnameProofs.hostname))
      .all(),
  listOfOwner: (workspaceId: string, { kind, id }: OwnerRef): ProofRow[] =>
    db.orm
      .select()
      .from(hostnameProofs)
      .where(
        and(
          eq(hostnameProofs.workspaceId, workspaceId),
          eq(hostnameProofs.ownerKind, kind),
          eq(hostnameProofs.ownerId, id),
        ),
      )
      .all(),
  insert: (row: ProofRow): void => void db.orm.insert(hostnameProofs).values(row).run(),
  delete: ({ workspaceId, hostname }: Pick<ProofRow, 'workspaceId' | 'hostname'>): void =>
    void db.orm
      .delete(hostnameProofs)
      .where(and(eq(hostnameProofs.workspaceId, workspaceId), eq(hostnameProofs.hostname, hostname)))
      .run(),
});
