import { existsSync, lstatSync } from 'node:fs';
import path from 'node:path';
import { isImplemented } from '#server/kernel/platforms';
import { vendor } from '#shared/vendor';
import { resolverFile } from './slirp.ts';

/** Paths of a command's folders and files inside the sandbox; the same in every Run, because modules can see paths. */
export type ToolPaths = {
  tree: string;
  state: string;
  data: string;
  providers: string;
  tool: string;
  plan: string;
  keyFile: string;
  variablesFile: string;
  cliConfigFile: string;
  /** Folder of the files of the Run's credentials. */
  credentials: string;
  /** Folder of the states of Capsules that the module reads whole. */
  states: string;
  /** Folder of the sockets at which provider schemas are served. */
  sockets: string;
  home: string;
  /** TMPDIR of every command. */
  tmp: string;
};

const inside = `/${vendor}`;

/** Paths inside the sandbox. A module that uses `abspath(path.module)` in a resource sees no change between Runs. */
export const sandboxPaths: ToolPaths = {
  tree: `${inside}/tree`,
  state: `${inside}/state`,
  data: `${inside}/data`,
  providers: `${inside}/providers`,
  tool: `${inside}/tool`,
  plan: `${inside}/planned/plan`,
  keyFile: `${inside}/key.json`,
  variablesFile: `${inside}/vars.tfvars.json`,
  cliConfigFile: `${inside}/cli.tfrc`,
  credentials: `${inside}/credentials`,
  states: `${inside}/states`,
  sockets: `${inside}/sockets`,
  home: '/home/u',
  tmp: `${inside}/tmp`,
};

export type SandboxRequest = {
  /** Folders and files of the host. `plan` is the plan file in a folder of its own, always read-only. */
  host: {
    tree: string;
    state: string;
    data: string;
    providers: string;
    tool: string;
    plan?: string | undefined;
    mirror?: string | undefined;
    /** Folders that commands may write to, at the same path inside. */
    writablePaths?: readonly string[] | undefined;
    /** Folder of the sockets that answer in place of providers. */
    sockets?: string | undefined;
    /** Folder that will contain the CLI configuration, if it is not passed by a descriptor. */
    cli?: string | undefined;
  };
  writable: { state: boolean; data: boolean };
  /** `outer` is the network of the process that starts bwrap: of the host, or a namespace that was entered before. */
  network: 'none' | 'outer';
  /** False only for an apply, which outlives its supervisor. */
  dieWithParent: boolean;
  /** Descriptors in bwrap: the status file, and those that become read-only files on the sandbox's own tmpfs. */
  fds: {
    status: number;
    key?: number | undefined;
    variables?: number | undefined;
    cliConfig?: number | undefined;
    /** Files of the Run's credentials, each with its path inside. */
    files?: readonly { descriptor: number; path: string; mode: number }[];
    /** The filter of system calls. */
    calls?: number | undefined;
  } & NetworkFds;
  /** Absolute path inside. */
  workDir: string;
  command: readonly string[];
};

/**
 * Only for an entered network: the resolver file, and the descriptor that every process inside holds open to keep it.
 */
export type NetworkFds = { resolver?: number | undefined; leash?: number | undefined };

/** Size in bytes of TMPDIR and of `/tmp`, which are in memory. */
export const tmpfsBytes = 536_870_912;
/** Sizes in bytes of the folders in memory that a command may fill. */
const tmpfsSizes = [
  ['/dev/shm', 67_108_864],
  ['/tmp', tmpfsBytes],
  ['/home', 16_777_216],
] as const;

/** Subfolders with the private keys of the machine, which distributions keep beside its certificates: no module needs them. */
const hiddenFolders = [
  '/etc/ssl/private',
  ...['tls/private', 'CA/private', 'consumer', 'entitlement'].map((name) => `/etc/pki/${name}`),
];
const hiddenBytes = 4_096;
/** Reports whether a path is a folder. Links are not followed, because their targets are not inside. */
const isFolder = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === true;

/** Files of `/etc` that programs need to be found, to resolve names and to trust certificates. */
const systemFiles = [
  // Links by which programs and libraries of the system are found: `awk` is a link into the first.
  'alternatives',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'ssl',
  'pki',
  'ca-certificates',
  'hosts',
  'nsswitch.conf',
  'passwd',
  'group',
  'localtime',
];

/**
 * Returns the arguments of bubblewrap (bwrap(1)) for one command. `--disable-userns`, `--unshare-user` and `--cap-drop
 * ALL` together prevent a module from mounting anything, even when the server runs as root. The environment is that of
 * bwrap's own start, so that no value of it is in an argument list that every user of the host can read.
 */
export function sandboxArgv(request: SandboxRequest): string[] {
  const { host, fds } = request;
  return [
    ...walls,
    ...(request.network === 'outer' ? ['--share-net'] : []),
    ...(request.dieWithParent ? ['--die-with-parent'] : []),
    ...['--json-status-fd', String(fds.status)],
    ...(fds.calls === undefined ? [] : ['--seccomp', String(fds.calls)]),
    ...privateFile(fds.cliConfig, sandboxPaths.cliConfigFile),
    ...systemArgv(),
    ...['--bind', host.tree, sandboxPaths.tree],
    ...[request.writable.state ? '--bind' : '--ro-bind', host.state, sandboxPaths.state],
    ...[request.writable.data ? '--bind' : '--ro-bind', host.data, sandboxPaths.data],
    ...['--ro-bind', host.providers, sandboxPaths.providers],
    ...['--ro-bind', host.tool, sandboxPaths.tool],
    ...(host.plan === undefined ? [] : ['--ro-bind', path.dirname(host.plan), path.posix.dirname(sandboxPaths.plan)]),
    ...(host.cli === undefined ? [] : ['--ro-bind', host.cli, path.posix.dirname(awaitedConfigInside)]),
    ...(host.sockets === undefined ? [] : ['--ro-bind', host.sockets, sandboxPaths.sockets]),
    ...(host.mirror === undefined ? [] : ['--ro-bind', host.mirror, mirrorInside]),
    ...privateFile(fds.key, sandboxPaths.keyFile),
    ...privateFile(fds.variables, sandboxPaths.variablesFile),
    ...(fds.files ?? []).flatMap(({ descriptor, path, mode }) => privateFile(descriptor, path, mode)),
    ...networkArgv(fds),
    ...['--size', String(tmpfsBytes), '--tmpfs', sandboxPaths.tmp],
    ...(host.writablePaths ?? []).flatMap((folder) => ['--bind', folder, folder]),
    // Files that a module wrote to the usual /tmp would vanish with the sandbox, while the tool reported them as
    // created.
    ...['--remount-ro', '/tmp', '--remount-ro', '/', '--chdir', request.workDir, '--', ...request.command],
  ];
}

/** Arguments that every sandbox begins with. */
export const walls = [
  '--unshare-all',
  '--unshare-user',
  '--disable-userns',
  '--cap-drop',
  'ALL',
  '--new-session',
  '--as-pid-1',
];

export function networkArgv({ resolver, leash }: NetworkFds): string[] {
  if (resolver === undefined || leash === undefined) return ['--ro-bind-try', resolverFile, resolverFile];
  return [...['--sync-fd', String(leash)], ...['--perms', '0444', '--ro-bind-data', String(resolver), resolverFile]];
}

/**
 * Path of the CLI configuration of a prewarmed command, which receives it last; the same name in the folder of the
 * host.
 */
export const awaitedConfigInside = `${inside}/cli/cli.tfrc`;

/** Path of an operator's provider mirror inside the sandbox. */
export const mirrorInside = `${inside}/mirror`;

type ProbeRequest = {
  tool?: string;
  command: readonly string[];
  /** Folders and files of the host that it reads, each with its path inside. */
  binds?: readonly (readonly [from: string, to: string])[];
  /** Uses the network of an entered namespace. */
  network?: { resolver: number; leash: number };
};

/** Returns the arguments of bwrap for a short program with the same isolation: if it works here, it works for a Run. */
export function probeArgv({ tool, command, binds = [], network }: ProbeRequest): string[] {
  return [
    ...walls,
    '--die-with-parent',
    ...(network === undefined ? [] : ['--share-net']),
    ...systemArgv(),
    ...(tool === undefined ? [] : ['--ro-bind', tool, sandboxPaths.tool]),
    ...binds.flatMap(([from, to]) => ['--ro-bind', from, to]),
    ...networkArgv(network ?? {}),
    ...['--remount-ro', '/', '--chdir', '/tmp', '--', ...command],
  ];
}

/** Returns the arguments of bwrap for a program that keeps namespaces for others: it sees only what it needs to run. */
export const namespaceArgv = (command: readonly string[]): string[] => [
  ...['--unshare-user', '--unshare-net', '--cap-drop', 'ALL', '--new-session', '--die-with-parent'],
  ...programsArgv(),
  ...['--', ...command],
];

/**
 * Paths under `/proc` that control the whole machine. A root without capabilities still owns these files, and the
 * program in `/proc/sys/kernel/core_pattern` runs as root outside of every sandbox. bwrap does not protect them,
 * because it finds their folders not writable.
 */
const kernelSwitches = ['sys', 'irq', 'bus', 'fs', 'acpi', 'scsi', 'mtrr', 'sysrq-trigger'];

const programsArgv = (): string[] => [
  ...['--ro-bind', '/usr', '/usr'],
  ...['bin', 'sbin', 'lib', 'lib64'].flatMap((name) =>
    existsSync(`/usr/${name}`) ? ['--symlink', `usr/${name}`, `/${name}`] : [],
  ),
];

/** Returns arguments for the system's own programs, read-only, and folders in memory. */
export function systemArgv(): string[] {
  return [
    ...programsArgv(),
    ...systemFiles.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    ...hiddenFolders.flatMap((folder) =>
      isFolder(folder) ? ['--size', String(hiddenBytes), '--tmpfs', folder, '--remount-ro', folder] : [],
    ),
    ...['--proc', '/proc'],
    ...kernelSwitches.flatMap((name) => ['--ro-bind-try', `/proc/${name}`, `/proc/${name}`]),
    ...['--dev', '/dev', '--remount-ro', '/dev'],
    ...tmpfsSizes.flatMap(([folder, bytes]) => ['--size', String(bytes), '--tmpfs', folder]),
    ...['--dir', sandboxPaths.home],
  ];
}

/**
 * Returns arguments for a file that bwrap reads to its end and puts on the sandbox's own tmpfs, so it never touches a
 * disk.
 */
export function privateFile(descriptor: number | undefined, file: string, mode = 0o400): string[] {
  if (descriptor === undefined) return [];
  return ['--perms', `0${mode.toString(8)}`, '--ro-bind-data', String(descriptor), file];
}

/**
 * Paths at which bubblewrap is searched: fixed ones only, because a person's PATH may name folders others can write to.
 */
export const findBubblewrap = (platform: NodeJS.Platform = process.platform): string | undefined =>
  isImplemented('sandbox', platform)
    ? ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'].find((file) => existsSync(file))
    : undefined;
