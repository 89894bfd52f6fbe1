import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { groundctl } from '../../test/command-line.ts';
import { writeEmptyLedger } from '../../test/empty-ledger.ts';
import { tempDir } from '../../test/harness.ts';
import { removeTree } from '../kernel/remove-tree.ts';

let root: string;
let dataDir: string;
beforeEach(() => {
  root = tempDir();
  dataDir = path.join(root, 'data');
  vi.stubEnv('GROUNDCTL_NATS_URL', 'nats://127.0.0.1:1');
  vi.stubEnv('GROUNDCTL_FENCE_URL', 'nats');
  vi.stubEnv('GROUNDCTL_KEY_FILE', path.join(root, 'master.key'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  removeTree(root);
});

/** Promotes with a program in the place of Litestream. */
function promote(script: string, ...more: string[]) {
  const program = path.join(root, 'litestream');
  fs.writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  const config = path.join(root, 'litestream.yml');
  return groundctl('promote', '--data-dir', dataDir, '--litestream', config, '--program', program, ...more);
}

test('refuses a folder with content, and leaves it as it is', async () => {
  fs.mkdirSync(dataDir);
  fs.writeFileSync(path.join(dataDir, 'ledger.db'), 'old');
  expect(await promote('exit 0')).toMatchObject({ code: 1, err: expect.stringContaining('is not empty') });
  expect(fs.readdirSync(root).sort()).toEqual(['data', 'litestream']);
});

test('needs the settings of the term, and a number', async () => {
  expect(await promote('exit 0', '--term', '0')).toMatchObject({ code: 2 });
  vi.stubEnv('GROUNDCTL_FENCE_URL', '');
  expect(await promote('exit 0')).toMatchObject({ code: 1, err: expect.stringContaining('GROUNDCTL_FENCE_URL=nats') });
});

test('reports what Litestream says about the copy of the term, and makes no ledger', async () => {
  const said = await promote('echo "no matching backup files for term $GROUNDCTL_TERM"; exit 1', '--term', '3');
  expect(said).toMatchObject({ code: 1, err: expect.stringContaining('no matching backup files for term 3') });
  expect(fs.existsSync(path.join(dataDir, 'ledger.db'))).toBe(false);
});

test('names the version to install for a copy that a newer one wrote, and touches nothing at NATS', async () => {
  const copy = path.join(root, 'copy');
  fs.mkdirSync(copy);
  const ledger = new Database(writeEmptyLedger(copy));
  ledger.exec(
    'INSERT INTO __drizzle_migrations (hash, created_at) SELECT hash, created_at + 1 FROM __drizzle_migrations',
  );
  ledger.close();
  expect(await promote(`cp '${path.join(copy, 'ledger.db')}' "$7"`)).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('Install the version of the earlier server on this machine'),
  });
});

test('touches nothing at NATS when the restored ledger cannot be opened', async () => {
  expect(await promote('echo broken > "$7"')).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('not a ledger'),
  });
  expect(fs.existsSync(path.join(dataDir, 'ledger.db'))).toBe(false);
});
