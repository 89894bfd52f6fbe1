import { and, asc, desc, eq, getTableColumns, gt, inArray, ne } from 'drizzle-orm';
import { capsules } from '#server/domains/capsules/schema';
import type { Db } from '#server/kernel/db';
import type { ProviderBinding } from '#shared/provider-bindings/contract';
import { mintedSecrets, providerBindingSets, providerBindings, runCredentials } from './schema.ts';

export type MintedRow = typeof mintedSecrets.$inferSelect;
export type SetRow = typeof providerBindingSets.$inferSelect;

export function createProviderBindingsStore(db: Db) {
  return {
    ...bindingSets(db),
    ...credentialRows(db),
    ...mintedRows(db),
  };
}

function bindingSets(db: Db) {
  const listBindings = (setId: string): ProviderBinding[] =>
    db.orm
      .select()
      .from(providerBindings)
      .where(eq(providerBindings.setId, setId))
      .orderBy(asc(providerBindings.position))
      .all()
      .map(({ provider, moduleLocalName, childAlias, connectionId }) => ({
        provider,
        moduleLocalName,
        ...(childAlias !== null && { childAlias }),
        connectionId,
      }));
  const isLive = and(eq(capsules.id, providerBindingSets.capsuleId), ne(capsules.status, 'destroyed'));
  return {
    listBindings,
    findSet: (capsuleId: string): SetRow | undefined =>
      db.orm.select().from(providerBindingSets).where(eq(providerBindingSets.capsuleId, capsuleId)).get(),
    /** Creates the set of a Capsule, or marks it as changed. */
    saveSet: (row: SetRow): void =>
      void db.orm
        .insert(providerBindingSets)
        .values(row)
        .onConflictDoUpdate({ target: providerBindingSets.id, set: { updatedAt: row.updatedAt } })
        .run(),
    replaceBindings(setId: string, bindings: readonly ProviderBinding[]): void {
      db.orm.delete(providerBindings).where(eq(providerBindings.setId, setId)).run();
      const rows = bindings.map((binding, position) => ({
        ...binding,
        setId,
        position,
        childAlias: binding.childAlias ?? null,
      }));
      if (rows.length > 0) db.orm.insert(providerBindings).values(rows).run();
    },
    /** Lists the sets of a Workspace that name a Connection, oldest first. Destroyed Capsules are left out. */
    listSetsOf: (at: { connectionId: string; workspaceId: string }, after: string, limit: number): SetRow[] =>
      db.orm
        .select(getTableColumns(providerBindingSets))
        .from(providerBindingSets)
        .innerJoin(capsules, isLive)
        .where(
          and(
            eq(providerBindingSets.workspaceId, at.workspaceId),
            gt(providerBindingSets.id, after),
            inArray(
              providerBindingSets.id,
              db.orm
                .select({ id: providerBindings.setId })
                .from(providerBindings)
                .where(eq(providerBindings.connectionId, at.connectionId)),
            ),
          ),
        )
        .orderBy(asc(providerBindingSets.id))
        .limit(limit)
        .all(),
    listCapsulesOf: (connectionId: string): string[] =>
      db.orm
        .selectDistinct({ capsuleId: providerBindingSets.capsuleId })
        .from(providerBindings)
        .innerJoin(providerBindingSets, eq(providerBindingSets.id, providerBindings.setId))
        .innerJoin(capsules, isLive)
        .where(eq(providerBindings.connectionId, connectionId))
        .orderBy(asc(providerBindingSets.capsuleId))
        .all()
        .map(({ capsuleId }) => capsuleId),
  };
}

/** Credentials that Runs of a Capsule got for themselves. */
function mintedRows(db: Db) {
  return {
    saveMinted: (row: MintedRow): void =>
      void db.orm
        .insert(mintedSecrets)
        .values(row)
        .onConflictDoUpdate({ target: mintedSecrets.id, set: { sealed: row.sealed } })
        .run(),
    /** Newest first. */
    listMinted: (capsuleId: string): MintedRow[] =>
      db.orm
        .select()
        .from(mintedSecrets)
        .where(eq(mintedSecrets.capsuleId, capsuleId))
        .orderBy(desc(mintedSecrets.createdAt), desc(mintedSecrets.id))
        .all(),
    deleteMinted: (ids: readonly string[]): void =>
      void db.orm
        .delete(mintedSecrets)
        .where(inArray(mintedSecrets.id, [...ids]))
        .run(),
  };
}

/** Sealed credentials of Runs. */
function credentialRows(db: Db) {
  return {
    saveCredentials: (row: typeof runCredentials.$inferInsert): void =>
      void db.orm
        .insert(runCredentials)
        .values(row)
        .onConflictDoUpdate({ target: runCredentials.id, set: { sealed: row.sealed } })
        .run(),
    findCredentials: (runId: string): Buffer | undefined =>
      db.orm.select({ sealed: runCredentials.sealed }).from(runCredentials).where(eq(runCredentials.id, runId)).get()
        ?.sealed,
    hasCredentials: (runId: string): boolean =>
      db.orm.select({ id: runCredentials.id }).from(runCredentials).where(eq(runCredentials.id, runId)).get() !==
      undefined,
    deleteCredentials: (runId: string): void =>
      void db.orm.delete(runCredentials).where(eq(runCredentials.id, runId)).run(),
  };
}
export type ProviderBindingsStore = ReturnType<typeof createProviderBindingsStore>;
