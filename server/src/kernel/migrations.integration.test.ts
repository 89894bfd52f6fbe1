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

/** Creates a ledger with the first migrations, without a check of foreign keys. */
function ledgerOf(migrations: number): Database.Database {
  const entries = journal().entries.slice(0, migrations);
  const old = new Database(path.join(dir, 'ledger.db'));
  for (const { tag } of entries)
    for (const statement of fs
      .readFileSync(path.join(migrationsDir(), `${tag}.sql`), 'utf8')
      .split('--> statement-breakpoint'))
      old.exec(statement);
  old.exec('CREATE TABLE __drizzle_migrations (id integer PRIMARY KEY, hash text NOT NULL, created_at numeric)');
  old.prepare('INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)').run('last', entries.at(-1)?.when);
  old.pragma('foreign_keys = OFF');
  return old;
}

test('a ledger of the first version is brought up to date: its Runs can be searched by the name of their Capsule', () => {
  const old = ledgerOf(1);
  const insert = old.prepare(
    `INSERT INTO runs (id, workspace_id, type, status, created_by, created_at, facts, detail, input)
     VALUES (?, 'ws_a', 'plan', 'failed', 'sub_a', 1, ?, '{}', '{}')`,
  );
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

test('a ledger in which a Capsule has several running Runs keeps its apply running, and fails the others with the reason', () => {
  const old = ledgerOf(1);
  const insert = old.prepare(
    `INSERT INTO runs (id, workspace_id, capsule_id, type, status, created_by, created_at, facts, detail, input)
     VALUES (?, 'ws_a', ?, ?, ?, 'sub_a', 1, '{}', '{}', '{}')`,
  );
  insert.run('plan_1', 'cap_a', 'plan', 'running');
  insert.run('apply_1', 'cap_a', 'apply', 'running');
  insert.run('plan_2', 'cap_a', 'plan', 'queued');
  insert.run('plan_3', 'cap_b', 'plan', 'running');
  insert.run('plan_4', 'cap_b', 'drift_check', 'running');
  insert.run('sync_1', null, 'source_sync', 'running');
  insert.run('sync_2', null, 'source_sync', 'running');
  old.prepare("INSERT INTO run_feed (run_id, seq, kind, at, payload) VALUES ('plan_1', 7, 'log', 1, '{}')").run();
  old.close();
  const { sqlite, close } = openDb(dir, fail);
  expect(sqlite.prepare('SELECT id, status, error_code FROM runs ORDER BY seq').raw().all()).toEqual([
    ['plan_1', 'failed', 'run_execution_lease_lost'],
    ['apply_1', 'running', null],
    ['plan_2', 'queued', null],
    ['plan_3', 'running', null],
    ['plan_4', 'failed', 'run_execution_lease_lost'],
    ['sync_1', 'running', null],
    ['sync_2', 'running', null],
  ]);
  expect(sqlite.prepare('SELECT run_id, seq, kind FROM run_feed').raw().all()).toEqual([
    ['plan_1', 7, 'log'],
    ['plan_1', 8, 'diagnostic'],
    ['plan_1', 9, 'status'],
    ['plan_4', 1, 'diagnostic'],
    ['plan_4', 2, 'status'],
  ]);
  const claim = sqlite.prepare("UPDATE runs SET status = 'running' WHERE id = 'plan_2'");
  expect(() => claim.run()).toThrow(/UNIQUE constraint failed: runs.capsule_id/);
  close();
});

test('a Resource of a ledger without its last change is given who applied it last, where the history tells', () => {
  const old = ledgerOf(journal().entries.findIndex(({ tag }) => tag.endsWith('_form_resource_changes')));
  const insert = old.prepare(
    `INSERT INTO form_resources (id, workspace_id, kind, name, form, generation, spec, native_id, imported, ready,
       drifted_fields, created_by, created_at, updated_at)
     VALUES (?, 'ws_a', 'Bucket', ?, '{}', 2, '{}', ?, 0, 1, '[]', 'acc_one', 1, 1)`,
  );
  for (const id of ['res_a', 'res_b']) insert.run(id, id, id);
  const note = old.prepare(
    `INSERT INTO audit_events (id, workspace_id, actor_id, action, target_type, target_id, metadata, created_at,
       prev_hash, hash)
     VALUES (?, 'ws_a', ?, ?, 'resource', 'res_a', '{}', 1, '', '')`,
  );
  note.run('evt_1', 'acc_one', 'resource.import.succeeded');
  note.run('evt_2', 'acc_two', 'resource.apply.succeeded');
  note.run('evt_3', 'acc_three', 'resource.observe.succeeded');
  old.close();
  const { sqlite, close } = openDb(dir, fail);
  expect(sqlite.prepare('SELECT id, updated_by FROM form_resources ORDER BY seq').raw().all()).toEqual([
    ['res_a', 'acc_two'],
    ['res_b', null],
  ]);
  close();
});

const journal = () =>
  JSON.parse(fs.readFileSync(path.join(migrationsDir(), 'meta/_journal.json'), 'utf8')) as {
    entries: { tag: string; when: number }[];
  };
