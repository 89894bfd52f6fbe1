import path from 'node:path';
import { type NetworkFds, networkArgv, privateFile, sandboxPaths, systemArgv, walls } from './sandbox.ts';

/** Paths of the folders of a build command inside its sandbox. */
export const buildPaths = { tree: sandboxPaths.tree, home: sandboxPaths.home, tmp: '/tmp' } as const;

type BuildSandboxRequest = {
  /** Folders of the host, writable: a copy of the snapshot that nothing else uses, and two empty ones. */
  host: { tree: string; home: string; tmp: string };
  /** True when the tree is shared. */
  isReadOnly?: boolean | undefined;
  /** Absent: without a network. */
  network?: 'outer';
  /** Descriptors in bwrap: the status file, the filter of system calls, and files of credentials with their paths inside. */
  fds: {
    status: number;
    calls?: number | undefined;
    files?: readonly { descriptor: number; path: string; mode: number }[];
  } & NetworkFds;
  /** Relative to the tree. */
  workDir: string;
  command: readonly string[];
};

/**
 * Returns the arguments of bubblewrap (bwrap(1)) for one command of a build or for a lifecycle action. It has the
 * isolation of every command of the tool, and of this machine only the system's own programs. Tool, keys, state and
 * providers are not inside.
 */
export function buildSandboxArgv(request: BuildSandboxRequest): string[] {
  const { host, isReadOnly, network, fds, workDir, command } = request;
  return [
    ...walls,
    ...(network === 'outer' ? ['--share-net'] : []),
    '--die-with-parent',
    ...['--json-status-fd', String(fds.status)],
    ...(fds.calls === undefined ? [] : ['--seccomp', String(fds.calls)]),
    ...systemArgv(),
    ...[isReadOnly === true ? '--ro-bind' : '--bind', host.tree, buildPaths.tree],
    ...['--bind', host.home, buildPaths.home],
    ...['--bind', host.tmp, buildPaths.tmp],
    ...(fds.files ?? []).flatMap(({ descriptor, path: file, mode }) => privateFile(descriptor, file, mode)),
    ...(network === 'outer' ? networkArgv(fds) : []),
    ...['--remount-ro', '/', '--chdir', path.posix.join(buildPaths.tree, workDir), '--', ...command],
  ];
}
