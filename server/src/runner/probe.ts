import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import path from 'node:path';
import { toolEnvironment } from './environment.ts';
import type { ToolIdentity } from './job.ts';
import { findBubblewrap, probeArgv, sandboxPaths } from './sandbox.ts';
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
} from './slirp.ts';
import { type Pipe, runTool, spawnDetached } from './spawn.ts';
import { openNetwork } from './supervisor/network.ts';

export type SandboxProbe = {
  sandbox: 'bwrap' | 'none';
  /** Whether a command with network can reach services of the host's loopback: `shared` it can. */
  network: 'isolated' | 'shared' | 'none';
  /** How the network of a command is kept apart; only where `network` is `isolated`. */
  isolation?: Isolation;
};

const probeMs = 15_000;

export type ProbeOptions = {
  /** The operator wants Runs to reach what listens on this machine, so no network of their own is looked for. */
  sharesNetwork?: boolean;
};

/**
 * Tries the sandbox out once, with the tool's own `version` inside when there is a tool, and a network of its own. What is
 * refused here (a kernel without user namespaces, a container that forbids them) would be refused for a Run.
 */
export async function probeSandbox(
  tool?: ToolIdentity,
  { sharesNetwork = false }: ProbeOptions = {},
): Promise<SandboxProbe> {
  const bwrap = findBubblewrap();
  const none: SandboxProbe = { sandbox: 'none', network: 'shared' };
  if (bwrap === undefined) return none;
  const [isUsable, isolation] = await Promise.all([
    runsInside(bwrap, tool),
    sharesNetwork ? undefined : findIsolation(bwrap),
  ]);
  if (!isUsable) return none;
  return isolation === undefined
    ? { sandbox: 'bwrap', network: 'shared' }
    : { sandbox: 'bwrap', network: 'isolated', isolation };
}

async function runsInside(bwrap: string, tool: ToolIdentity | undefined): Promise<boolean> {
  const command = tool === undefined ? ['/bin/true'] : [sandboxPaths.tool, 'version', '-json'];
  const argv = probeArgv({ command, ...(tool === undefined ? {} : { tool: tool.path }) });
  try {
    return (
      (await runTool({ file: bwrap, argv, env: probeEnvironment(), cwd: tmpdir(), timeoutMs: probeMs })).code === 0
    );
  } catch {
    return false;
  }
}

const probeEnvironment = () =>
  toolEnvironment({
    command: 'version',
    home: sandboxPaths.home,
    dataDir: '/tmp/data',
    cliConfigFile: '/dev/null',
  });

/** The first way that really gives a namespace its network, the strictest first; undefined where none does. */
async function findIsolation(bwrap: string): Promise<Isolation | undefined> {
  const program = findSlirp();
  if (program === undefined || !speaksIpv4(networkInterfaces()) || !hasReachableNameServer(readHostResolver())) {
    return undefined;
  }
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

/** Inside there is a way out through our interface and a resolver file that an unprivileged program may read. */
const look = `read -r go && grep -q ^${tapName} /proc/net/route && grep -q ^nameserver ${resolverFile}`;

/** Starts one namespace with a network and sees from inside that it is there. */
async function carries(bwrap: string, isolation: Isolation): Promise<boolean> {
  const folder = mkdtempSync(path.join(tmpdir(), 'network-probe-'));
  const status = path.join(folder, 'status');
  const descriptor = openSync(status, 'w', 0o600);
  try {
    const sandbox = await spawnDetached({
      file: bwrap,
      argv: probeArgv({ command: ['/bin/sh', '-c', look], own: { status: 3, cliConfig: 4, resolver: 5, leash: 6 } }),
      env: probeEnvironment(),
      cwd: tmpdir(),
      stdio: ['pipe', 'ignore', 'ignore', descriptor, 'pipe', 'pipe', 'pipe'],
    });
    const gate = sandbox.pipes[0] as Pipe;
    const [first, resolver, leash] = sandbox.pipes.slice(4) as [Pipe, Pipe, Pipe];
    first.end();
    try {
      const network = await openNetwork({ isolation, sandbox, status, first, resolver, leash });
      gate.end('go\n');
      const { code } = await sandbox.exited;
      await network.close();
      return code === 0;
    } catch {
      gate.end();
      await sandbox.exited;
      return false;
    }
  } catch {
    return false;
  } finally {
    closeSync(descriptor);
    rmSync(folder, { recursive: true, force: true });
  }
}
