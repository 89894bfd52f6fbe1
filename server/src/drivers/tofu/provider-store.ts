import fs from 'node:fs';
import path from 'node:path';
import { syncFolder } from '#server/kernel/disk';

/** One provider package in the store, under `<host>/<namespace>/<type>/<version>/<platform>/<h1 in hex>`. */
export type ProviderPackage = {
  /** `host/namespace/type`. */
  address: string;
  version: string;
  /** `linux_amd64` and the like. */
  platform: string;
  h1: string;
  /** Relative to the store, separated by `/`. */
  path: string;
};

/** Number of folders that name a package before its digest: host, namespace, type, version and platform. */
export const packageParts = 5;

/** Returns the platform of this machine as the tools name it. */
export function currentPlatform(platform: string = process.platform, arch: string = process.arch): string {
  const system = platform === 'win32' ? 'windows' : platform;
  const processor = ({ x64: 'amd64', ia32: '386' } as { readonly [arch: string]: string })[arch] ?? arch;
  return `${system}_${processor}`;
}

/** Lists addresses that a filesystem mirror holds, packed or unpacked. */
export function listMirror(mirrorDir: string): string[] {
  const addresses = listFolders(mirrorDir, 3).filter(
    (address) => !address.split('/').some((part) => part.startsWith('.')),
  );
  return addresses.filter((address) => fs.readdirSync(path.join(mirrorDir, address)).length > 0);
}

/**
 * Gives a package its final name. A package with its final name is complete, even after a power loss: folders and links
 * are made durable before the rename. If another process stored the same content first, ours is removed.
 */
export function publishFolder(temporary: string, target: string): void {
  syncFolders(temporary);
  try {
    fs.renameSync(temporary, target);
  } catch (error) {
    if (!fs.existsSync(target)) throw error;
    fs.rmSync(temporary, { recursive: true, force: true });
  }
}

function syncFolders(folder: string): void {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) syncFolders(path.join(folder, entry.name));
  syncFolder(folder);
}

/** Lists every package of the store, in path order. */
export function listPackages(storeDir: string): ProviderPackage[] {
  return listFolders(storeDir, packageParts + 1).flatMap((relative) => describePackage(relative) ?? []);
}

const namePattern = /^[0-9A-Za-z][0-9A-Za-z._+-]*$/;

/** Returns the package of a path in the store; undefined for any other path. */
export function describePackage(relative: string): ProviderPackage | undefined {
  const parts = relative.split('/');
  const [host, namespace, type, version, platform, hex] = parts;
  if (
    parts.length !== packageParts + 1 ||
    !parts.every((part) => namePattern.test(part)) ||
    !/^[0-9a-f]{64}$/.test(hex ?? '')
  )
    return undefined;
  const h1 = `h1:${Buffer.from(hex as string, 'hex').toString('base64')}`;
  return {
    address: `${host}/${namespace}/${type}`,
    version: version as string,
    platform: platform as string,
    h1,
    path: relative,
  };
}

/** Lists relative paths of everything exactly `depth` levels down, in order; links are listed and not followed. */
export function listFolders(root: string, depth: number): string[] {
  let level = [''];
  for (let step = 0; step < depth; step += 1) {
    const last = step === depth - 1;
    level = level.flatMap((relative) =>
      readFolder(path.join(root, relative))
        .filter((entry) => (entry.isDirectory() || (last && entry.isSymbolicLink())) && !entry.name.startsWith('.'))
        .map((entry) => (relative === '' ? entry.name : `${relative}/${entry.name}`)),
    );
  }
  return level.sort();
}

function readFolder(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
