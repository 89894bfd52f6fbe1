import path from 'node:path';
import { type findTool, type InstallProgress, TofuError, type ToolIdentity } from '#server/drivers/tofu/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import { AppError, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import { faultFields, type Log } from '#server/kernel/log';
import type { Runner, SandboxProbe } from '#server/runner/index';
import type { RunnerCapability, ToolInstall } from '#shared/execution/tool';

/** Isolation of Runs that is available on this machine. */
export type Host = SandboxProbe;
/** Isolation that an operator requires. */
export type Insistence = { sandbox: boolean; isolatedNetwork: boolean };
export type ToolManager = {
  /** Returns the tool for Runs, located and probed once; undefined when there is none. */
  current(): Promise<{ tool: ToolIdentity; host: Host } | undefined>;
  /** 503 `runner_unavailable` without a tool, or without the isolation that the operator requires. */
  require(): Promise<{ tool: ToolIdentity; host: Host }>;
  /** Message about required isolation that this machine lacks. */
  findUnavailableReason(host: Host): string | undefined;
  /** Message about why builds are not allowed here; undefined when they are, and until this machine was probed. */
  findBuildUnavailableReason(): string | undefined;
  capability(): Promise<RunnerCapability>;
  /** Starts an installation of the pinned tool, or joins the one that runs. */
  install(): ToolInstall;
  getInstall(id: string): ToolInstall;
  /** Subscribes to installations: called at their start and end, and at most once a second with their progress. */
  listen(listener: (install: ToolInstall) => void): void;
};

const progressMs = 1_000;

type Deps = {
  runner: Pick<Runner, 'probe'>;
  find: () => ReturnType<typeof findTool>;
  installTool: (onProgress: (progress: InstallProgress) => void) => Promise<ToolIdentity>;
  clock: Clock;
  log: Log;
  insistence?: Insistence;
  /** The operator allows builds without a sandbox. */
  buildsWithoutSandbox?: boolean;
};

export function createToolManager(deps: Deps): ToolManager {
  const { runner, find, installTool, clock, log, insistence } = deps;
  let probed: Host | undefined;
  let detected: Promise<{ tool: ToolIdentity; host: Host } | undefined> | undefined;
  const installs = new Map<string, ToolInstall>();
  const listeners = new Set<(install: ToolInstall) => void>();
  let refusal = '';

  /** An installation does not fail because a listener throws. */
  function notify(install: ToolInstall): void {
    try {
      for (const listener of listeners) listener(install);
    } catch (error) {
      log.warn(faultFields(error), 'a listener of the tool installation failed');
    }
  }

  /** A configured tool that does not run counts as missing; the reason is kept for error messages. */
  function findUsable() {
    refusal =
      'Neither OpenTofu nor Terraform was found. Install the pinned OpenTofu with POST /api/v1/runner/tool-installs or with groundctl tofu install.';
    return find().catch((error: unknown) => {
      if (!(error instanceof TofuError)) throw error;
      refusal = error.message;
      return undefined;
    });
  }

  async function probe() {
    const tool = await findUsable();
    if (!tool) return undefined;
    const { name, version, path: file } = tool;
    const identity = { name, version, path: path.resolve(file) };
    probed = await runner.probe(identity);
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

  function install(): ToolInstall {
    const running = [...installs.values()].find(({ status }) => status === 'running');
    if (running) return running;
    const id = newId('toolInstall');
    let install: ToolInstall = { id, status: 'running', receivedBytes: 0, startedAt: isoTime(clock.now()) };
    let notifiedAt = Number.NEGATIVE_INFINITY;
    const set = (change: Partial<ToolInstall>) => {
      install = { ...install, ...change };
      installs.set(id, install);
      if (install.status === 'running' && clock.now() - notifiedAt < progressMs) return;
      notifiedAt = clock.now();
      notify(install);
    };
    set({});
    installTool((progress) => set(progressOf(progress))).then(
      () => {
        detected = undefined;
        set({ status: 'succeeded' });
      },
      (error: Error) => {
        log.warn({ reason: error.message }, 'the tool could not be installed');
        set({ status: 'failed', error: error.message });
      },
    );
    return install;
  }

  return {
    current,
    install,
    async require() {
      const result = await current();
      const unavailableReason = result ? unavailableReasonOf(result.host, insistence) : refusal;
      if (!result || unavailableReason !== undefined)
        throw new AppError('runner_unavailable', unavailableReason ?? refusal);
      return result;
    },
    findUnavailableReason: (host) => unavailableReasonOf(host, insistence),
    findBuildUnavailableReason: () =>
      probed?.sandbox === 'none' && deps.buildsWithoutSandbox !== true ? noBuildSandbox : undefined,
    async capability() {
      const result = await current();
      return {
        available: result !== undefined,
        toolName: result?.tool.name ?? null,
        toolVersion: result?.tool.version ?? null,
        sandbox: result?.host.sandbox ?? 'none',
        network: result?.host.network ?? 'none',
      };
    },
    listen: (listener) => void listeners.add(listener),
    getInstall(id) {
      const known = installs.get(id);
      if (!known) throw notFound('tool installation');
      return known;
    },
  };
}

const noBuildSandbox =
  'This module has a build, and builds do not run without a sandbox. Install bubblewrap and restart the server, or set GROUNDCTL_ALLOW_BUILDS_WITHOUT_SANDBOX=1 to build with the rights of the server.';

function unavailableReasonOf({ sandbox, network }: Host, insistence: Insistence | undefined): string | undefined {
  if (insistence?.sandbox && sandbox === 'none') {
    return 'This server runs modules in a sandbox only, and bubblewrap is missing or does not work on its machine. Install it and restart the server, or disable GROUNDCTL_REQUIRE_SANDBOX.';
  }
  if (insistence?.isolatedNetwork && network !== 'isolated') {
    return 'This server runs modules in an isolated network only, and slirp4netns is missing or does not work on its machine. Install it and restart the server, or disable GROUNDCTL_REQUIRE_ISOLATED_NETWORK.';
  }
  return undefined;
}

const progressOf = (progress: InstallProgress): Partial<ToolInstall> => ({
  ...('receivedBytes' in progress && progress.receivedBytes !== undefined && { receivedBytes: progress.receivedBytes }),
  ...('totalBytes' in progress && progress.totalBytes !== undefined && { totalBytes: progress.totalBytes }),
});
