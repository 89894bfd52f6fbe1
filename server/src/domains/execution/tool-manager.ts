import path from 'node:path';
import { type findTool, type InstallProgress, TofuError, type ToolIdentity } from '#server/drivers/tofu/index';
import type { Clock } from '#server/kernel/clock';
import { AppError } from '#server/kernel/errors';
import type { Log } from '#server/kernel/log';
import { findRunRefusal, isImplemented, nameOfSystem } from '#server/kernel/platforms';
import type { Runner, SandboxProbe } from '#server/runner/index';
import type { RunnerCapability } from '#shared/execution/tool';
import { createToolInstalls } from './tool-installs.ts';

/** Isolation of Runs that is available on this machine. */
export type Host = SandboxProbe;
/** Isolation that an operator requires. */
export type Insistence = { sandbox: boolean; isolatedNetwork: boolean };
/** Tool of the machine of the server, which Runs in `local` use, or the reason that they cannot. */
export type ServerTool = Pick<ToolIdentity, 'name' | 'version'> | { unavailableReason: string };
export type ToolManager = {
  /** Returns the tool for Runs, located and probed once; undefined when there is none. */
  current(): Promise<{ tool: ToolIdentity; host: Host } | undefined>;
  /** Returns the tool for new Runs in `local`, or the reason that none can run on a system that Runs do not support, without a tool, or without required isolation. */
  find(): Promise<ServerTool>;
  /** 503 `runner_unavailable` on a system that Runs do not support, without a tool, or without required isolation. */
  require(): Promise<{ tool: ToolIdentity; host: Host }>;
  /** Message about a system that Runs do not support, or about required isolation that this machine lacks. */
  findUnavailableReason(host: Host): string | undefined;
  /** Message about why builds are not allowed here; undefined when they are, and until this machine was probed. */
  findBuildUnavailableReason(): string | undefined;
  capability(): Promise<RunnerCapability>;
} & ReturnType<typeof createToolInstalls>;

type Deps = {
  runner: Pick<Runner, 'probe'>;
  find: () => ReturnType<typeof findTool>;
  installTool: (onProgress: (progress: InstallProgress) => void) => Promise<ToolIdentity>;
  clock: Clock;
  log: Log;
  insistence?: Insistence;
  /** The operator allows builds without a sandbox. */
  buildsWithoutSandbox?: boolean;
  platform?: NodeJS.Platform;
};

export function createToolManager(deps: Deps): ToolManager {
  const { runner, find, installTool, clock, log, insistence } = deps;
  const { platform = process.platform } = deps;
  const systemRefusal = findRunRefusal(platform);
  const findUnavailableReason = (host: Host) => systemRefusal ?? unavailableReasonOf(host, { insistence, platform });
  let probed: Host | undefined;
  let detected: Promise<{ tool: ToolIdentity; host: Host } | undefined> | undefined;
  let refusal = '';

  /** A configured tool that does not run counts as missing; the reason is kept for error messages. */
  function locate() {
    refusal =
      'Neither OpenTofu nor Terraform was found. Install the pinned OpenTofu with POST /api/v1/runner/tool-installs or with groundctl tofu install.';
    return find().catch((error: unknown) => {
      if (!(error instanceof TofuError)) throw error;
      refusal = error.message;
      return undefined;
    });
  }

  async function probe() {
    const tool = await locate();
    if (!tool) return undefined;
    const { name, version, path: file } = tool;
    const identity = { name, version, path: path.resolve(file) };
    probed = await runner.probe(identity);
    const { problem } = probed;
    if (problem) log.warn({ sandbox: problem.code }, `Runs have no sandbox. ${problem.message}`);
    return { tool: identity, host: probed };
  }
  /** Only a tool that was found is cached: without one the next call searches again, so that a manual installation is detected. */
  function current() {
    detected ??= probe().then(
      (result) => {
        if (!result) detected = undefined;
        return result;
      },
      (error) => {
        detected = undefined;
        throw error;
      },
    );
    return detected;
  }

  const installs = createToolInstalls({
    clock,
    log,
    installTool,
    onInstalled: () => {
      detected = undefined;
    },
  });

  async function findUsable() {
    const result = await current();
    const unavailableReason = result ? findUnavailableReason(result.host) : (systemRefusal ?? refusal);
    return result && unavailableReason === undefined ? result : { unavailableReason: unavailableReason ?? refusal };
  }

  return {
    ...installs,
    current,
    async find() {
      const result = await findUsable();
      return 'tool' in result ? result.tool : result;
    },
    async require() {
      const result = await findUsable();
      if ('tool' in result) return result;
      throw new AppError('runner_unavailable', result.unavailableReason);
    },
    findUnavailableReason,
    findBuildUnavailableReason: () =>
      probed?.sandbox === 'none' && deps.buildsWithoutSandbox !== true ? noBuildSandbox(probed, platform) : undefined,
    async capability() {
      const [result, usable] = [await current(), await findUsable()];
      return {
        available: result !== undefined,
        ...('unavailableReason' in usable && { unavailableReason: `${usable.unavailableReason} ${poolsUnaffected}` }),
        ...capabilityOf(result),
      };
    },
  };
}

const capabilityOf = (result: { tool: ToolIdentity; host: Host } | undefined) => ({
  toolName: result?.tool.name ?? null,
  toolVersion: result?.tool.version ?? null,
  sandbox: result?.host.sandbox ?? ('none' as const),
  network: result?.host.network ?? ('none' as const),
  ...(result?.host.problem && { sandboxProblem: result.host.problem }),
});

const poolsUnaffected =
  'Only Runs in the pool `local` need it: other pools plan, apply and build with the tools of their machines.';

/** Returns the tool and isolation of this machine for the jobs that it executes. */
export const placementOf = ({ tool, host: { sandbox, isolation } }: { tool: ToolIdentity; host: Host }) => ({
  tool,
  sandbox,
  ...(isolation && { isolation }),
});

/** Sentence about the sandbox that does not work, with the remedy. */
const sandboxProblemOf = ({ problem }: Host, platform: NodeJS.Platform): string =>
  problem?.message ?? `${remedyOf('sandbox', 'bubblewrap', platform)}.`;

/** Remedy for missing isolation, as the start of a sentence. */
const remedyOf = (concern: 'sandbox' | 'network', program: string, platform: NodeJS.Platform): string =>
  isImplemented(concern, platform)
    ? `Install ${program} and restart the server`
    : `${nameOfSystem(platform)} has none, so use a server on Linux`;

const noBuildSandbox = (host: Host, platform: NodeJS.Platform): string =>
  `This module has a build, and builds do not run without a sandbox. ${sandboxProblemOf(host, platform)} Or set GROUNDCTL_ALLOW_BUILDS_WITHOUT_SANDBOX=1 to build with the rights of the server.`;

type Demand = { insistence: Insistence | undefined; platform: NodeJS.Platform };

function unavailableReasonOf(host: Host, { insistence, platform }: Demand): string | undefined {
  const { sandbox, network } = host;
  if (insistence?.sandbox && sandbox === 'none') {
    return `This server runs modules in a sandbox only, and none works on its machine. ${sandboxProblemOf(host, platform)} Or disable GROUNDCTL_REQUIRE_SANDBOX.`;
  }
  if (insistence?.isolatedNetwork && network !== 'isolated') {
    return `This server runs modules in an isolated network only, and none works on its machine. ${remedyOf('network', 'slirp4netns', platform)}, or disable GROUNDCTL_REQUIRE_ISOLATED_NETWORK.`;
  }
  return undefined;
}
