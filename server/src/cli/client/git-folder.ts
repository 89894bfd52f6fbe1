import { realpathSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { InspectedAddress } from '#shared/sources/inspection';
import { runTool } from '../../runner/index.ts';
import { failed } from '../exit-codes.ts';

/** A folder of a module in a Git working tree, as a Source names it. */
export type GitFolder = {
  address: InspectedAddress;
  /** Folder of the module in the repository; `.` for its root. */
  modulePath: string;
  /** Commit that is checked out. */
  commit: string;
};

const timeoutMs = 30_000;

/**
 * Finds the repository of a folder: its remote when the commit was pushed there, else the local repository where the
 * server reads those. Throws a `CommandError` that says what to do for any other folder.
 */
export async function findGitFolder(dir: string, { readsLocal }: { readsLocal: boolean }): Promise<GitFolder> {
  const git = gitIn(dir);
  const root = await git('rev-parse', '--show-toplevel');
  if (root === undefined)
    throw failed(
      'import_not_git',
      'The folder is not in a Git repository. Create one with git init, add the module, commit it, and try again.',
    );
  const commit = await git('rev-parse', '--verify', 'HEAD^{commit}');
  if (commit === undefined) throw failed('import_no_commit', 'The repository has no commit. Commit the module first.');
  await requireClean(git);
  const modulePath = path.relative(realpathSync(root), realpathSync(dir)).split(path.sep).join('/') || '.';
  const upstream = await git('rev-parse', '--abbrev-ref', '--symbolic-full-name', '@{upstream}');
  const remote = upstream?.split('/')[0] ?? 'origin';
  const url = httpsUrl(await git('remote', 'get-url', remote));
  const isPushed = ((await git('branch', '--remotes', '--contains', commit, '--list', `${remote}/*`)) ?? '') !== '';
  if (url !== undefined && isPushed) {
    const isAtUpstream = upstream !== undefined && (await git('rev-parse', '@{upstream}')) === commit;
    const ref = isAtUpstream ? upstream.slice(remote.length + 1) : commit;
    return { address: { url, ref, path: '.' }, modulePath, commit };
  }
  if (readsLocal) {
    const branch = await git('symbolic-ref', '--short', '--quiet', 'HEAD');
    return { address: { url: pathToFileURL(root).href, ref: branch ?? commit, path: '.' }, modulePath, commit };
  }
  throw failed(
    'import_not_pushed',
    'The commit is on no https:// remote of the repository, and this server does not read repositories of its disk. Push it to one, and try again.',
  );
}

type Git = (...argv: string[]) => Promise<string | undefined>;

/** Runs Git in a folder; undefined when the command fails. */
const gitIn =
  (dir: string): Git =>
  async (...argv) => {
    const env = Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const ended = await runTool({
      file: 'git',
      argv: ['-C', dir, ...argv],
      env: { ...env, GIT_OPTIONAL_LOCKS: '0' },
      timeoutMs,
    }).catch(() => {
      throw failed('no_git', 'Git cannot be started. Install it, and try again.');
    });
    return ended.code === 0 ? ended.stdout.trim() : undefined;
  };

/** Requires that the module is as it was committed. A state and the tool's own files need not be in the repository. */
async function requireClean(git: Git): Promise<void> {
  const changed = await git('status', '--porcelain=v1', '--untracked-files=no', '--', '.');
  const added = await git(
    'ls-files',
    '--others',
    '--exclude-standard',
    '--',
    '*.tf',
    '*.tofu',
    '*.tf.json',
    '*.tofu.json',
  );
  if (changed === '' && added === '') return;
  throw failed(
    'import_not_committed',
    'The folder has changes that are not committed, so the commit is not what was applied. Commit or discard them, and try again.',
  );
}

/** Returns an https address of a remote, also for one that Git reaches by SSH; undefined for any other. */
function httpsUrl(remote: string | undefined): string | undefined {
  if (remote === undefined) return undefined;
  const ssh = /^(?:ssh:\/\/)?(?:[^@/]+@)([^:/]+)(?::(?:\d+\/)?|\/)(.+)$/.exec(remote);
  const text = ssh ? `https://${ssh[1]}/${ssh[2]}` : remote;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash;
  return isPlain && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : undefined;
}
