import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { keyAnswer } from '#server/drivers/tofu/index';
import { removeTree } from '#server/kernel/remove-tree';
import type { JsonObject } from '#shared/kernel/json';
import { type SandboxRequest, sandboxArgv } from '../../os/sandbox.ts';
import { spawnDetached } from '../../os/spawn.ts';
import { findCallFilter } from '../../os/system-calls.ts';
import { type FifoSource, serveFifo } from '../../runner/contract/fifo-source.ts';
import { isSealing, type Slot } from '../../runner/contract/layout.ts';
import type { LaunchContext, OpenSlot, ToolCommand } from '../launch-context.ts';
import { writableFolders } from '../outside-paths.ts';
import { clearCredentialFiles, credentialFilesOf, writeCredentialFiles } from '../workspace/credential-files.ts';
import { environmentOf } from './command-environment.ts';
import { inGroup } from './enter-group.ts';
import { bareGate, gate, gateIn, type Launched, launched } from './gate.ts';
import { launchAction } from './launch-action.ts';
import { launchBuild } from './launch-build.ts';
import { networkFor } from './network-for.ts';
import { openForChild } from './output.ts';

/** Starts one command that then waits for `go`. */
export async function launch(context: LaunchContext, command: ToolCommand, slot: Slot): Promise<Launched> {
  const outputs = [openForChild(slot.stdout, command.outlives), openForChild(slot.stderr, command.outlives)] as const;
  const openSlot = { outputs, slot };
  try {
    const { build } = command;
    if (build?.action !== undefined)
      return await launchAction(context, { ...command, build: { ...build, action: build.action } }, openSlot);
    if (build !== undefined) return await launchBuild(context, { ...command, build }, openSlot);
    return await (context.spec.sandbox === 'bwrap' ? launchInSandbox : launchBare)(context, command, openSlot);
  } finally {
    for (const descriptor of outputs) closeSync(descriptor);
  }
}

async function launchInSandbox(context: LaunchContext, command: ToolCommand, openSlot: OpenSlot): Promise<Launched> {
  const { spec, layout } = context;
  const network = await networkFor(context, command);
  const key = isSealing(spec) ? keyAnswer(spec.sealing) : undefined;
  const variables = command.variables === undefined ? undefined : JSON.stringify(command.variables);
  const cliConfig = command.isPrewarmed === true ? undefined : command.cliConfig;
  const calls = findCallFilter();
  const files = credentialFilesOf(context, command.name);
  const argv = sandboxArgv({
    host: hostOf(context, command, openSlot.slot),
    writable: command.writable,
    network: command.network ? 'outer' : 'none',
    dieWithParent: !command.outlives,
    fds: {
      status: 3,
      cliConfig: descriptorFor(cliConfig, 4),
      key: descriptorFor(key, 5),
      variables: descriptorFor(variables, 6),
      resolver: descriptorFor(network, 7),
      leash: descriptorFor(network, 8),
      calls: descriptorFor(calls, 10),
      files: files.map(({ path, mode }, index) => ({ path, mode, descriptor: firstFile + index })),
    },
    workDir: layout.workDir,
    command: ['/bin/sh', '-c', gate(gateIn.sandbox, command.bounds ?? {}), 'sh', layout.seen.tool, ...command.argv],
  });
  const program = { file: context.bwrap as string, argv };
  const status = openSync(openSlot.slot.status, 'w', 0o600);
  try {
    const child = await spawnDetached({
      ...inGroup(command.bounds?.entries, network?.enter(program) ?? program),
      env: environmentOf(context, command, files),
      stdio: [
        'ignore',
        ...openSlot.outputs,
        status,
        pipeFor(cliConfig),
        pipeFor(key),
        pipeFor(variables),
        pipeFor(network),
        network?.leash ?? 'ignore',
        'pipe',
        pipeFor(calls),
        ...files.map(() => 'pipe' as const),
      ],
    });
    if (calls !== undefined) child.pipes[10]?.end(calls);
    if (cliConfig !== undefined) child.pipes[4]?.end(cliConfig);
    if (key !== undefined) child.pipes[5]?.end(key);
    if (variables !== undefined) child.pipes[6]?.end(variables);
    if (network !== undefined) child.pipes[7]?.end(network.resolver());
    for (const [index, { bytes }] of files.entries()) child.pipes[firstFile + index]?.end(bytes);
    if (network !== undefined) context.network?.reportLoss(command.name, child, context.report);
    return launched(child, gateIn.sandbox, async () => {});
  } finally {
    closeSync(status);
  }
}

const hostOf = ({ spec, layout }: LaunchContext, command: ToolCommand, slot: Slot): SandboxRequest['host'] => ({
  ...layout.host,
  providers: spec.providers.storeDir,
  tool: spec.toolCopy ?? spec.tool.path,
  mirror: spec.providers.mirrorDir,
  plan: command.hasPlan ? layout.host.plan : undefined,
  writablePaths: command.name === 'plan' || command.name === 'apply' ? writableFolders(spec) : undefined,
  sockets: command.reattach === undefined ? undefined : layout.host.sockets,
  cli: command.isPrewarmed === true ? slot.cli : undefined,
});

/** Descriptor of the first file of the Run's credentials in bwrap; the others follow. */
const firstFile = 11;

const descriptorFor = (content: unknown, descriptor: number): number | undefined =>
  content === undefined ? undefined : descriptor;
const pipeFor = (content: unknown): 'pipe' | 'ignore' => (content === undefined ? 'ignore' : 'pipe');

/** Starts a command without a sandbox. It has the network of the host, like every program of the user who started the server. */
async function launchBare(context: LaunchContext, command: ToolCommand, openSlot: OpenSlot): Promise<Launched> {
  const { layout } = context;
  // Files of an earlier command there would be read as personal settings.
  removeTree(layout.host.home);
  mkdirSync(layout.host.home, { mode: 0o700 });
  writeFileSync(openSlot.slot.status, '', { mode: 0o600 });
  writeFileSync(layout.seen.cliConfigFile, command.cliConfig, { mode: 0o600 });
  const files = credentialFilesOf(context, command.name);
  writeCredentialFiles(context.spec.capsuleDir, files);
  const sources = await serveSecrets(context, command.variables);
  const clear = async (): Promise<void> => {
    clearCredentialFiles(context);
    await closeSources(sources);
  };
  const child = await spawnDetached({
    ...inGroup(command.bounds?.entries, {
      file: '/bin/sh',
      argv: ['-c', bareGate(command.bounds ?? {}), openSlot.slot.status, layout.seen.tool, ...command.argv],
    }),
    env: environmentOf(context, command, files),
    cwd: layout.workDir,
    stdio: ['ignore', ...openSlot.outputs, 'pipe'],
  }).catch(async (error) => {
    await clear();
    throw error;
  });
  return launched(child, gateIn.bare, clear);
}

/** Serves key and variables to a tool without a sandbox; an adopted one may read them again. */
export async function serveSecrets(
  { spec, layout }: LaunchContext,
  variables: JsonObject | undefined,
): Promise<FifoSource[]> {
  const sources: FifoSource[] = [];
  if (isSealing(spec)) sources.push(await serveFifo(layout.seen.keyFile, keyAnswer(spec.sealing)));
  if (variables !== undefined) sources.push(await serveFifo(layout.seen.variablesFile, JSON.stringify(variables)));
  return sources;
}

const closeSources = async (sources: readonly FifoSource[]): Promise<void> => {
  for (const source of sources) await source.close();
};
