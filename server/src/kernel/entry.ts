import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Paths of the entries of workers, child processes and modules that are loaded later, relative to `server/src`, by bundle name. */
export const entries = {
  'git-child': 'drivers/git/git-child.ts',
  'git-worker': 'drivers/git/git-worker.ts',
  'code-worker': 'drivers/code/code-worker.ts',
  'package-worker': 'drivers/packages/package-worker.ts',
  'module-calls-worker': 'drivers/module-calls/module-calls-worker.ts',
  'json-schema-worker': 'drivers/json-schema/json-schema-worker.ts',
  'scan-worker': 'drivers/scan/scan-worker.ts',
  'projection-worker': 'domains/state-resources/projection-worker.ts',
  'backup-worker': 'domains/installation-backups/backup-worker.ts',
  'ledger-copy-worker': 'kernel/ledger-copy-worker.ts',
  supervisor: 'supervisor/main.ts',
  'keychain-child': 'drivers/vault/keychain-child.ts',
  'connection-check': 'domains/connections/check/main.ts',
  'issuer-library': 'drivers/issuer/issuer-library.ts',
} as const;
export type EntryName = keyof typeof entries;

/** Folder of this file: `dist/server` in the product, where all bundles are; `server/src/kernel` in a checkout. */
const here = path.dirname(fileURLToPath(import.meta.url));
const isSource = import.meta.url.endsWith('.ts');
/** Folder of `package.json`, in a checkout or in the installed product. */
export const repositoryRoot = path.join(here, isSource ? '../../..' : '../..');

/** Folder of the bundles. In a checkout GROUNDCTL_TEST_CHILDREN may name one, so that types are not stripped at every start. */
const bundles = isSource ? process.env['GROUNDCTL_TEST_CHILDREN'] : here;

/** Returns the file name of a bundle. That of the supervisor is CommonJS, which Node loads 7 ms faster: one starts for each Run. */
const bundleName = (name: EntryName): string => (name === 'supervisor' ? 'supervisor.cjs' : `${name}.js`);

/** Returns the absolute path of an entry: its bundle, or its source file in a checkout without bundles. */
export const entryFile = (name: EntryName): string =>
  bundles === undefined ? path.join(here, '..', entries[name]) : path.join(bundles, bundleName(name));

/** Returns the absolute path of a file or folder that is shipped with the product. */
export const resourcePath = (...names: string[]): string => path.join(repositoryRoot, 'resources', ...names);

/** Returns the folder of migrations: beside the bundle, or in the sources. */
export const migrationsDir = (): string =>
  isSource ? path.join(here, '../../migrations') : path.join(here, 'migrations');

/** Returns the file of the HCL grammar: beside the bundle, or in the package that it is copied from. */
export const grammarFile = (): string =>
  isSource
    ? createRequire(import.meta.url).resolve('@tree-sitter-grammars/tree-sitter-hcl/tree-sitter-hcl.wasm')
    : path.join(here, 'tree-sitter-hcl.wasm');

/** Returns the version of the product, from its package file. */
export function productVersion(): string {
  const file = path.join(repositoryRoot, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version : '0.0.0';
}

/** Returns the folder of the built dashboard. */
export const pagesDir = (): string => path.join(repositoryRoot, 'dist/renderer');
