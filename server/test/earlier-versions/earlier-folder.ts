import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { apiTables } from '#shared/api';
import { type Endpoint, fullPath } from '#shared/kernel/endpoint';
import { viewKeys } from '../../src/compose/key-host.ts';
import { sealedColumns } from '../../src/compose/sealed-columns.ts';
import { createKeysStore } from '../../src/domains/keys/index.ts';
import { repositoryRoot } from '../../src/kernel/entry.ts';
import type { Environment } from '../../src/kernel/settings.ts';
import type { TestServer } from '../harness.ts';

/** Folder of the data folders that earlier versions wrote, as SQL text. */
export const earlierFoldersDir = path.join(repositoryRoot, 'server/test/earlier-versions');

/** Contents of a data folder: the addresses that answer, and the names of the sealed values that open. */
type Contents = { addresses: string[]; sealed: string[] };
export type EarlierFolder = Contents & { ids: Record<string, string> };

const passphrase = 'the passphrase of every earlier version';

/** Writes the passphrase of the fixtures beside a data folder; returns its file. */
export function passphraseOf(dataDir: string): string {
  const file = path.join(dataDir, 'passphrase');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(file, passphrase, { mode: 0o600 });
  return file;
}

export const serverEnv = (passphraseFile: string): Environment => ({
  GROUNDCTL_KEY_SOURCE: 'passphrase',
  GROUNDCTL_PASSPHRASE_FILE: passphraseFile,
});

/** Creates the data folder of an earlier version. Returns what that version read in it. */
export function createEarlierFolder(file: string, dataDir: string): EarlierFolder {
  const text = readFileSync(file, 'utf8');
  const ledger = new Database(path.join(dataDir, 'ledger.db'));
  ledger.pragma('journal_mode = WAL');
  ledger.exec(text);
  ledger.close();
  return JSON.parse(text.slice(3, text.indexOf('\n'))) as EarlierFolder;
}

/** Counts the rows of each table of a ledger. */
export function countRows(sqlite: Database.Database): Map<string, number> {
  const names = sqlite
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[];
  return new Map(names.map((name) => [name, sqlite.prepare(`SELECT count(*) FROM "${name}"`).pluck().get() as number]));
}

/** Reads every record of a server by its ids, and opens every sealed value. */
export async function readEverything(server: TestServer, ids: Record<string, string>): Promise<Contents> {
  const addresses: string[] = [];
  for (const address of readAddresses(ids)) {
    if ((await server.request('GET', address)).status === 200) addresses.push(address);
  }
  return { addresses, sealed: await openSealed(server) };
}

/** Returns the address of each read whose records are known. An event stream does not end, so it is left out. */
function readAddresses(ids: Record<string, string>): string[] {
  const endpoints = apiTables.flatMap((table): Endpoint[] => Object.values(table));
  return endpoints
    .filter(({ method, path: address }) => method === 'GET' && !address.endsWith('/events'))
    .map((endpoint) => fullPath(endpoint).replace(/:(\w+)/g, (whole, name: string) => ids[name] ?? whole))
    .filter((address) => !address.includes(':'))
    .sort();
}

/** Returns the names of the sealed values that open. */
async function openSealed(server: TestServer): Promise<string[]> {
  const { dataDir } = server;
  const passphraseFile = path.join(dataDir, 'passphrase');
  const vault = await server.ledger((db) =>
    viewKeys(db, { dataDir, keySource: 'passphrase', keyFile: undefined, passphraseFile }),
  );
  return server.ledger((db) => {
    const store = createKeysStore(db, Date.now);
    return sealedColumns
      .flatMap((column) =>
        store.listSealed(column, '', 1_000).flatMap(({ id, workspaceId }) => {
          const sealed = store.readSealed(column, id);
          try {
            vault.open({ table: column.table, row: id, column: column.column, workspaceId }, sealed ?? Buffer.alloc(0));
            return [`${column.table}.${column.column} ${id}`];
          } catch {
            return [];
          }
        }),
      )
      .sort();
  });
}
