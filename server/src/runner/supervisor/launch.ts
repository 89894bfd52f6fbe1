import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { type EncryptionNames, encryptionConfig, keyAnswer } from '#server/tofu/index';
import type { JsonObject } from '#shared/kernel/json';
import { type Command, type Environment, toolEnvironment } from '../environment.ts';
import type { Job } from '../job.ts';
import { sandboxArgv } from '../sandbox.ts';
import { type Detached, type Exit, spawnDetached } from '../spawn.ts';
import { type FifoSource, serveFifo } from './fifo-source.ts';
import type { Layout } from './layout.ts';
import { openForChild } from './output.ts';

/** One command of the tool, as a Run needs it. */
export type ToolCommand = {
  name: Command;
  /** Without the tool's own path. */
  argv: readonly string[];
  writable: { state: boolean; data: boolean };
  network: boolean;
  /** Content of the variables file; undefined when the command takes none. */
  variables: JsonObject | undefined;
  /** The sealed plan file is at hand for commands that read it. */
  hasPlan: boolean;
  /** An apply goes on without its supervisor. */
  outlives: boolean;
  cliConfig: string;
};

export type LaunchContext = { job: Job; layout: Layout; bwrap: string | undefined; names: EncryptionNames };

export type Launched = {
  pid: number;
  exited: Promise<Exit>;
  /** Until this is called a shell waits in the tool's place; when we end before, it ends too and nothing has run. */
  go(): void;
  /** The tool is not wanted any more: the shell ends without becoming it. */
  giveUp(): void;
  /** Takes back what was laid out for the command, after its end. */
  clear(): Promise<void>;
};

/** The exit code of the shell that never became the tool. */
export const neverStarted = 125;

const limitsInSandbox = 'ulimit -u 2048 2>/dev/null || ulimit -p 2048 2>/dev/null;';
// When memory runs out the kernel takes the tool before the server.
const becomeTool = 'ulimit -c 0; { echo 500 >/proc/self/oom_score_adj; } 2>/dev/null; exec "$@" </dev/null';
const gate = `read -r go || exit ${neverStarted}; ${limitsInSandbox} ${becomeTool}`;
// Without bwrap a shell of its own reports the exit code, because we may be gone by then.
const bareGate = `sh -c 'printf "{\\"child-pid\\": %d}\\n" $$ >>"$0"; read -r go || exit ${neverStarted}; ${becomeTool}' "$0" "$@"
code=$?; printf '{"exit-code": %d}\\n' $code >>"$0"; exit $code`;

/** Starts one command up to the point where it only waits for `go`. */
export async function launch(context: LaunchContext, command: ToolCommand): Promise<Launched> {
  const outputs = [
    openForChild(context.layout.stdout, command.outlives),
    openForChild(context.layout.stderr, command.outlives),
  ] as const;
  try {
    return await (context.job.sandbox === 'bwrap' ? launchInSandbox : launchBare)(context, command, outputs);
  } finally {
    for (const descriptor of outputs) closeSync(descriptor);
  }
}

type Outputs = readonly [number, number];

async function launchInSandbox(context: LaunchContext, command: ToolCommand, outputs: Outputs): Promise<Launched> {
  const { job, layout } = context;
  const status = openSync(layout.status, 'w', 0o600);
  const key = isSealing(job) ? keyAnswer(job.sealing) : undefined;
  const variables = command.variables === undefined ? undefined : JSON.stringify(command.variables);
  const { mirrorDir } = job.providers;
  const argv = sandboxArgv({
    host: {
      ...layout.host,
      providers: job.providers.storeDir,
      tool: job.tool.path,
      ...(mirrorDir === undefined ? {} : { mirror: mirrorDir }),
      plan: command.hasPlan ? layout.host.plan : undefined,
    },
    writable: command.writable,
    network: command.network,
    dieWithParent: !command.outlives,
    fds: {
      status: 3,
      cliConfig: 4,
      key: key === undefined ? undefined : 5,
      variables: variables === undefined ? undefined : 6,
    },
    workDir: layout.workDir,
    command: ['/bin/sh', '-c', gate, 'sh', layout.seen.tool, ...command.argv],
  });
  try {
    const child = await spawnDetached({
      file: context.bwrap as string,
      argv,
      env: environmentOf(context, command),
      stdio: [
        'pipe',
        ...outputs,
        status,
        'pipe',
        key === undefined ? 'ignore' : 'pipe',
        variables === undefined ? 'ignore' : 'pipe',
      ],
    });
    child.pipes[4]?.end(command.cliConfig);
    child.pipes[5]?.end(key);
    child.pipes[6]?.end(variables);
    return launched(child, async () => {});
  } finally {
    closeSync(status);
  }
}

async function launchBare(context: LaunchContext, command: ToolCommand, outputs: Outputs): Promise<Launched> {
  const { layout } = context;
  // What an earlier command left there would be read by this one as a person's own settings.
  rmSync(layout.host.home, { recursive: true, force: true });
  mkdirSync(layout.host.home, { mode: 0o700 });
  writeFileSync(layout.status, '', { mode: 0o600 });
  writeFileSync(layout.seen.cliConfigFile, command.cliConfig, { mode: 0o600 });
  const sources = await serveSecrets(context, command.variables);
  const child = await spawnDetached({
    file: '/bin/sh',
    argv: ['-c', bareGate, layout.status, layout.seen.tool, ...command.argv],
    env: environmentOf(context, command),
    cwd: layout.workDir,
    stdio: ['pipe', ...outputs],
  });
  return launched(child, () => closeSources(sources)).catch(async (error) => {
    await closeSources(sources);
    throw error;
  });
}

/** Key and variables for a tool without a sandbox; an adopted one may ask again. */
export async function serveSecrets(
  { job, layout }: LaunchContext,
  variables: JsonObject | undefined,
): Promise<FifoSource[]> {
  const sources: FifoSource[] = [];
  if (isSealing(job)) sources.push(await serveFifo(layout.seen.keyFile, keyAnswer(job.sealing)));
  if (variables !== undefined) sources.push(await serveFifo(layout.seen.variablesFile, JSON.stringify(variables)));
  return sources;
}

const closeSources = async (sources: readonly FifoSource[]): Promise<void> => {
  for (const source of sources) await source.close();
};

async function launched(child: Detached, clear: () => Promise<void>): Promise<Launched> {
  return {
    pid: child.pid,
    exited: child.exited,
    go: () => child.pipes[0]?.end('go\n'),
    giveUp: () => child.pipes[0]?.end(),
    clear,
  };
}

/** OpenTofu seals plan and state itself; terraform does not know how. */
export const isSealing = (job: Job): boolean => job.tool.name === 'tofu';

function environmentOf({ job, layout, names }: LaunchContext, command: ToolCommand): Environment {
  const { seen } = layout;
  const remoteState = job.configuration?.view?.remoteState;
  const encryption = encryptionConfig({
    names,
    command: ['/bin/cat', seen.keyFile],
    ...(remoteState === undefined ? {} : { remoteState }),
  });
  return toolEnvironment({
    command: command.name,
    home: seen.home,
    dataDir: seen.data,
    cliConfigFile: seen.cliConfigFile,
    ...(job.sandbox === 'bwrap' ? {} : { tmpDir: layout.host.tmp }),
    ...(isSealing(job) ? { encryption } : {}),
    ...(job.credentials === undefined ? {} : { credentials: job.credentials }),
  });
}
