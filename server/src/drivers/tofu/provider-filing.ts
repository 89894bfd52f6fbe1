import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { TofuError } from './error.ts';
import { hashPackage, listFiles } from './provider-hash.ts';
import { describePackage, listFolders, type ProviderPackage, packageParts, publishFolder } from './provider-store.ts';

export type FileRequest = {
  /** `providers` folder of the data folder that one init with network filled. */
  stagingDir: string;
  storeDir: string;
  /** Paths of folders (such as a mirror) inside a sandbox, mapped to their paths on the host. */
  mounts?: { readonly [seen: string]: string };
};

/**
 * Stores the packages that an init staged: copies each package, hashes the copy and moves it into place atomically.
 * Existing packages are not changed. Throws `provider_package_refused` for a package with links or special files.
 */
export function fileStaged(request: FileRequest): ProviderPackage[] {
  const filed: ProviderPackage[] = [];
  fs.mkdirSync(request.storeDir, { recursive: true, mode: 0o700 });
  for (const relative of listFolders(request.stagingDir, packageParts)) {
    const source = resolveStaged(path.join(request.stagingDir, relative), request);
    if (source !== undefined) filed.push(filePackage(source, relative, request.storeDir));
  }
  return filed;
}

function filePackage(source: string, relative: string, storeDir: string): ProviderPackage {
  const temporary = path.join(storeDir, `.${randomUUID()}`);
  try {
    for (const file of listFiles(source)) copyDurably(path.join(source, file), path.join(temporary, file));
    const h1 = hashPackage(temporary);
    const item = describePackage(`${relative}/${Buffer.from(h1.slice(3), 'base64').toString('hex')}`);
    if (item === undefined) throw refused('A staged provider has no address, version and platform.');
    const target = path.join(storeDir, item.path);
    fs.mkdirSync(path.dirname(target), { recursive: true, mode: 0o755 });
    publishFolder(temporary, target);
    return item;
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true });
  }
}

function copyDurably(from: string, to: string): void {
  fs.mkdirSync(path.dirname(to), { recursive: true, mode: 0o755 });
  fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE);
  const fd = fs.openSync(to, 'r+');
  try {
    // Readable and executable for everyone, writable for no one: a stored package never changes.
    fs.fchmodSync(fd, fs.fstatSync(fd).mode & 0o100 ? 0o555 : 0o444);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Returns the staged folder, or the target of its link; undefined for a link into the store, which already has the
 * package.
 */
function resolveStaged(staged: string, request: FileRequest): string | undefined {
  const stat = fs.lstatSync(staged);
  if (stat.isDirectory()) return staged;
  if (!stat.isSymbolicLink()) return undefined;
  const target = path.resolve(path.dirname(staged), fs.readlinkSync(staged));
  const mount = Object.entries(request.mounts ?? {}).find(([seen]) => isInside(target, seen));
  const here = mount === undefined ? target : path.join(mount[1], path.relative(mount[0], target));
  if (isInside(here, request.storeDir)) return undefined;
  if (!fs.statSync(here, { throwIfNoEntry: false })?.isDirectory())
    throw refused('A staged provider is a link that leads nowhere.');
  return fs.realpathSync(here);
}

const isInside = (target: string, folder: string): boolean => target === folder || target.startsWith(folder + path.sep);

const refused = (message: string): TofuError => new TofuError('provider_package_refused', `${message} Run init again.`);
