import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '#server/kernel/db';
import { openTestLedger } from '../../../test/empty-ledger.ts';
import { tempDir } from '../../../test/harness.ts';
import { ledgerTables } from './tables.ts';

let folder: string;
let db: Db;
beforeAll(() => {
  folder = tempDir();
  db = openTestLedger(folder);
});
afterAll(() => {
  db.close();
  fs.rmSync(folder, { recursive: true });
});

type Column = { name: string };
const tables = (): string[] =>
  db.sqlite
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' AND name <> '__drizzle_migrations'",
    )
    .pluck()
    .all() as string[];
const columnsOf = (table: string): string[] =>
  (db.sqlite.pragma(`table_info("${table}")`) as Column[]).map(({ name }) => name);
const referencedBy = (table: string): string[] =>
  (db.sqlite.pragma(`foreign_key_list("${table}")`) as { table: string }[]).map((key) => key.table);

describe('the tables of the ledger', () => {
  it('are all classified, and no other ones', () => {
    expect(Object.keys(ledgerTables).sort()).toEqual(tables().sort());
  });

  it('have conditions that SQLite accepts', () => {
    for (const [table, rows] of Object.entries(ledgerTables)) {
      if (!('workspace' in rows)) continue;
      for (const condition of [rows.workspace, rows.capsule])
        if (condition !== undefined)
          expect(() => db.sqlite.prepare(`SELECT * FROM "${table}" WHERE ${condition}`)).not.toThrow();
      expect(rows.without?.filter((column) => !columnsOf(table).includes(column)) ?? []).toEqual([]);
    }
  });

  it('belong to a Capsule or Workspace when a column names one', () => {
    const named = (column: string, without: (table: string) => boolean) =>
      tables().filter((table) => columnsOf(table).includes(column) && without(table));
    expect(named('capsule_id', (table) => ledgerTables[table]?.of !== 'capsule')).toEqual([]);
    expect(named('workspace_id', (table) => ledgerTables[table]?.of === 'installation').sort()).toEqual([
      'access_tokens',
      'backup_copies',
      'backup_keys',
      'backup_schedules',
      'form_operations',
      'oidc_consent_requests',
      'oidc_consents',
      'oidc_grants',
      'outbox',
      'remote_jobs',
      'waiting_mails',
      'workspace_deletions',
      'workspace_runner_pools',
    ]);
  });

  it('belong to a Workspace when they refer to a record of one, unless a reason is given', () => {
    const owned = (table: string) => ledgerTables[table]?.of !== 'installation';
    const strays = tables().filter((table) => !owned(table) && referencedBy(table).some(owned));
    expect(strays.sort()).toEqual([
      'access_tokens',
      'backup_copies',
      'backup_keys',
      'backup_requests',
      'backup_schedules',
      'remote_jobs',
      'workspace_runner_pools',
    ]);
  });
});
