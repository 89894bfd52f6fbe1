import { chmodSync, lstatSync, rmdirSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { verifyArchive } from '#server/drivers/archive/index';
import { readPlainFile, stampOf, writeDurably } from '../../os/durable-file.ts';
import type { ExecutionSpec } from '../../runner/contract/execution-spec.ts';
import type { Built, LaunchContext } from '../launch-context.ts';
import { RunFailure } from '../run-failure.ts';
import { listArchive } from './build-outputs.ts';

type BuiltFilesContext = Pick<LaunchContext, 'spec' | 'layout'>;

/** Returns the file with the names of the built files in the tree of a Capsule. */
const recordFile = (spec: Pick<ExecutionSpec, 'capsuleDir'>): string => path.join(spec.capsuleDir, 'built.json');
const recordMaxBytes = 33_554_432;

/**
 * Opens the build of this plan. The returned function is called before each command and returns the archive and its
 * files. Throws `RunFailure` when the archive is not the one that was built for this plan.
 */
export function openBuilt(
  context: BuiltFilesContext,
  built: Built,
): () => { path: string; names: ReadonlySet<string> } {
  const check = createCheck(context.spec, built);
  check();
  const names = new Set(listArchive(built.path));
  removeFormerlyBuilt(context, [...names]);
  return () => {
    check();
    return { path: built.path, names };
  };
}

/** Compares the digest once, and again whenever the file has changed. */
function createCheck({ operation }: ExecutionSpec, { path: file, digest }: Built): () => void {
  let proven = '';
  return () => {
    const stamp = stampOf(file);
    if (stamp !== '' && stamp === proven) return;
    if (!verifyArchive(file, digest)) {
      const isApply = operation === 'apply';
      throw new RunFailure(
        isApply ? 'plan_seal_mismatch' : 'source_build_failed',
        isApply ? 'apply' : 'build',
        'The files that were built for this plan are missing or were modified. Plan again.',
      );
    }
    proven = stamp;
  };
}

/**
 * Removes the files of earlier builds from the tree, except those of this Run: the tree is shared by the Runs of a
 * Capsule, and a module can list its files. Replaced files of the snapshot return with the next restore.
 */
export function removeFormerlyBuilt({ spec, layout }: BuiltFilesContext, now: readonly string[]): void {
  const former = readRecord(spec);
  if (former.length === 0 && now.length === 0) return;
  const current = new Set(now);
  for (const name of former) if (!current.has(name)) removeFile(layout.host.tree, name);
  // Written before the files: after a crash in between, a name too many is harmless, because it is removed too.
  writeDurably(recordFile(spec), JSON.stringify(now));
}

function readRecord(spec: ExecutionSpec): string[] {
  try {
    const names: unknown = JSON.parse(readPlainFile(recordFile(spec), recordMaxBytes)?.toString('utf8') ?? '[]');
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string' && isInner(name)) : [];
  } catch {
    return [];
  }
}

const isInner = (name: string): boolean => name.split('/').every((part) => !['', '.', '..'].includes(part));

/** Removes a file and the folders it leaves empty. A command may have replaced it; only a file is removed. */
function removeFile(tree: string, name: string): void {
  const parent = path.posix.dirname(name);
  if (!openFolders(tree, parent)) return;
  const file = path.join(tree, name);
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined || stat.isDirectory()) return;
  unlinkSync(file);
  for (let folder = parent; folder !== '.'; folder = path.posix.dirname(folder)) {
    try {
      rmdirSync(path.join(tree, folder));
    } catch {
      return;
    }
  }
}

/** Opens each folder on the path, because a command may have locked it. Returns false when one of them is not a folder, or is a link. */
function openFolders(tree: string, relative: string): boolean {
  let folder = tree;
  for (const part of ['', ...(relative === '.' ? [] : relative.split('/'))]) {
    folder = path.join(folder, part);
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    if (stat?.isDirectory() !== true) return false;
    if ((stat.mode & 0o700) !== 0o700) chmodSync(folder, 0o700);
  }
  return true;
}
