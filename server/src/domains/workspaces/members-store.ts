import { and, asc, count, eq, gt, isNull } from 'drizzle-orm';
import { accounts } from '#server/domains/identity/schema';
import type { Db } from '#server/kernel/db';
import type { Role } from '#shared/permissions';
import { invitations, members } from './schema.ts';

/** A membership with the name and e-mail of its account. */
export type MemberRow = typeof members.$inferSelect & { email: string | null; displayName: string | null };
type InvitationRow = typeof invitations.$inferSelect;
export type MembersStore = ReturnType<typeof createMembersStore>;
export type MemberKey = Pick<MemberRow, 'workspaceId' | 'accountId'>;

const isMember = ({ workspaceId, accountId }: MemberKey) =>
  and(eq(members.workspaceId, workspaceId), eq(members.accountId, accountId));

export function createMembersStore(db: Db) {
  const named = () =>
    db.orm
      .select({ member: members, email: accounts.email, displayName: accounts.displayName })
      .from(members)
      .innerJoin(accounts, eq(accounts.id, members.accountId));
  const open = (now: number) =>
    and(gt(invitations.expiresAt, now), isNull(invitations.usedAt), isNull(invitations.withdrawnAt));
  return {
    listMembers: (workspaceId: string): MemberRow[] =>
      named()
        .where(eq(members.workspaceId, workspaceId))
        .orderBy(asc(members.createdAt), asc(members.id))
        .all()
        .map(({ member, ...names }) => ({ ...member, ...names })),
    findMember(key: MemberKey): MemberRow | undefined {
      const row = named().where(isMember(key)).get();
      return row && { ...row.member, email: row.email, displayName: row.displayName };
    },
    insertMember: (row: typeof members.$inferInsert): void => void db.orm.insert(members).values(row).run(),
    /** Changes the role, the status or the account of a membership. */
    updateMember: (
      key: MemberKey,
      values: Partial<Pick<MemberRow, 'role' | 'status' | 'accountId'>> & { updatedAt: number },
    ): void => void db.orm.update(members).set(values).where(isMember(key)).run(),
    countOwners: (workspaceId: string): number =>
      db.orm
        .select({ n: count() })
        .from(members)
        .where(
          and(
            eq(members.workspaceId, workspaceId),
            eq(members.role, 'owner' satisfies Role),
            eq(members.status, 'active'),
          ),
        )
        .get()?.n ?? 0,

    insertInvitation: (row: typeof invitations.$inferInsert): void => void db.orm.insert(invitations).values(row).run(),
    findInvitation: (tokenHash: string, now: number): InvitationRow | undefined =>
      db.orm
        .select()
        .from(invitations)
        .where(and(eq(invitations.tokenHash, tokenHash), open(now)))
        .get(),
    listInvitations: (accountId: string, now: number): InvitationRow[] =>
      db.orm
        .select()
        .from(invitations)
        .where(and(eq(invitations.accountId, accountId), open(now)))
        .orderBy(asc(invitations.createdAt), asc(invitations.id))
        .all(),
    /** Marks an invitation as used; returns false when it is used, withdrawn or expired. */
    spendInvitation: (id: string, now: number): boolean =>
      db.orm
        .update(invitations)
        .set({ usedAt: now })
        .where(and(eq(invitations.id, id), open(now)))
        .run().changes === 1,
    /** Withdraws every open invitation. Returns their number. */
    withdrawEvery: (now: number): number =>
      db.orm.update(invitations).set({ withdrawnAt: now }).where(open(now)).run().changes,
    withdrawInvitations: ({ workspaceId, accountId }: MemberKey, now: number): void =>
      void db.orm
        .update(invitations)
        .set({ withdrawnAt: now })
        .where(and(eq(invitations.workspaceId, workspaceId), eq(invitations.accountId, accountId), open(now)))
        .run(),
  };
}
