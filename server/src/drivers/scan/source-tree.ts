import { createHash } from 'node:crypto';
import path from 'node:path';
import { readArchive } from '#server/drivers/archive/index';
import { scanLimits } from '#shared/limits';
import type { InstallModulesReason } from '#shared/sources/module-scan';
import { forbiddenPart, isConfiguration, lockFileName } from './file-names.ts';
import type { ScanRequest, ToolName } from './types.ts';

/** `bytes` is undefined when the file is larger than a scan reads. */
export type TreeFile = { path: string; bytes: Buffer | undefined; digest: string };

/** Contents of the archive for the scan: every folder with its names, and the content of configuration files. */
export type SourceTree = {
  /** The Source path inside the repository. */
  scopePath: string;
  /** Names of the regular files by folder, `.` for the top; every folder with contents below it has an entry. */
  folders: ReadonlyMap<string, readonly string[]>;
  /** Configuration and lock files by path. */
  contents: ReadonlyMap<string, TreeFile>;
  /** Entries that the archive leaves out: the kind by path, and the paths by folder. */
  leftOut: ReadonlyMap<string, string>;
  leftOutIn: ReadonlyMap<string, readonly string[]>;
  /** Paths that would change how the tool runs. */
  forbidden: readonly string[];
  exceeded: Extract<InstallModulesReason, 'file_limit_exceeded' | 'total_bytes_exceeded'> | undefined;
};

type Gathered = {
  folders: Map<string, string[]>;
  contents: Map<string, TreeFile>;
  forbidden: Set<string>;
  files: number;
  bytes: number;
};

export type TreeRequest = Pick<ScanRequest, 'archivePath' | 'archiveDigest' | 'scopePath' | 'toolName' | 'leftOut'>;

/**
 * Reads the archive once. Contents are no longer kept after a limit was exceeded. `aliases` are further paths of a file.
 * Throws the errors of the archive.
 */
export function readSourceTree(
  request: TreeRequest,
  aliases: ReadonlyMap<string, readonly string[]> = new Map(),
): SourceTree {
  const gathered: Gathered = { folders: new Map(), contents: new Map(), forbidden: new Set(), files: 0, bytes: 0 };
  const pathsOf = (file: string) => [file, ...(aliases.get(file) ?? [])];
  const filter = (file: string) =>
    pathsOf(file)
      .map((at) => noteName(gathered, at, request))
      .includes(true) && exceededBy(gathered) === undefined;
  const { archiveDigest: digest } = request;
  for (const entry of readArchive(request.archivePath, { filter, ...(digest !== undefined && { digest }) })) {
    gathered.bytes += entry.bytes.length;
    const file = treeFile(entry);
    for (const at of pathsOf(entry.path)) if (isRead(at, request)) gathered.contents.set(at, { ...file, path: at });
  }
  const leftOut = new Map(request.leftOut.map((entry) => [entry.path, entry.kind]));
  return {
    scopePath: request.scopePath,
    folders: gathered.folders,
    contents: gathered.contents,
    leftOut,
    leftOutIn: Map.groupBy(leftOut.keys(), path.posix.dirname),
    forbidden: [...gathered.forbidden],
    exceeded: exceededBy(gathered),
  };
}

/** Adds a path to its folder and returns whether the scan reads its content. */
function noteName(gathered: Gathered, file: string, request: TreeRequest): boolean {
  const name = path.posix.basename(file);
  addFolder(gathered.folders, path.posix.dirname(file)).push(name);
  const forbidden = forbiddenPart(file);
  if (forbidden !== undefined) gathered.forbidden.add(forbidden);
  if (isConfiguration(name, request.toolName)) gathered.files += 1;
  return isRead(file, request);
}

function isRead(file: string, { toolName }: TreeRequest): boolean {
  const name = path.posix.basename(file);
  return isConfiguration(name, toolName) || name === lockFileName;
}

function addFolder(folders: Map<string, string[]>, folder: string): string[] {
  const existing = folders.get(folder);
  if (existing) return existing;
  const names: string[] = [];
  folders.set(folder, names);
  if (folder !== '.') addFolder(folders, path.posix.dirname(folder));
  return names;
}

function exceededBy({ files, bytes }: Gathered): SourceTree['exceeded'] {
  if (files > scanLimits.configurationFiles) return 'file_limit_exceeded';
  return bytes > scanLimits.totalBytes ? 'total_bytes_exceeded' : undefined;
}

/** Copies the bytes, so that one small file does not keep a whole reading window of the archive in memory. */
function treeFile(entry: { path: string; bytes: Buffer }): TreeFile {
  const digest = `sha256:${createHash('sha256').update(entry.bytes).digest('hex')}`;
  const tooLarge = entry.bytes.length > scanLimits.fileBytes;
  return { path: entry.path, bytes: tooLarge ? undefined : Buffer.from(entry.bytes), digest };
}

const kindTexts: Readonly<Record<string, string>> = { symlink: 'symbolic link', submodule: 'submodule' };

/** Returns the kind of a left-out entry as part of a sentence: `a symbolic link`. */
export const describeKind = (kind: string): string => `a ${kindTexts[kind] ?? 'file whose name is not UTF-8'}`;

/**
 * Returns files of a folder that the tool would load from a working copy and that a snapshot leaves out. A submodule is
 * a folder, which no tool loads as a file.
 */
export const leftOutConfiguration = (tree: SourceTree, folder: string, toolName: ToolName): string[] =>
  (tree.leftOutIn.get(folder) ?? []).filter(
    (at) => tree.leftOut.get(at) !== 'submodule' && isConfiguration(path.posix.basename(at), toolName),
  );

/** Returns the left-out entry that a path is, or lies below. */
export function leftOutAt(tree: SourceTree, target: string): { path: string; kind: string } | undefined {
  for (let at = target; at !== '.'; at = path.posix.dirname(at)) {
    const kind = tree.leftOut.get(at);
    if (kind !== undefined) return { path: at, kind };
  }
  return undefined;
}
