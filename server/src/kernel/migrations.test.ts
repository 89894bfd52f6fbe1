import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempDir } from '../../test/harness.ts';
import { openDb } from './db.ts';
import { migrationsDir } from './entry.ts';

let dir: string;
beforeEach(() => {
  dir = tempDir();
});
afterEach(() => fs.rmSync(dir, { recursive: true }));

const fail = (error: unknown) => {
  throw error;
};

test('every table is strict, so that no column takes a value of another type', () => {
  const { sqlite, close } = openDb(dir, fail);
  const loose = sqlite
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0")
    .pluck()
    .all();
  close();
  expect(loose.sort()).toEqual(['__drizzle_migrations', 'sqlite_schema', 'sqlite_sequence']);
});

test('a ledger of the first version is brought up to date: its Runs can be searched by the name of their Capsule', () => {
  const [entry] = journal().entries;
  const old = new Database(path.join(dir, 'ledger.db'));
  for (const statement of fs
    .readFileSync(path.join(migrationsDir(), `${entry?.tag}.sql`), 'utf8')
    .split('--> statement-breakpoint'))
    old.exec(statement);
  old.exec('CREATE TABLE __drizzle_migrations (id integer PRIMARY KEY, hash text NOT NULL, created_at numeric)');
  old.prepare('INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)').run('first', entry?.when);
  const insert = old.prepare(
    `INSERT INTO runs (id, workspace_id, type, status, created_by, created_at, facts, detail, input)
     VALUES (?, 'ws_a', 'plan', 'failed', 'sub_a', 1, ?, '{}', '{}')`,
  );
  old.pragma('foreign_keys = OFF');
  insert.run('plan_named', JSON.stringify({ capsuleName: 'Shop', environment: 'test' }));
  insert.run('plan_nameless', '{}');
  old.close();
  const { sqlite, close } = openDb(dir, fail);
  expect(sqlite.prepare('SELECT id, capsule_name FROM runs ORDER BY seq').raw().all()).toEqual([
    ['plan_named', 'Shop'],
    ['plan_nameless', null],
  ]);
  close();
  expect(fs.readdirSync(path.join(dir, 'ledger-copies'))).toHaveLength(1);
});

const journal = () =>
  JSON.parse(fs.readFileSync(path.join(migrationsDir(), 'meta/_journal.json'), 'utf8')) as {
    entries: { tag: string; when: number }[];
  };
