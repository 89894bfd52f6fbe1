import { and, desc, eq, gt, isNull, lt, or, sql } from 'drizzle-orm';
import { accounts } from '#server/domains/identity/schema';
import type { Db } from '#server/kernel/db';
import type { Created } from '#server/kernel/page';
import { accessTokens } from './schema.ts';

export type TokenRow = typeof accessTokens.$inferSelect;
/** A page of the inventory: the total, and whether the row that the page continues from still exists. */
type InventoryPage = { total: number; hasAnchor: boolean; rows: TokenRow[] };

export type TokensStore = ReturnType<typeof createTokensStore>;

export function createTokensStore(db: Db) {
  const live = db.orm
    .select({ token: accessTokens })
    .from(accessTokens)
    .innerJoin(accounts, eq(accounts.id, accessTokens.subject))
    .where(
      and(
        eq(accessTokens.tokenHash, sql.placeholder('tokenHash')),
        isNull(accessTokens.revokedAt),
        isNull(accounts.disabledAt),
        or(isNull(accessTokens.expiresAt), gt(accessTokens.expiresAt, sql.placeholder('now'))),
      ),
    )
    .prepare();
  const used = db.orm
    .select({ at: accessTokens.lastUsedAt })
    .from(accessTokens)
    .where(eq(accessTokens.id, sql.placeholder('id')))
    .prepare();
  return {
    insert: (row: typeof accessTokens.$inferInsert): void => void db.orm.insert(accessTokens).values(row).run(),
    find: (id: string): TokenRow | undefined => db.orm.select().from(accessTokens).where(eq(accessTokens.id, id)).get(),
    findLive: (tokenHash: string, now: number): TokenRow | undefined => live.get({ tokenHash, now })?.token,
    findUse: (id: string): number | undefined => used.get({ id })?.at ?? undefined,
    noteUse: (id: string, at: number): void =>
      void db.orm.update(accessTokens).set({ lastUsedAt: at }).where(eq(accessTokens.id, id)).run(),
    ...revocations(db),
    /** Lists newest first. */
    listBefore(subject: string, before: Created | undefined, limit: number): TokenRow[] {
      const earlier =
        before &&
        or(
          lt(accessTokens.createdAt, before.createdAt),
          and(eq(accessTokens.createdAt, before.createdAt), lt(accessTokens.id, before.id)),
        );
      return db.orm
        .select()
        .from(accessTokens)
        .where(and(eq(accessTokens.subject, subject), earlier))
        .orderBy(desc(accessTokens.createdAt), desc(accessTokens.id))
        .limit(limit)
        .all();
    },
    /** Reads count, anchor and page in one statement, so that they are consistent. */
    readInventory(subject: string, anchor: Created | undefined, limit: number): InventoryPage {
      const mine = sql`${accessTokens.subject} = ${subject}`;
      const anchorKey = anchor && sql`(${anchor.createdAt}, ${anchor.id})`;
      const key = sql`(${accessTokens.createdAt}, ${accessTokens.id})`;
      const [first, ...rest] = db.orm.all<InventoryRow>(sql`
        SELECT
          (SELECT count(*) FROM ${accessTokens} WHERE ${mine}) AS total,
          ${anchorKey ? sql`EXISTS (SELECT 1 FROM ${accessTokens} WHERE ${mine} AND ${key} = ${anchorKey})` : sql`1`} AS hasAnchor,
          page.*
        FROM (SELECT 1) LEFT JOIN (
          SELECT id, token_hash AS tokenHash, subject, name, prefix, scopes, workspace_id AS workspaceId,
            created_at AS createdAt, expires_at AS expiresAt, revoked_at AS revokedAt, last_used_at AS lastUsedAt
          FROM ${accessTokens} WHERE ${mine} ${anchorKey ? sql`AND ${key} > ${anchorKey}` : sql``}
          ORDER BY created_at, id LIMIT ${limit}
        ) AS page ON true`);
      if (!first) throw new Error('a statement with a row for every answer gave none');
      const rows = [first, ...rest].flatMap(({ total: _, hasAnchor: __, ...row }) => (row.id === null ? [] : row));
      return {
        total: first.total,
        hasAnchor: first.hasAnchor === 1,
        rows: rows.map((row) => ({ ...(row as StoredToken), scopes: JSON.parse(row.scopes ?? '[]') })),
      };
    },
  };
}

const revocations = (db: Db) => ({
  revoke: (id: string, at: number): boolean =>
    db.orm
      .update(accessTokens)
      .set({ revokedAt: at })
      .where(and(eq(accessTokens.id, id), isNull(accessTokens.revokedAt)))
      .run().changes === 1,
  /** Lists the tokens that are bound to a Workspace and not revoked. */
  listBound: (workspaceId: string): string[] =>
    db.orm
      .select({ id: accessTokens.id })
      .from(accessTokens)
      .where(and(eq(accessTokens.workspaceId, workspaceId), isNull(accessTokens.revokedAt)))
      .all()
      .map(({ id }) => id),
  /** Revokes every token that has not expired. Returns their number. */
  revokeEvery: (at: number): number =>
    db.orm
      .update(accessTokens)
      .set({ revokedAt: at })
      .where(and(isNull(accessTokens.revokedAt), or(isNull(accessTokens.expiresAt), gt(accessTokens.expiresAt, at))))
      .run().changes,
});

/** A row of a statement that the query builder did not write: JSON is still text. */
type StoredToken = Omit<TokenRow, 'scopes'> & { scopes: string };
type InventoryRow = { total: number; hasAnchor: number } & { [Key in keyof StoredToken]: StoredToken[Key] | null };
