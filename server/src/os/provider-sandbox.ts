import { vendor } from '#shared/vendor';
import { type NetworkFds, networkArgv, privateFile, sandboxPaths, systemArgv, tmpfsBytes, walls } from './sandbox.ts';

/** Folder of the provider's package inside its sandbox. */
export const packageInside = `/${vendor}/provider`;

type ProviderSandboxRequest = {
  /** Folders of the host: the tree of the module, the package, and folders that a plan may write to. */
  host: { tree: string; package: string; writablePaths: readonly string[] };
  /** Descriptors in bwrap: its status, the filter of system calls, and files of credentials with their paths inside. */
  fds: {
    status: number;
    calls?: number | undefined;
    files?: readonly { descriptor: number; path: string; mode: number }[];
  } & NetworkFds;
  /** Absolute path inside. */
  workDir: string;
  command: readonly string[];
};

/**
 * Returns the arguments of bubblewrap (bwrap(1)) for one process of a provider beside the tool. It sees the module, its
 * own package and its credentials; key, plan, state, variables and the other providers are not inside.
 */
export function providerSandboxArgv({ host, fds, workDir, command }: ProviderSandboxRequest): string[] {
  return [
    ...walls,
    ...['--share-net', '--die-with-parent', '--json-status-fd', String(fds.status)],
    ...(fds.calls === undefined ? [] : ['--seccomp', String(fds.calls)]),
    ...systemArgv(),
    ...['--bind', host.tree, sandboxPaths.tree],
    ...['--ro-bind', host.package, packageInside],
    ...(fds.files ?? []).flatMap(({ descriptor, path, mode }) => privateFile(descriptor, path, mode)),
    ...networkArgv(fds),
    ...['--size', String(tmpfsBytes), '--tmpfs', sandboxPaths.tmp],
    ...host.writablePaths.flatMap((folder) => ['--bind', folder, folder]),
    ...['--remount-ro', '/tmp', '--remount-ro', '/', '--chdir', workDir, '--', ...command],
  ];
}
