import fs from 'node:fs';
import path from 'node:path';
import { bounds } from './bounds.ts';
import { GitError, refused } from './git-error.ts';
import { createLocalFiles, type LocalFiles } from './local-files.ts';
import { type LocalObjects, openLocalObjects } from './local-objects.ts';
import { localRefs } from './local-refs.ts';

/** A repository on this machine's disk, read in place and never written. */
type LocalRepository = { objects: LocalObjects; refs: ReturnType<typeof localRefs> };

/**
 * Opens the repository of a folder: one with `.git`, or a bare one. Layouts whose objects are stored
 * elsewhere or in another format are refused with the reason. Throws `GitError`.
 */
export function openLocalRepository(folder: string): LocalRepository {
  const gitDir = findGitDir(folder);
  const files = createLocalFiles(gitDir);
  refuseUnreadable(files);
  const objects = openLocalObjects(files);
  try {
    return { objects, refs: localRefs(files, objects) };
  } catch (error) {
    objects.close();
    throw error;
  }
}

function findGitDir(folder: string): string {
  const stats = statOf(folder);
  if (!stats?.isDirectory()) {
    throw new GitError(
      'source_not_git',
      'The folder at the path of the Git URL does not exist or cannot be read. Check the path.',
    );
  }
  const inner = path.join(folder, '.git');
  const kind = fs.lstatSync(inner, { throwIfNoEntry: false });
  if (kind && !kind.isDirectory()) {
    throw refused(
      'The folder is a worktree or submodule, whose objects lie elsewhere. Use the path of the main repository.',
    );
  }
  const gitDir = kind ? inner : folder;
  const isRepository = ['HEAD', 'objects', 'refs'].every((name) => fs.existsSync(path.join(gitDir, name)));
  if (!isRepository) throw new GitError('source_not_git', 'The folder is not a Git repository. Check the path.');
  return gitDir;
}

function statOf(folder: string): fs.Stats | undefined {
  try {
    return fs.statSync(folder, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function refuseUnreadable(files: LocalFiles): void {
  const config = files.text('config', bounds.configBytes) ?? '';
  if (files.text('commondir', bounds.refFileBytes) !== undefined) {
    throw refused('The folder is a worktree, whose objects lie elsewhere. Use the path of the main repository.');
  }
  if (/^\s*objectformat\s*=\s*"?sha256/im.test(config)) {
    throw refused(
      'The repository uses SHA-256 object ids, which cannot be read from disk. Serve it over https instead.',
    );
  }
  if (/^\s*refstorage\s*=\s*"?reftable/im.test(config)) {
    throw refused(
      'The repository keeps its refs as a reftable, which cannot be read from disk. Serve it over https instead.',
    );
  }
  if ((files.text('objects/info/alternates', bounds.refFileBytes) ?? '').trim() !== '') {
    throw refused(
      'The repository borrows objects from another one (alternates). Run "git repack -a -d" and remove the file objects/info/alternates.',
    );
  }
}
