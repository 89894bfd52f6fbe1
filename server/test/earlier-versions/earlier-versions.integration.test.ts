import { createHash } from 'node:crypto';
import { globSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installedProduct } from '../../src/index.ts';
import { startTestServer, type TestServer, tempDir } from '../harness.ts';
import {
  countRows,
  createEarlierFolder,
  earlierFoldersDir,
  passphraseOf,
  readEverything,
  serverEnv,
} from './earlier-folder.ts';

const files = globSync('*.sql', { cwd: earlierFoldersDir }).sort();

let dataDir: string;
let passphraseFile: string;
let server: TestServer | undefined;
beforeEach(() => {
  dataDir = tempDir();
  passphraseFile = passphraseOf(dataDir);
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(dataDir, { recursive: true, force: true });
});
const start = async () => {
  server = await startTestServer({ dataDir, env: serverEnv(passphraseFile) });
  return server;
};

/** Tables whose rows end on their own. */
const passing = new Set(['receipts', 'sessions', 'sign_in_links']);

describe.each(files)('the data folder %s', (name) => {
  it('is opened and migrated, and everything in it can be read', async () => {
    const earlier = createEarlierFolder(path.join(earlierFoldersDir, name), dataDir);
    const before = new Database(path.join(dataDir, 'ledger.db'), { readonly: true });
    const counts = countRows(before);
    before.close();
    const running = await start();
    const contents = await readEverything(running, earlier.ids);
    expect(contents.sealed).toEqual(expect.arrayContaining(earlier.sealed));
    expect(earlier.sealed.length).toBeGreaterThan(5);
    expect(contents.addresses).toEqual(expect.arrayContaining(earlier.addresses));
    expect(earlier.addresses.length).toBeGreaterThan(50);
    running.ledger(({ sqlite }) => {
      expect(sqlite.pragma('integrity_check(1)', { simple: true })).toBe('ok');
      expect(sqlite.pragma('foreign_key_check')).toEqual([]);
      const after = countRows(sqlite);
      const lost = [...counts].filter(([table, rows]) => !passing.has(table) && rows > (after.get(table) ?? 0));
      expect(lost).toEqual([]);
    });
  });
});

/** Digest and time of each file below a folder. */
const fingerprint = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => path.join(folder, name))
      .filter((file) => statSync(file).isFile())
      .map((file) => [
        file,
        `${createHash('sha256').update(readFileSync(file)).digest('hex')} ${statSync(file).mtimeMs}`,
      ]),
  );

it('the ledger of a newer version is refused with a sentence, and nothing is changed', async () => {
  createEarlierFolder(path.join(earlierFoldersDir, files.at(-1) ?? ''), dataDir);
  const ledger = new Database(path.join(dataDir, 'ledger.db'));
  const insert = ledger.prepare("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('newer', ?)");
  const missing = installedProduct().ledger - (countRows(ledger).get('__drizzle_migrations') ?? 0);
  for (let count = 0; count <= missing; count += 1) insert.run(Date.now() + count);
  ledger.close();
  const before = fingerprint(dataDir);
  await expect(start()).rejects.toThrow(
    'A newer version of Ground Control has changed this ledger, so this version does not open it. Nothing was changed. Start the newer version again.',
  );
  const { [path.join(dataDir, 'lock.db')]: _lock, ...after } = fingerprint(dataDir);
  expect(after).toEqual(before);
});
