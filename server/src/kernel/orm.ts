import type Database from 'better-sqlite3';
import { type SQL, sql } from 'drizzle-orm';
import { BetterSQLite3Database, BetterSQLiteSession } from 'drizzle-orm/better-sqlite3';
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';

/** Number of statements that stay compiled. Each takes some kilobytes. */
const mostStatements = 300;

/**
 * Creates a writer of SQL that SQLite compiles once. A bare `?` that is compared with a column makes SQLite compile the
 * statement again at each execution, in case the value changes the plan, which takes longer than most reads. It does not
 * look at the value of `+?`. So a value that a partial index requires is part of the text (`inlineParams`), as a limit is.
 */
function createDialect(): SQLiteSyncDialect {
  const dialect = new SQLiteSyncDialect();
  Object.assign(dialect, {
    escapeParam: () => '+?',
    buildLimit: (limit: number | object | undefined): SQL | undefined =>
      limit === undefined ? undefined : sql` limit ${typeof limit === 'number' ? sql.raw(String(limit)) : limit}`,
  });
  return dialect;
}

type Statement = Pick<Database.Statement<unknown[]>, 'run' | 'get' | 'all' | 'raw'>;

/** Compiles a statement at its first use, once for rows that are objects and once for rows that are arrays. */
function lazyStatement(sqlite: Database.Database, text: string): Statement {
  let objects: Database.Statement<unknown[]> | undefined;
  let arrays: Database.Statement<unknown[]> | undefined;
  const plain = () => {
    objects ??= sqlite.prepare(text);
    return objects;
  };
  return {
    run: (...values) => plain().run(...values),
    get: (...values) => plain().get(...values),
    all: (...values) => plain().all(...values),
    raw: () => {
      arrays ??= sqlite.prepare<unknown[]>(text).raw();
      return arrays;
    },
  };
}

/** Returns the function that compiles statements; the latest ones stay compiled, by their text. */
function createStatements(sqlite: Database.Database): (text: string) => Statement {
  const compiled = new Map<string, Statement>();
  return (text) => {
    const statement = compiled.get(text) ?? lazyStatement(sqlite, text);
    compiled.delete(text);
    compiled.set(text, statement);
    const [oldest] = compiled.keys();
    if (compiled.size > mostStatements && oldest !== undefined) compiled.delete(oldest);
    return statement;
  };
}

/** Creates the query builder of a ledger. */
export function createOrm(sqlite: Database.Database): BetterSQLite3Database {
  const dialect = createDialect();
  // The session uses nothing else, because transactions are those of the ledger.
  const client = { prepare: createStatements(sqlite) } as unknown as Database.Database;
  return new BetterSQLite3Database('sync', dialect, new BetterSQLiteSession(client, dialect, undefined), undefined);
}
