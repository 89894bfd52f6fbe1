import fs from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestLedger } from '../../../test/empty-ledger.ts';
import { tempDir } from '../../../test/harness.ts';
import type { Db } from '../../kernel/db.ts';
import { actingTables, historyTables, installationTables } from './tables.ts';

const dir = tempDir();
let db: Db;
beforeAll(() => {
  db = openTestLedger(dir);
});
afterAll(() => {
  db.close();
  fs.rmSync(dir, { recursive: true });
});

const erased = [...actingTables, ...historyTables];

test('names every table of the ledger once: its rows belong to a Workspace, or remain', () => {
  const names = db.sqlite
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_\\_%' ESCAPE '\\'",
    )
    .pluck()
    .all() as string[];
  expect([...erased.map(({ name }) => name), ...installationTables].sort()).toEqual(names.sort());
});

test('empties a table only after those that refer to its rows', () => {
  const order = new Map(erased.map(({ name }, at) => [name, at]));
  const references = db.sqlite
    .prepare(
      `SELECT t.name AS child, f."table" AS parent FROM pragma_table_list t JOIN pragma_foreign_key_list(t.name) f
       WHERE t.schema = 'main'`,
    )
    .all() as { child: string; parent: string }[];
  const wrong = references.filter(
    ({ child, parent }) =>
      child !== parent && order.has(parent) && (order.get(child) ?? Infinity) > (order.get(parent) ?? 0),
  );
  expect([references.length > 40, wrong]).toEqual([true, []]);
});

test('selects the rows of one Workspace with conditions that SQLite accepts', () => {
  for (const { name, where } of erased)
    expect(
      db.sqlite.prepare(`SELECT count(*) FROM ${name} WHERE ${where}`).pluck().get({ workspaceId: 'ws_none' }),
    ).toBe(0);
});
