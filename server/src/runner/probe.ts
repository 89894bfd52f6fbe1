import { tmpdir } from 'node:os';
import { toolEnvironment } from './environment.ts';
import type { ToolIdentity } from './job.ts';
import { findBubblewrap, probeArgv, sandboxPaths } from './sandbox.ts';
import { runTool } from './spawn.ts';

export type SandboxProbe = {
  sandbox: 'bwrap' | 'none';
  /** Whether a command with network can reach services of the host: `shared` it can. */
  network: 'isolated' | 'shared' | 'none';
};

const probeMs = 15_000;

/**
 * Tries the sandbox out once, with the tool's own `version` inside when there is a tool. What is refused here (a kernel
 * without user namespaces, a container that forbids them) would be refused for a Run.
 */
export async function probeSandbox(tool?: ToolIdentity): Promise<SandboxProbe> {
  const bwrap = findBubblewrap();
  const none: SandboxProbe = { sandbox: 'none', network: 'shared' };
  if (bwrap === undefined) return none;
  const command = tool === undefined ? ['/bin/true'] : [sandboxPaths.tool, 'version', '-json'];
  const env = toolEnvironment({
    command: 'version',
    home: sandboxPaths.home,
    dataDir: '/tmp/data',
    cliConfigFile: '/dev/null',
  });
  try {
    const argv = probeArgv({ command, ...(tool === undefined ? {} : { tool: tool.path }) });
    const { code } = await runTool({ file: bwrap, argv, env, cwd: tmpdir(), timeoutMs: probeMs });
    return code === 0 ? { sandbox: 'bwrap', network: 'shared' } : none;
  } catch {
    return none;
  }
}
