import { and, asc, count, desc, eq, isNull, ne, sql } from 'drizzle-orm';
import type { KeyRegistry, WrappedKey } from '#server/drivers/vault/index';
import type { Db } from '#server/kernel/db';
import { dataKeys, installationSecrets, keyJobs, masterKeys } from './schema.ts';

export type MasterRow = typeof masterKeys.$inferSelect;
export type JobRow = typeof keyJobs.$inferSelect;
export type KeysStore = ReturnType<typeof createKeysStore>;

/** A column of sealed values: the row's own id and its Workspace are part of what each value is bound to. */
export type SealedColumn = {
  table: string;
  column: string;
  /** Column with the id of the row; `id` by default. */
  id?: string;
  /** Column with the Workspace; `workspace_id` by default, null for values of the installation. */
  workspace?: string | null;
  /** True when the ids are numbers, which are sealed with as texts. */
  isNumbered?: boolean;
};
export type SealedRow = { id: string; workspaceId: string; bytes: number };

const wrapped = {
  scope: dataKeys.scope,
  version: dataKeys.version,
  masterKeyId: dataKeys.masterKeyId,
  wrapped: dataKeys.wrapped,
};

export function createKeysStore(db: Pick<Db, 'orm' | 'sqlite'>, now: () => number) {
  return {
    ...dataKeyRows(db, now),
    ...secretRows(db),
    ...masterKeyRows(db, now),
    ...jobRows(db, now),
    ...sealedValues(db),
  };
}

function dataKeyRows({ orm }: Pick<Db, 'orm'>, now: () => number) {
  const one = orm
    .select(wrapped)
    .from(dataKeys)
    .where(and(eq(dataKeys.scope, sql.placeholder('scope')), eq(dataKeys.version, sql.placeholder('version'))))
    .prepare();
  const newest = orm
    .select(wrapped)
    .from(dataKeys)
    .where(eq(dataKeys.scope, sql.placeholder('scope')))
    .orderBy(desc(dataKeys.version))
    .limit(1)
    .prepare();
  return {
    findKey: (scope: string, version: number): WrappedKey | undefined => one.get({ scope, version }),
    findNewestKey: (scope: string): WrappedKey | undefined => newest.get({ scope }),
    insertKey: (row: WrappedKey): void =>
      void orm
        .insert(dataKeys)
        .values({ ...row, createdAt: now() })
        .run(),
    listKeys: (): WrappedKey[] =>
      orm.select(wrapped).from(dataKeys).orderBy(asc(dataKeys.scope), asc(dataKeys.version)).all(),
    replaceWrapping: ({ scope, version, masterKeyId, wrapped }: WrappedKey): void =>
      void orm
        .update(dataKeys)
        .set({ masterKeyId, wrapped })
        .where(and(eq(dataKeys.scope, scope), eq(dataKeys.version, version)))
        .run(),
    deleteKey: (scope: string, version: number): void =>
      void orm
        .delete(dataKeys)
        .where(and(eq(dataKeys.scope, scope), eq(dataKeys.version, version)))
        .run(),
    /** Rewrites the table: pages keep copies of rows that were moved, and released pages are overwritten completely. */
    rewriteKeys(): void {
      const rows = orm.select().from(dataKeys).all();
      orm.delete(dataKeys).run();
      for (const row of rows) orm.insert(dataKeys).values(row).run();
    },
    deleteScope: (scope: string): number => orm.delete(dataKeys).where(eq(dataKeys.scope, scope)).run().changes,
    countOldKeys: (): number => {
      const { n } = orm.select({ n: count() }).from(dataKeys).get() ?? { n: 0 };
      const scopes = orm.selectDistinct({ scope: dataKeys.scope }).from(dataKeys).where(ne(dataKeys.scope, 'interim'));
      return n - scopes.all().length;
    },
  };
}

function secretRows({ orm }: Pick<Db, 'orm'>) {
  return {
    findSecret: (purpose: string): Buffer | undefined =>
      orm
        .select({ sealed: installationSecrets.sealed })
        .from(installationSecrets)
        .where(eq(installationSecrets.purpose, purpose))
        .get()?.sealed,
    listSecrets: (): { purpose: string; sealed: Buffer }[] => orm.select().from(installationSecrets).all(),
    insertSecret: (purpose: string, sealed: Buffer): void =>
      void orm.insert(installationSecrets).values({ purpose, sealed }).run(),
  };
}

function masterKeyRows({ orm }: Pick<Db, 'orm'>, now: () => number) {
  return {
    findMaster: (state: MasterRow['state']): MasterRow | undefined =>
      orm.select().from(masterKeys).where(eq(masterKeys.state, state)).limit(1).get(),
    listOtherMasters: (): MasterRow[] => orm.select().from(masterKeys).where(ne(masterKeys.state, 'active')).all(),
    insertMaster: (row: Omit<MasterRow, 'createdAt'>): void =>
      void orm
        .insert(masterKeys)
        .values({ ...row, createdAt: now() })
        .run(),
    setMasterState: (id: string, state: MasterRow['state']): void =>
      void orm.update(masterKeys).set({ state }).where(eq(masterKeys.id, id)).run(),
    /** Records where a key is stored now, which no passphrase derives any more. */
    setMasterSource: (id: string, source: MasterRow['source']): void =>
      void orm.update(masterKeys).set({ source, params: null }).where(eq(masterKeys.id, id)).run(),
    deleteMaster: (id: string): void => void orm.delete(masterKeys).where(eq(masterKeys.id, id)).run(),
  };
}

function jobRows({ orm }: Pick<Db, 'orm'>, now: () => number) {
  return {
    insertJob: (kind: JobRow['kind']): void =>
      void orm
        .insert(keyJobs)
        .values({ kind, column: '', after: '', resealed: 0, unreadable: 0, startedAt: now() })
        .run(),
    findOpenJob: (): JobRow | undefined =>
      orm.select().from(keyJobs).where(isNull(keyJobs.finishedAt)).orderBy(asc(keyJobs.id)).limit(1).get(),
    findNewestJob: (): JobRow | undefined => orm.select().from(keyJobs).orderBy(desc(keyJobs.id)).limit(1).get(),
    updateJob: (id: number, set: Partial<JobRow>): void =>
      void orm.update(keyJobs).set(set).where(eq(keyJobs.id, id)).run(),
  };
}

/** Sealed values in the columns of every domain, and the file that holds them. */
function sealedValues(db: Pick<Db, 'sqlite'>) {
  return {
    /** Rows of a sealed column after a cursor, in the order of their ids, with only the size of their values. */
    listSealed(column: SealedColumn, after: string, limit: number): SealedRow[] {
      const { table, value, id, workspace } = quoted(column);
      return db.sqlite
        .prepare(
          `SELECT ${id} AS id, ${workspace} AS workspaceId, length(${value}) AS bytes FROM ${table}
           WHERE ${id} > ? AND ${value} IS NOT NULL ORDER BY ${id} LIMIT ?`,
        )
        .all(after, limit) as SealedRow[];
    },
    readSealed(column: SealedColumn, rowId: string): Buffer | undefined {
      const { table, value, id } = quoted(column);
      return db.sqlite.prepare(`SELECT ${value} FROM ${table} WHERE ${id} = ?`).pluck().get(rowId) as
        | Buffer
        | undefined;
    },
    replaceSealed(column: SealedColumn, rowId: string, sealed: Buffer): void {
      const { table, value, id } = quoted(column);
      db.sqlite.prepare(`UPDATE ${table} SET ${value} = ? WHERE ${id} = ?`).run(sealed, rowId);
    },
    /** Overwrites deleted and replaced data in the file too. */
    overwriting<T>(work: () => T): T {
      db.sqlite.pragma('secure_delete = ON');
      try {
        return work();
      } finally {
        db.sqlite.pragma('secure_delete = OFF');
      }
    },
    /** Rewrites the whole file, without the contents of its free pages. */
    vacuum: (): void => void db.sqlite.exec('VACUUM'),
  };
}

/** Names come from the code only; they are quoted because SQL has no placeholder for them. */
function quoted({ table, column, id = 'id', workspace = 'workspace_id', isNumbered }: SealedColumn) {
  const name = (text: string) => `"${text.replaceAll('"', '""')}"`;
  return {
    table: name(table),
    value: name(column),
    id: isNumbered ? `CAST(${name(id)} AS TEXT)` : name(id),
    workspace: workspace === null ? "''" : `ifnull(${name(workspace)}, '')`,
  };
}

/** Storage of the vault in the ledger. */
export const keyRegistryOf = (db: Pick<Db, 'write' | 'afterCommit'>, store: KeysStore): KeyRegistry => ({
  findKey: store.findKey,
  findNewestKey: store.findNewestKey,
  insertKey: store.insertKey,
  findSecret: store.findSecret,
  insertSecret: store.insertSecret,
  write: db.write,
  afterCommit: db.afterCommit,
});
