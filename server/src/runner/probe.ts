import { networkInterfaces, tmpdir } from 'node:os';
import type { SandboxProblem } from '#shared/execution/tool';
import { toolEnvironment } from '../os/environment.ts';
import { findNsenter, openNamespace } from '../os/namespace.ts';
import { type Network, openNetwork } from '../os/network.ts';
import { findBubblewrap, probeArgv, sandboxPaths } from '../os/sandbox.ts';
import { findSandboxProblem, missingSandbox, readRestrictions } from '../os/sandbox-problem.ts';
import {
  findSlirp,
  hardenings,
  hasReachableNameServer,
  type Isolation,
  isNameServerConfined,
  readHostResolver,
  resolverFile,
  slirpEnvironment,
  speaksIpv4,
  tapName,
} from '../os/slirp.ts';
import { runTool, spawnDetached } from '../os/spawn.ts';
import type { ToolIdentity } from './contract/execution-spec.ts';

export type SandboxProbe = {
  sandbox: 'bwrap' | 'none';
  /** Only when `sandbox` is `none`. */
  problem?: SandboxProblem;
  /** Network of a command: with `shared` it can reach services on the host's loopback. */
  network: 'isolated' | 'shared' | 'none';
  /** Isolation method of the network; only when `network` is `isolated`. */
  isolation?: Isolation;
};

const probeMs = 15_000;

type ProbeOptions = {
  /** True when the operator wants Runs to reach services on this machine, so no isolated network is probed. */
  sharesNetwork?: boolean;
};

/**
 * Tries out the sandbox, with the tool's own `version` when there is a tool, and an isolated network. What fails here
 * (a kernel without user namespaces, a container that forbids them) would fail for a Run.
 */
export async function probeSandbox(
  tool?: ToolIdentity,
  { sharesNetwork = false }: ProbeOptions = {},
): Promise<SandboxProbe> {
  const bwrap = findBubblewrap();
  const withoutSandbox = (problem: SandboxProblem): SandboxProbe => ({ sandbox: 'none', network: 'shared', problem });
  if (bwrap === undefined) return withoutSandbox(missingSandbox());
  const [problem, isolation] = await Promise.all([
    tryOut(bwrap, tool),
    sharesNetwork ? undefined : findIsolation(bwrap),
  ]);
  if (problem !== undefined) return withoutSandbox(problem);
  return isolation === undefined
    ? { sandbox: 'bwrap', network: 'shared' }
    : { sandbox: 'bwrap', network: 'isolated', isolation };
}

/** Runs a program inside the sandbox. Returns why it did not, or undefined. */
async function tryOut(bwrap: string, tool: ToolIdentity | undefined): Promise<SandboxProblem | undefined> {
  const command = tool === undefined ? ['/bin/true'] : [sandboxPaths.tool, 'version', '-json'];
  const argv = probeArgv({ command, ...(tool === undefined ? {} : { tool: tool.path }) });
  try {
    const program = { file: bwrap, argv, env: probeEnvironment(), cwd: tmpdir(), timeoutMs: probeMs };
    const { code, stderr } = await runTool(program);
    return code === 0 ? undefined : findSandboxProblem(stderr, readRestrictions());
  } catch {
    return missingSandbox();
  }
}

const probeEnvironment = () =>
  toolEnvironment({
    command: 'version',
    home: sandboxPaths.home,
    dataDir: '/tmp/data',
    cliConfigFile: '/dev/null',
  });

/** Returns the strictest method that really gives a namespace a network; undefined when none does. */
async function findIsolation(bwrap: string): Promise<Isolation | undefined> {
  const program = findSlirp();
  if (program === undefined || findNsenter() === undefined) return undefined;
  if (!speaksIpv4(networkInterfaces()) || !hasReachableNameServer(readHostResolver())) return undefined;
  if (!(await isConfined(program))) return undefined;
  const until = performance.now() + probeMs;
  for (const hardening of hardenings()) {
    if (performance.now() > until) return undefined;
    const isolation = { program, hardening };
    if (await carries(bwrap, isolation)) return isolation;
  }
  return undefined;
}

async function isConfined(program: string): Promise<boolean> {
  try {
    const { stdout } = await runTool({
      file: program,
      argv: ['--version'],
      env: slirpEnvironment(),
      timeoutMs: probeMs,
    });
    return isNameServerConfined(stdout);
  } catch {
    return false;
  }
}

/** Checks inside the sandbox that there is a route through our interface and a resolver file that an unprivileged program may read. */
const networkCheck = `grep -q ^${tapName} /proc/net/route && grep -q ^nameserver ${resolverFile}`;

/** Opens one namespace with a network and checks from a sandbox that it works. */
async function carries(bwrap: string, isolation: Isolation): Promise<boolean> {
  try {
    const network = await openNetwork(isolation, await openNamespace(bwrap));
    try {
      return await isSeenInside(bwrap, network);
    } finally {
      await network.close();
    }
  } catch {
    return false;
  }
}

async function isSeenInside(bwrap: string, network: Network): Promise<boolean> {
  const argv = probeArgv({ command: ['/bin/sh', '-c', networkCheck], network: { resolver: 3, leash: 4 } });
  const sandbox = await spawnDetached({
    ...network.enter({ file: bwrap, argv }),
    env: probeEnvironment(),
    cwd: tmpdir(),
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', network.leash],
  });
  sandbox.pipes[3]?.end(network.resolver());
  return (await sandbox.exited).code === 0;
}
