import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import {
  createPackages,
  type FetchOptions,
  PackageError,
  type Packages,
  type Resolved,
} from '../src/drivers/packages/index.ts';
import { startGit } from './git-driver.ts';
import { tempDir } from './harness.ts';
import { type ModuleRegistry, startModuleRegistry } from './module-registry.ts';

export type PackagesFixture = {
  registry: ModuleRegistry;
  packages: Packages;
  /** Folder of the caches and the fetched files. */
  root: string;
  /** Fetches into a new folder and returns its files by path, with what the driver returned. */
  fetch: (resolved: Resolved, options?: Partial<FetchOptions>) => Promise<FetchedFiles>;
  /** The same for the source of a module call. */
  fetchCall: (address: string, constraint?: string) => Promise<FetchedFiles>;
  close: () => Promise<void>;
};
type FetchedFiles = Awaited<ReturnType<Packages['fetch']>> & { files: Record<string, string>; into: string };

type FixtureOptions = { allowLoopback?: boolean; resolveMs?: number; fetchMs?: number };

/** Starts the driver with a registry of its own. */
export async function startPackages(options: FixtureOptions = {}): Promise<PackagesFixture> {
  const { allowLoopback = true, ...times } = options;
  const root = tempDir();
  const registry = await startModuleRegistry();
  const access = { allowLoopback, allowLocal: false, caFile: registry.caFile };
  const git = startGit(access);
  const packages = createPackages({ git, access, ...times });
  const folders = { shared: path.join(root, 'shared'), own: path.join(root, 'own'), work: path.join(root, 'work') };
  const fetch: PackagesFixture['fetch'] = async (resolved, more = {}) => {
    const into = path.join(root, randomUUID());
    const fetched = await packages.fetch(resolved, { into, folders, ...more });
    return { ...fetched, into, files: readFiles(into) };
  };
  return {
    registry,
    packages,
    root,
    fetch,
    fetchCall: async (address, constraint) => fetch(await packages.resolve({ address, constraint })),
    close: async () => {
      await Promise.all([packages.close(), git.close()]);
      await registry.close();
      fs.rmSync(root, { recursive: true, force: true });
    },
  };
}

function readFiles(folder: string): Record<string, string> {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map(({ parentPath, name }) => path.join(parentPath, name));
  return Object.fromEntries(
    files.map((file) => [path.relative(folder, file), fs.readFileSync(file, 'utf8')] as const).sort(),
  );
}

/** Returns the code of the failure of some work, or what else it ended with. */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'succeeded',
    (error: unknown) => (error instanceof PackageError ? error.code : `not a PackageError: ${error}`),
  );
