import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { readArchive } from '#server/drivers/archive/index';
import { openPlain } from '#server/kernel/open-plain';
import { isImplemented } from '#server/kernel/platforms';
import { removeTree } from '#server/kernel/remove-tree';
import { TofuError } from './error.ts';
import { findRefusal, isLeftOut, lockFileName } from './tree-names.ts';
import { pathKey, sweep } from './tree-sweep.ts';
import type { GeneratedFile } from './types.ts';

export type TreeRequest = {
  archivePath: string;
  /** Expected digest of the archive, if any. */
  archiveDigest?: string;
  /** Archive of files that were built for the module; they replace files of the first archive. */
  built?: { path: string; names: ReadonlySet<string> };
  /**
   * Private folder in which the archive is unpacked; created when missing. Changes that a command made to it are
   * undone.
   */
  treeDir: string;
  /** The selected module, relative to the root of the archive; `.` for the root. */
  modulePath: string;
  generated: readonly GeneratedFile[];
  /** Recorded lock file. Null: the module's own one stays, or none. */
  lock: string | null;
  /** False drops the module's own lock file, when its versions are unavailable. */
  ownLock?: boolean;
};

/**
 * Restores the tree to the state in which every command starts: the archive's files with their bytes, the generated
 * files, the recorded lock, and no other file that influences the tool. Other files that commands wrote stay. Correct
 * files are not touched. Links that a module left are replaced, never followed, and files are replaced whole, so a hard
 * link elsewhere keeps its bytes. Synchronous. Throws `configuration_invalid` for refused names, and `ArchiveError` for
 * a missing archive or one with another digest.
 */
export function prepareTree(request: TreeRequest): { moduleDir: string } {
  const { treeDir, modulePath } = request;
  const inModule = (name: string) => (modulePath === '.' || modulePath === '' ? name : `${modulePath}/${name}`);
  const lockPath = inModule(lockFileName);
  const dropLock = request.lock !== null || request.ownLock === false;
  const writer = createWriter(treeDir);
  const skipped = (name: string) =>
    isLeftOut(name) || (dropLock && name === lockPath) || request.built?.names.has(name) === true;
  const read = { filter: (name: string) => !skipped(name), ...digestOption(request.archiveDigest) };
  for (const entry of readArchive(request.archivePath, read)) {
    const refusal = findRefusal(entry.path);
    if (refusal !== undefined)
      throw new TofuError(
        'configuration_invalid',
        `The repository holds ${refusal}. Remove it from the repository (${entry.path}).`,
      );
    writer.put(entry.path, entry.bytes, entry.executable);
  }
  for (const entry of request.built === undefined ? [] : readArchive(request.built.path))
    writer.put(entry.path, entry.bytes, entry.executable);
  if (modulePath !== '.' && modulePath !== '' && !writer.hasFolder(modulePath))
    throw new TofuError(
      'configuration_invalid',
      'The selected module is not in the archive. Choose another module path.',
    );
  for (const file of request.generated) {
    if (writer.written.has(pathKey(inModule(file.name))))
      throw new TofuError(
        'configuration_invalid',
        'The module already has a file with the name of a generated one. Plan again.',
      );
    writer.put(inModule(file.name), Buffer.from(file.text, 'utf8'), false);
  }
  if (request.lock !== null) writer.put(lockPath, Buffer.from(request.lock, 'utf8'), false);
  sweep(treeDir, writer.written);
  return { moduleDir: path.join(treeDir, modulePath) };
}

/** Creates the folder of the selected module before the archive is unpacked. A link in its path is replaced. */
export function makeModuleFolder({ treeDir, modulePath }: Pick<TreeRequest, 'treeDir' | 'modulePath'>): void {
  createWriter(treeDir).enter(path.posix.normalize(modulePath));
}

/** Contents of the selected module's own folder in the archive: file names, and its lock file. */
export function readModuleFolder(request: Pick<TreeRequest, 'archivePath' | 'archiveDigest' | 'modulePath'>): {
  fileNames: string[];
  lock: string | null;
} {
  const prefix = request.modulePath === '.' || request.modulePath === '' ? '' : `${request.modulePath}/`;
  const fileNames: string[] = [];
  const lockPath = prefix + lockFileName;
  let lock: string | null = null;
  const seen = (name: string) => {
    const rest = name.startsWith(prefix) ? name.slice(prefix.length) : '/';
    if (!rest.includes('/')) fileNames.push(rest);
    return name === lockPath;
  };
  const read = { filter: seen, ...digestOption(request.archiveDigest) };
  for (const entry of readArchive(request.archivePath, read)) lock = entry.bytes.toString('utf8');
  return { fileNames, lock };
}

const digestOption = (digest: string | undefined) => (digest === undefined ? {} : { digest });

type Writer = {
  /** Keys of the paths that belong in the tree. */
  written: ReadonlySet<string>;
  put: (relative: string, bytes: Buffer, executable: boolean) => void;
  hasFolder: (relative: string) => boolean;
  /** Creates a folder and its parents. */
  enter: (relative: string) => void;
};

function createWriter(treeDir: string): Writer {
  const written = new Set<string>();
  const folders = new Set<string>();
  fs.mkdirSync(treeDir, { recursive: true, mode: 0o700 });
  // A command may have removed all permissions of its own folder.
  ensureFolder(treeDir);
  const enter = (relative: string): void => {
    if (relative === '.' || folders.has(relative)) return;
    enter(path.posix.dirname(relative));
    ensureFolder(path.join(treeDir, relative));
    folders.add(relative);
  };
  return {
    written,
    enter,
    hasFolder: (relative) => folders.has(relative),
    put: (relative, bytes, executable) => {
      enter(path.posix.dirname(relative));
      written.add(pathKey(relative));
      const target = path.join(treeDir, relative);
      if (!isUpToDate(target, bytes, executable)) replaceFile(target, bytes, executable);
    },
  };
}

/** Creates a folder. Its parents are known to be real folders, so only the last part can be a link. */
function ensureFolder(folder: string): void {
  const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
  if (stat?.isDirectory()) {
    if ((stat.mode & 0o700) !== 0o700) fs.chmodSync(folder, 0o700);
    return;
  }
  if (stat !== undefined) removeTree(folder);
  fs.mkdirSync(folder, { mode: 0o755 });
}

function isUpToDate(target: string, bytes: Buffer, executable: boolean): boolean {
  let fd: number;
  try {
    fd = openPlain(target);
  } catch {
    return false;
  }
  try {
    const stat = fs.fstatSync(fd);
    const mode = executable ? 0o700 : 0o600;
    // Without modes only the bytes count.
    const rightMode = !isImplemented('fileModes') || (stat.mode & 0o7700) === mode;
    if (!stat.isFile() || stat.nlink !== 1 || stat.size !== bytes.length || !rightMode) return false;
    return fs.readFileSync(fd).equals(bytes);
  } finally {
    fs.closeSync(fd);
  }
}

/** Replaces a file atomically: a link of this name is replaced, and its target is not written. */
function replaceFile(target: string, bytes: Buffer, executable: boolean): void {
  const stat = fs.lstatSync(target, { throwIfNoEntry: false });
  if (stat?.isDirectory()) removeTree(target);
  const temporary = path.join(path.dirname(target), `.${randomUUID()}.part`);
  try {
    fs.writeFileSync(temporary, bytes, { flag: 'wx', mode: executable ? 0o755 : 0o644 });
    fs.renameSync(temporary, target);
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}
