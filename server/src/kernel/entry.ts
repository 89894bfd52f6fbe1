import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where each worker and child process starts, relative to `server/src`, by the name its bundle has. */
export const entries = {
  'git-child': 'drivers/git/git-child.ts',
  'git-worker': 'drivers/git/git-worker.ts',
  'scan-worker': 'drivers/scan/scan-worker.ts',
  supervisor: 'supervisor/main.ts',
  'keychain-child': 'drivers/vault/keychain-child.ts',
  'connection-check': 'domains/connections/check/main.ts',
} as const;
export type EntryName = keyof typeof entries;

/** `dist/server` in the product, where everything lies flat; `server/src/kernel` when the sources run. */
const here = path.dirname(fileURLToPath(import.meta.url));
const isSource = import.meta.url.endsWith('.ts');
/** The folder of `package.json`: of the checkout, or of the product as it is installed. */
export const repositoryRoot = path.join(here, isSource ? '../../..' : '../..');

/** Where the sources run, GROUNDCTL_TEST_CHILDREN may name a folder of their bundles: types are then not stripped at every start. */
const bundles = isSource ? process.env['GROUNDCTL_TEST_CHILDREN'] : here;

/** Absolute path of an entry: its bundle in the product, its source file where the sources run and no bundles are named. */
export const entryFile = (name: EntryName): string =>
  bundles === undefined ? path.join(here, '..', entries[name]) : path.join(bundles, `${name}.js`);

/** Absolute path of a file or folder that is shipped with the product. */
export const resourcePath = (...names: string[]): string => path.join(repositoryRoot, 'resources', ...names);

/** The folder of migrations: beside the bundle, or that of the sources. */
export const migrationsDir = (): string =>
  isSource ? path.join(here, '../../migrations') : path.join(here, 'migrations');

/** Version of the product, from its package file. */
export function productVersion(): string {
  const file = path.join(repositoryRoot, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version : '0.0.0';
}

/** The built dashboard. */
export const pagesDir = (): string => path.join(repositoryRoot, 'dist/renderer');
