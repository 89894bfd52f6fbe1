import fs from 'node:fs';
import path from 'node:path';
import { readArchive } from '../src/drivers/archive/index.ts';
import {
  createPackages,
  type FetchedPackage,
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
  /** Fetches a package and returns its files by path, with what the driver returned. */
  fetch: (resolved: Resolved, options?: Partial<FetchOptions>) => Promise<FetchedFiles>;
  /** The same for the source of a module call. */
  fetchCall: (address: string, constraint?: string) => Promise<FetchedFiles>;
  close: () => Promise<void>;
};
type FetchedFiles = FetchedPackage & { files: Record<string, string> };

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
    const fetched = await packages.fetch(resolved, { folders, ...more });
    return { ...fetched, files: readFiles(fetched) };
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

const readFiles = ({ archive, digest }: FetchedPackage): Record<string, string> =>
  Object.fromEntries([...readArchive(archive, { digest })].map(({ path: file, bytes }) => [file, bytes.toString()]));

/** Returns the code of the failure of some work, or what else it ended with. */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'succeeded',
    (error: unknown) => (error instanceof PackageError ? error.code : `not a PackageError: ${error}`),
  );
