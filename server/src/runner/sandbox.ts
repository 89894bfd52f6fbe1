import { existsSync } from 'node:fs';
import { vendor } from '#shared/vendor';

/** Where a command of the tool finds its folders and files; the same in every Run, because modules can see paths. */
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
  home: string;
};

const inside = `/${vendor}`;

/** The paths inside the sandbox. A module that takes `abspath(path.module)` into a resource sees no change between Runs. */
export const sandboxPaths: ToolPaths = {
  tree: `${inside}/tree`,
  state: `${inside}/state`,
  data: `${inside}/data`,
  providers: `${inside}/providers`,
  tool: `${inside}/tool`,
  plan: `${inside}/plan`,
  keyFile: `${inside}/key.json`,
  variablesFile: `${inside}/vars.tfvars.json`,
  cliConfigFile: `${inside}/cli.tfrc`,
  home: '/home/u',
};

export type SandboxRequest = {
  /** Folders and files of the host. `plan` is the sealed plan file, always read-only. */
  host: {
    tree: string;
    state: string;
    data: string;
    providers: string;
    tool: string;
    plan?: string | undefined;
    mirror?: string | undefined;
  };
  writable: { state: boolean; data: boolean };
  network: boolean;
  /** False only for an apply, which outlives its supervisor. */
  dieWithParent: boolean;
  /** Descriptors in bwrap: the status file, and what becomes read-only files on the sandbox's own tmpfs. */
  fds: { status: number; key?: number | undefined; variables?: number | undefined; cliConfig: number };
  /** Absolute, inside. */
  workDir: string;
  command: readonly string[];
};

/** Sizes in bytes of the folders in memory a command may fill. */
const tmpfsSizes = [
  ['/dev/shm', 67_108_864],
  ['/tmp', 536_870_912],
  ['/home', 16_777_216],
] as const;

/** Of `/etc`, only what programs need to resolve names and to trust certificates. */
const systemFiles = [
  'ssl',
  'pki',
  'ca-certificates',
  'resolv.conf',
  'hosts',
  'nsswitch.conf',
  'passwd',
  'group',
  'localtime',
];

/**
 * Arguments of bubblewrap (bwrap(1)) for one command. `--disable-userns`, `--unshare-user` and `--cap-drop ALL` together
 * keep a module from mounting anything, also when the server runs as root. The environment is that of bwrap's own start,
 * so that no value of it stands in an argument list that every user of the host can read.
 */
export function sandboxArgv(request: SandboxRequest): string[] {
  const { host, fds } = request;
  return [
    ...['--unshare-all', '--unshare-user', '--disable-userns', '--cap-drop', 'ALL', '--new-session', '--as-pid-1'],
    ...(request.network ? ['--share-net'] : []),
    ...(request.dieWithParent ? ['--die-with-parent'] : []),
    ...['--json-status-fd', String(fds.status)],
    ...systemArgv(),
    ...['--bind', host.tree, sandboxPaths.tree],
    ...[request.writable.state ? '--bind' : '--ro-bind', host.state, sandboxPaths.state],
    ...[request.writable.data ? '--bind' : '--ro-bind', host.data, sandboxPaths.data],
    ...['--ro-bind', host.providers, sandboxPaths.providers],
    ...['--ro-bind', host.tool, sandboxPaths.tool],
    ...(host.plan === undefined ? [] : ['--ro-bind', host.plan, sandboxPaths.plan]),
    ...(host.mirror === undefined ? [] : ['--ro-bind', host.mirror, mirrorInside]),
    ...privateFile(fds.key, sandboxPaths.keyFile),
    ...privateFile(fds.variables, sandboxPaths.variablesFile),
    ...privateFile(fds.cliConfig, sandboxPaths.cliConfigFile),
    ...['--remount-ro', '/', '--chdir', request.workDir, '--', ...request.command],
  ];
}

/** Where an operator's provider mirror is inside. */
export const mirrorInside = `${inside}/mirror`;

export type ProbeRequest = { tool?: string; command: readonly string[] };

/** The same walls around nothing but a tool's `version`: what works here works for a Run. */
export function probeArgv({ tool, command }: ProbeRequest): string[] {
  return [
    ...[
      '--unshare-all',
      '--unshare-user',
      '--disable-userns',
      '--cap-drop',
      'ALL',
      '--die-with-parent',
      '--new-session',
    ],
    '--as-pid-1',
    ...systemArgv(),
    ...(tool === undefined ? [] : ['--ro-bind', tool, sandboxPaths.tool]),
    ...['--remount-ro', '/', '--chdir', '/tmp', '--', ...command],
  ];
}

function systemArgv(): string[] {
  return [
    ...['--ro-bind', '/usr', '/usr'],
    ...['bin', 'sbin', 'lib', 'lib64'].flatMap((name) =>
      existsSync(`/usr/${name}`) ? ['--symlink', `usr/${name}`, `/${name}`] : [],
    ),
    ...systemFiles.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    ...['--proc', '/proc', '--dev', '/dev', '--remount-ro', '/dev'],
    ...tmpfsSizes.flatMap(([folder, bytes]) => ['--size', String(bytes), '--tmpfs', folder]),
    ...['--dir', sandboxPaths.home],
  ];
}

/** Read to its end by bwrap and put on the sandbox's own tmpfs, so it never touches a disk. */
function privateFile(descriptor: number | undefined, file: string): string[] {
  return descriptor === undefined ? [] : ['--perms', '0400', '--ro-bind-data', String(descriptor), file];
}

/** Where bubblewrap is looked for: fixed places only, because a person's PATH may name folders others can write to. */
export const findBubblewrap = (): string | undefined =>
  process.platform === 'linux'
    ? ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'].find((file) => existsSync(file))
    : undefined;
