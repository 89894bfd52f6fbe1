import { closeSync, fstatSync, readFileSync, type Stats } from 'node:fs';
import path from 'node:path';
import { type ArchiveInput, readArchive, type WrittenArchive, writeArchive } from '#server/drivers/archive/index';
import { isLoadedByTool } from '#server/drivers/tofu/index';
import { isDiskFault } from '#server/kernel/disk';
import { openPlain } from '#server/kernel/open-plain';
import { limits } from '#shared/limits';
import { megabytes } from '../../os/allowances.ts';
import { type FolderEntry, iterateFolders } from '../../os/disk-usage.ts';
import { escapeControls } from '../reporting/log-line.ts';
import { RunFailure } from '../run-failure.ts';
import { findBrokenStep, isTreeThere, statBelow } from './scratch.ts';

type OutputsRequest = {
  /** The copy that the commands worked in; all commands have ended. */
  tree: string;
  /** Canonical paths below the tree. */
  outputs: readonly string[];
  /** Archive of the snapshot that the files are added to. */
  snapshot: string;
  /** Folder that the archive of the files is written to. */
  dir: string;
};

type PackedOutputs = Pick<WrittenArchive, 'digest' | 'path'> & {
  /** Paths in the tree, unordered. */
  files: readonly string[];
  bytes: number;
};

/**
 * Packs the declared outputs of a build and nothing else. The build is untrusted: only regular files with a single link
 * and within the limits of a snapshot are accepted, never through a link, and no file that the tool loads
 * automatically. Throws `source_build_failed` with a message that names the path and never the content of a file.
 */
export function packOutputs({ tree, outputs, snapshot, dir }: OutputsRequest): PackedOutputs {
  if (!isTreeThere(tree)) throw refused('.', 'is not the folder any more that the build was given.');
  const bag = createBag();
  const known = namesOf(snapshot);
  for (const output of outputs) {
    for (const [relative, stat] of below(tree, output)) {
      checkPath(relative, known);
      bag.add(relative, stat);
    }
    if (!bag.hasBelow(output)) throw refused(output, 'is an empty folder, but it is declared as an output.');
  }
  const entries = bag.files().map((file) => entryOf(tree, file));
  const { digest, path: written } = writeArchive({ dir, entries });
  return { digest, path: written, files: entries.map((entry) => entry.path), bytes: bag.bytes() };
}

/** Yields the regular files of an output: itself, or all below it. */
function* below(tree: string, output: string): Generator<[string, Stats]> {
  const parent = path.posix.dirname(output);
  const broken = findBrokenStep(tree, parent);
  const stat = broken === undefined ? statBelow(tree, output) : undefined;
  if (stat === undefined) {
    throw broken !== undefined && statBelow(tree, broken) !== undefined
      ? refused(broken, `is not a folder, so the output ${named(output)} cannot be in it.`)
      : refused(output, 'was not made or is locked, but it is declared as an output.');
  }
  checkKind(output, stat);
  if (!stat.isDirectory()) {
    yield [output, stat];
    return;
  }
  const start = Buffer.from(`${tree}/`);
  let entries = 0;
  const onHidden = (folder: Buffer): void => {
    throw refused(
      folder.subarray(start.length).toString('utf8'),
      'cannot be read: it is locked, or its path is too long.',
    );
  };
  for (const entry of iterateFolders([path.join(tree, output)], onHidden)) {
    entries += 1;
    if (entries > limits.treeEntries) throw refused(output, `holds more than ${count(limits.treeEntries)} names.`);
    const relative = nameOf(entry, start.length);
    checkKind(relative, entry.stat);
    if (entry.stat.isFile()) yield [relative, entry.stat];
  }
}

/** Decodes a file name. A name that changes when it is decoded cannot be stored in an archive. */
function nameOf({ file }: FolderEntry, start: number): string {
  const bytes = file.subarray(start);
  const text = bytes.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(bytes)) throw refused(text, 'has a name that is not UTF-8.');
  return text;
}

function checkKind(relative: string, stat: Stats): void {
  if (stat.isSymbolicLink()) throw refused(relative, 'is a link. Outputs are regular files; copy what it leads to.');
  if (stat.isDirectory()) return;
  if (!stat.isFile()) throw refused(relative, 'is a pipe, socket or device. Outputs are regular files.');
  if (stat.nlink !== 1)
    throw refused(relative, 'is a file with a second name (a hard link). Outputs are files of their own; copy it.');
  if (stat.size > limits.blobBytes) throw refused(relative, `is larger than ${megabytes(limits.blobBytes)}.`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for.
const unfit = /[\x00-\x1f\x7f\\]/;

function checkPath(relative: string, { files, folders }: Names): void {
  const parts = relative.split('/');
  if (parts.length > limits.treeDepth) throw refused(relative, `lies deeper than ${limits.treeDepth} folders.`);
  if (unfit.test(relative)) throw refused(relative, 'has a control character or backslash in its name.');
  if (isLoadedByTool(relative))
    throw refused(
      relative,
      'is a name that the tool loads or is steered by. A build makes what a module reads, never the module itself.',
    );
  const above = parts.map((_, index) => parts.slice(0, index).join('/')).find((folder) => files.has(folder));
  if (above !== undefined) throw refused(above, 'is a file of the snapshot, and the build made it a folder.');
  if (folders.has(relative)) throw refused(relative, 'is a folder of the snapshot, and the build made it a file.');
}

type Names = { files: ReadonlySet<string>; folders: ReadonlySet<string> };

function namesOf(archive: string): Names {
  const files = new Set(listArchive(archive));
  const folders = new Set<string>();
  for (const file of files) {
    for (let folder = path.posix.dirname(file); !folders.has(folder); folder = path.posix.dirname(folder))
      folders.add(folder);
  }
  return { files, folders };
}

/** Returns the paths of the files in an archive, without reading them. Throws `ArchiveError`. */
export function listArchive(archive: string): string[] {
  const names: string[] = [];
  const note = (name: string): boolean => {
    names.push(name);
    return false;
  };
  for (const _ of readArchive(archive, { filter: note }));
  return names;
}

type Packed = { path: string; size: number; executable: boolean };

/** Collects the files of all outputs; one output may be inside another. */
function createBag() {
  const packedFiles = new Map<string, Packed>();
  let bytes = 0;
  return {
    add(relative: string, { size, mode }: Stats): void {
      if (packedFiles.has(relative)) return;
      packedFiles.set(relative, { path: relative, size, executable: (mode & 0o111) !== 0 });
      bytes += size;
      if (packedFiles.size > limits.archiveFiles)
        throw refused(relative, `is one file too many: a build may leave ${count(limits.archiveFiles)}.`);
      if (bytes > limits.archiveBytes)
        throw refused(relative, `is too much: a build may leave ${megabytes(limits.archiveBytes)} altogether.`);
    },
    hasBelow: (output: string): boolean =>
      packedFiles.has(output) || [...packedFiles.keys()].some((name) => name.startsWith(`${output}/`)),
    files: () => [...packedFiles.values()],
    bytes: () => bytes,
  };
}

/** Reads a file when its turn comes, so that not all are in memory. */
const entryOf = (tree: string, { path: relative, size, executable }: Packed): ArchiveInput => ({
  path: relative,
  executable,
  bytes: () => readSame(path.join(tree, relative), relative, size),
});

/** Reads a file and requires that it is unchanged since the check: without a sandbox a process may have escaped. */
function readSame(file: string, relative: string, size: number): Buffer {
  const descriptor = openOutput(file, relative);
  try {
    const stat = fstatSync(descriptor);
    const bytes = stat.isFile() && stat.nlink === 1 && stat.size === size ? readFileSync(descriptor) : undefined;
    if (bytes?.length === size) return bytes;
    throw refused(relative, 'was changed while it was taken over.');
  } finally {
    closeSync(descriptor);
  }
}

function openOutput(file: string, relative: string): number {
  try {
    return openPlain(file);
  } catch (error) {
    if (isDiskFault(error)) throw error;
    throw refused(relative, 'cannot be read: it is locked, or was taken away.');
  }
}

const nameMaxLength = 300;
const named = (relative: string): string => {
  const shown = escapeControls(relative).replace(/[\r\n\t]/g, ' ');
  return `"${shown.length > nameMaxLength ? `${shown.slice(0, nameMaxLength)}…` : shown}"`;
};
const count = (value: number): string => value.toLocaleString('en-US');

const refused = (relative: string, why: string): RunFailure =>
  new RunFailure('source_build_failed', 'build', `What the build left cannot be used: ${named(relative)} ${why}`);
