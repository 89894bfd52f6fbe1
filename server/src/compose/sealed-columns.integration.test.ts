import fs from 'node:fs';
import { expect, test } from 'vitest';
import { openTestLedger } from '../../test/empty-ledger.ts';
import { tempDir } from '../../test/harness.ts';
import { sealedColumns } from './sealed-columns.ts';

/** Columns of bytes that are not sealed, and those that hold the keys themselves. */
const others = [
  'receipts.body',
  'plan_artifacts.document',
  'data_keys.wrapped',
  'master_keys.canary',
  // Re-encrypted by the keys domain itself.
  'installation_secrets.sealed',
];

test('every column of bytes is either re-encrypted when keys change, or known to be unsealed', () => {
  const dir = tempDir();
  const { sqlite, close } = openTestLedger(dir);
  const blobs = sqlite
    .prepare(
      `SELECT t.name || '.' || c.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c
       WHERE t.schema = 'main' AND t.type = 'table' AND c.type = 'BLOB' ORDER BY 1`,
    )
    .pluck()
    .all() as string[];
  const known = [...others, ...sealedColumns.map(({ table, column }) => `${table}.${column}`)];
  expect([...new Set(blobs)].sort()).toEqual(known.sort());
  for (const { table, id = 'id', workspace = 'workspace_id' } of sealedColumns) {
    const names = sqlite.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table);
    expect(names).toEqual(expect.arrayContaining([id, ...(workspace === null ? [] : [workspace])]));
  }
  close();
  fs.rmSync(dir, { recursive: true });
});
