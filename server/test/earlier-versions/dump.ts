import type Database from 'better-sqlite3';

type Entry = { type: string; name: string; sql: string };

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Returns the statements that create a ledger with all its tables and rows again. */
export function dumpLedger(sqlite: Database.Database): string {
  const entries = sqlite
    .prepare(
      "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
    )
    .all() as Entry[];
  const tables = entries.filter(({ type }) => type === 'table');
  // Triggers refuse some of the inserts.
  const others = entries.filter(({ type }) => type !== 'table');
  return [
    'PRAGMA foreign_keys = OFF;',
    'BEGIN;',
    ...tables.map(({ sql }) => `${sql};`),
    ...tables.flatMap(({ name }) => insertsOf(sqlite, name)),
    'DELETE FROM sqlite_sequence;',
    ...insertsOf(sqlite, 'sqlite_sequence'),
    ...others.map(({ sql }) => `${sql};`),
    'COMMIT;\n',
  ].join('\n');
}

function insertsOf(sqlite: Database.Database, table: string): string[] {
  const columns = sqlite.prepare('SELECT name FROM pragma_table_info(?) ORDER BY cid').pluck().all(table) as string[];
  const names = columns.map(quoted);
  const values = names.map((name) => `quote(${name})`).join(" || ', ' || ");
  const rows = sqlite
    .prepare(`SELECT ${values} FROM ${quoted(table)}`)
    .pluck()
    .all() as string[];
  return rows.map((row) => `INSERT INTO ${quoted(table)} (${names.join(', ')}) VALUES (${row});`);
}
