import path from 'node:path';
import { sandboxPaths, systemArgv, walls } from './sandbox.ts';

/** Paths of the folders of a build command inside its sandbox. */
export const buildPaths = { tree: sandboxPaths.tree, home: sandboxPaths.home, tmp: '/tmp' } as const;

type BuildSandboxRequest = {
  /** Folders of the host, writable: a copy of the snapshot that nothing else uses, and two empty ones. */
  host: { tree: string; home: string; tmp: string };
  /** True when the tree is shared. */
  isReadOnly?: boolean | undefined;
  /** Descriptors in bwrap: the status file, and the filter of system calls. */
  fds: { status: number; calls?: number | undefined };
  /** Relative to the tree. */
  workDir: string;
  command: readonly string[];
};

/**
 * Returns the arguments of bubblewrap (bwrap(1)) for one command of a build. It has the isolation of every command of
 * the tool, but no network, and of this machine only the system's own programs. Tool, keys, state and providers are not
 * inside.
 */
export function buildSandboxArgv({ host, isReadOnly, fds, workDir, command }: BuildSandboxRequest): string[] {
  return [
    ...walls,
    '--die-with-parent',
    ...['--json-status-fd', String(fds.status)],
    ...(fds.calls === undefined ? [] : ['--seccomp', String(fds.calls)]),
    ...systemArgv(),
    ...[isReadOnly === true ? '--ro-bind' : '--bind', host.tree, buildPaths.tree],
    ...['--bind', host.home, buildPaths.home],
    ...['--bind', host.tmp, buildPaths.tmp],
    ...['--remount-ro', '/', '--chdir', path.posix.join(buildPaths.tree, workDir), '--', ...command],
  ];
}
