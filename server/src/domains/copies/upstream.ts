import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { readArchive } from '#server/drivers/archive/index';
import type { Git, GitCredential, GitSyncResult } from '#server/drivers/git/index';
import { isConfiguration, isExample, type ToolName } from '#server/drivers/scan/index';
import { CopyError, type MakeRequest } from './maker.ts';

/** Fetches the files of the upstream repository at its commit, with the targets of its links. */
export const fetchUpstream = (
  git: Pick<Git, 'sync'>,
  { upstream, upstreamCommit, folder, signal }: MakeRequest,
  credential: GitCredential | undefined,
): Promise<GitSyncResult> =>
  git.sync(
    {
      url: upstream.url,
      ref: upstreamCommit ?? upstream.ref,
      path: upstream.path,
      linkTargets: true,
      ...(credential && { credential }),
    },
    { repositoryDir: path.join(folder, 'upstream'), archivesDir: path.join(folder, 'archives'), signal },
  );

/** Work between two yields to other work of this process. */
const filesPerTurn = 64;
const bytesPerTurn = 4 << 20;

/**
 * Returns the folders of the modules to copy: the chosen one, or all with configuration except examples and tests.
 * Throws `CopyError` when there is none.
 */
export async function findEntries(
  { archive }: GitSyncResult,
  { modulePath, toolName }: { modulePath: string | undefined; toolName: ToolName },
): Promise<string[]> {
  const found = new Set<string>();
  let [files, bytes] = [0, 0];
  for (const file of readArchive(archive.path, { digest: archive.digest })) {
    const folder = path.posix.dirname(file.path);
    if (isConfiguration(path.posix.basename(file.path), toolName)) found.add(folder);
    files += 1;
    bytes += file.bytes.length;
    if (files < filesPerTurn && bytes < bytesPerTurn) continue;
    [files, bytes] = [0, 0];
    await turn();
  }
  if (modulePath !== undefined) {
    if (found.has(modulePath)) return [modulePath];
    throw new CopyError('copy_module_not_found', 'The repository has no module at this path. Choose another one.');
  }
  const entries = [...found].filter((folder) => !isExample(folder)).sort();
  if (entries.length > 0) return entries;
  throw new CopyError('copy_module_not_found', 'The repository has no module outside of its examples and tests.');
}
