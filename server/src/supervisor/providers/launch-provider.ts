import { pluginEnvironment } from '#server/drivers/tofu/index';
import { allowancesOf } from '../../os/allowances.ts';
import { providerEnvironment } from '../../os/environment.ts';
import { identityOf, type ProcessIdentity, signalProcess } from '../../os/process-identity.ts';
import { packageInside, providerSandboxArgv } from '../../os/provider-sandbox.ts';
import { sandboxPaths } from '../../os/sandbox.ts';
import { type Detached, type Exit, type Pipe, spawnDetached } from '../../os/spawn.ts';
import { findCallFilter } from '../../os/system-calls.ts';
import { inGroup } from '../command/enter-group.ts';
import { gate, gateIn, launched } from '../command/gate.ts';
import { networkFor } from '../command/network-for.ts';
import { readStatusText } from '../command/status.ts';
import type { Bounds, LaunchContext } from '../launch-context.ts';
import { writableFolders } from '../outside-paths.ts';
import type { InstalledProvider } from '../schema/installed-providers.ts';
import { type CredentialFile, credentialFilesOf, credentialVariables } from '../workspace/credential-files.ts';

/** A process of a provider whose shell waits for its `go`. */
export type LaunchedProvider = {
  /** Process in the sandbox, which becomes the provider; rejects when there is none. */
  identity: Promise<ProcessIdentity>;
  /** bwrap, outside. */
  leader: ProcessIdentity;
  stdout: Pipe;
  stderr: Pipe;
  exited: Promise<Exit>;
  ready: Promise<void>;
  go(): void;
  /** Ends it, whether or not its sandbox is complete. */
  kill(): void;
};

const descriptors = {
  status: 3,
  resolver: 4,
  leash: 5,
  calls: gateIn.sandbox + 1,
  firstFile: gateIn.sandbox + 2,
} as const;

/** Starts the sandbox of one provider process, which is bound to the life of this process. Throws when it cannot be started. */
export async function launchProvider(
  context: LaunchContext,
  provider: InstalledProvider,
  bounds: Bounds,
): Promise<LaunchedProvider> {
  const network = await networkFor(context, { name: 'provider', network: true });
  const inputs = { network, calls: findCallFilter(), files: credentialFilesOf(context, 'provider') };
  const sandboxed = { file: context.bwrap as string, argv: argvOf(context, { ...inputs, provider, bounds }) };
  const child = await spawnDetached({
    ...inGroup(bounds.entries, network?.enter(sandboxed) ?? sandboxed),
    env: environmentOf(context, inputs.files),
    stdio: stdioOf(inputs),
  });
  send(child, inputs);
  return watchProvider(child);
}

/** Inputs of a provider that it gets by descriptors: its network, its filter of system calls, and its credentials. */
type Inputs = {
  network: Awaited<ReturnType<typeof networkFor>>;
  calls: ReturnType<typeof findCallFilter>;
  files: readonly CredentialFile[];
};

type Sandboxed = Inputs & { provider: InstalledProvider; bounds: Bounds };

function argvOf({ spec, layout }: LaunchContext, { provider, bounds, network, calls, files }: Sandboxed) {
  return providerSandboxArgv({
    host: { tree: layout.host.tree, package: provider.folder, writablePaths: writableFolders(spec) ?? [] },
    fds: {
      status: descriptors.status,
      resolver: network && descriptors.resolver,
      leash: network && descriptors.leash,
      calls: calls && descriptors.calls,
      files: files.map(({ path, mode }, index) => ({ path, mode, descriptor: descriptors.firstFile + index })),
    },
    workDir: layout.workDir,
    command: ['/bin/sh', '-c', gate(gateIn.sandbox, bounds), 'sh', `${packageInside}/${provider.program}`],
  });
}

const stdioOf = ({ network, calls, files }: Inputs): (Pipe | number | 'pipe' | 'ignore')[] => [
  'ignore',
  'pipe',
  'pipe',
  'pipe',
  network === undefined ? 'ignore' : 'pipe',
  network?.leash ?? 'ignore',
  ...(['ignore', 'ignore', 'ignore'] as const),
  'pipe',
  calls === undefined ? 'ignore' : 'pipe',
  ...files.map(() => 'pipe' as const),
];

function send({ pipes }: Detached, { network, calls, files }: Inputs): void {
  if (calls !== undefined) pipes[descriptors.calls]?.end(calls);
  if (network !== undefined) pipes[descriptors.resolver]?.end(network.resolver());
  for (const [index, { bytes }] of files.entries()) pipes[descriptors.firstFile + index]?.end(bytes);
}

function watchProvider(child: Detached): LaunchedProvider {
  const { exited, ready, go, giveUp } = launched(child, gateIn.sandbox, async () => {});
  const leader = identityOf(child.pid) ?? { pid: child.pid, startTime: '', bootId: '' };
  const identity = identify(child.pipes[descriptors.status] as Pipe, exited);
  let inside: ProcessIdentity | undefined;
  void identity.then(
    (found) => (inside = found),
    () => {},
  );
  return {
    identity,
    leader,
    stdout: child.pipes[1] as Pipe,
    stderr: child.pipes[2] as Pipe,
    exited,
    ready,
    go,
    kill() {
      // The shell in a sandbox that is not complete may not be bound to the life of bwrap yet.
      if (inside === undefined) giveUp();
      if (inside === undefined || !signalProcess(inside, 'SIGKILL')) signalProcess(leader, 'SIGKILL');
    },
  };
}

function environmentOf({ spec }: LaunchContext, files: readonly CredentialFile[]) {
  return {
    ...providerEnvironment({
      paths: { home: sandboxPaths.home, tmpDir: sandboxPaths.tmp },
      credentials: credentialVariables(spec, files),
      memoryBytes: allowancesOf(spec).memoryBytes,
    }),
    ...pluginEnvironment,
  };
}

/** Identifies the process that bwrap reports. */
function identify(status: Pipe, exited: Promise<Exit>): Promise<ProcessIdentity> {
  return new Promise((resolve, reject) => {
    let text = '';
    status.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const { childPid } = readStatusText(text);
      const identity = childPid === undefined ? undefined : identityOf(childPid);
      if (identity !== undefined) resolve(identity);
    });
    void exited.then(({ code }) => reject(new Error(`The sandbox of a provider ended with code ${code}.`)));
  });
}
