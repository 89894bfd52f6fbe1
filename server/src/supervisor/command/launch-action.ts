import { closeSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildPaths, buildSandboxArgv } from '../../os/build-sandbox.ts';
import { actionEnvironment, type Environment, markName } from '../../os/environment.ts';
import { spawnDetached } from '../../os/spawn.ts';
import { findCallFilter } from '../../os/system-calls.ts';
import type { ActionSpec } from '../../runner/contract/execution-spec.ts';
import type { BuildFolders, LaunchContext, OpenSlot, ToolCommand } from '../launch-context.ts';
import {
  type CredentialFile,
  clearCredentialFiles,
  credentialFilesOf,
  credentialVariables,
  writeCredentialFiles,
} from '../workspace/credential-files.ts';
import { inGroup } from './enter-group.ts';
import { bareGate, gate, gateIn, type Launched, launched } from './gate.ts';
import { networkFor } from './network-for.ts';

type ActionCommand = ToolCommand & { build: BuildFolders & { action: Pick<ActionSpec, 'env' | 'hostEnv'> } };

/**
 * Returns the program around an action. It starts env(1), which sets the variables of the action where they can reach
 * neither bubblewrap nor a shell, and it stays the parent, because the first process of a sandbox ignores SIGTERM unless it handles it. It passes SIGTERM on
 * and ends with the exit code of the action.
 */
const wrapper = (target: string): readonly string[] => [
  '/bin/sh',
  '-c',
  [
    'unset PWD OLDPWD SHLVL;',
    `trap 'ended=1; kill -TERM ${target} 2>/dev/null' TERM; /usr/bin/env "$@" </dev/null & child=$!;`,
    'while :; do ended=; wait "$child"; code=$?; [ -n "$ended" ] || exit "$code"; done',
  ].join(' '),
  'sh',
];

const programOf = (target: string, { build: { action }, argv }: ActionCommand): string[] => [
  ...wrapper(target),
  '--',
  ...Object.entries(action.env).map(([name, value]) => `${name}=${value}`),
  // A program whose name has an equals sign would be read as a variable.
  ...(argv[0]?.includes('=') ? ['/bin/sh', '-c', 'exec "$0" "$@"'] : []),
  ...argv,
];

/** Starts a lifecycle action that then waits for `go`. Its arguments are not parsed by a shell. */
export const launchAction = (context: LaunchContext, command: ActionCommand, openSlot: OpenSlot): Promise<Launched> =>
  (context.spec.sandbox === 'bwrap' ? launchInSandbox : launchBare)(context, command, openSlot);

const resolverDescriptor = 4;
const leashDescriptor = 5;
const callsDescriptor = gateIn.sandbox + 1;
const firstFile = callsDescriptor + 1;

async function launchInSandbox(context: LaunchContext, command: ActionCommand, openSlot: OpenSlot): Promise<Launched> {
  const network = await networkFor(context, command);
  const calls = findCallFilter();
  const files = credentialFilesOf(context, command.name);
  const { build, bounds = {} } = command;
  const argv = buildSandboxArgv({
    host: build,
    network: 'outer',
    fds: {
      status: 3,
      resolver: network === undefined ? undefined : resolverDescriptor,
      leash: network === undefined ? undefined : leashDescriptor,
      calls: calls === undefined ? undefined : callsDescriptor,
      files: files.map(({ path: file, mode }, index) => ({ path: file, mode, descriptor: firstFile + index })),
    },
    workDir: build.workDir,
    // Every process of its namespace but the first, which is the program around it.
    command: ['/bin/sh', '-c', gate(gateIn.sandbox, bounds), 'sh', ...programOf('-1', command)],
  });
  const program = { file: context.bwrap as string, argv };
  const status = openSync(openSlot.slot.status, 'w', 0o600);
  try {
    const child = await spawnDetached({
      ...inGroup(bounds.entries, network?.enter(program) ?? program),
      env: environmentOf(context, command, files),
      stdio: [
        'ignore',
        ...openSlot.outputs,
        status,
        network === undefined ? 'ignore' : 'pipe',
        network?.leash ?? 'ignore',
        ...(['ignore', 'ignore', 'ignore'] as const),
        'pipe',
        calls === undefined ? 'ignore' : 'pipe',
        ...files.map(() => 'pipe' as const),
      ],
    });
    if (calls !== undefined) child.pipes[callsDescriptor]?.end(calls);
    if (network !== undefined) child.pipes[resolverDescriptor]?.end(network.resolver());
    for (const [index, { bytes }] of files.entries()) child.pipes[firstFile + index]?.end(bytes);
    if (network !== undefined) context.network?.reportLoss(command.name, child, context.report);
    return launched(child, gateIn.sandbox, async () => {});
  } finally {
    closeSync(status);
  }
}

/** Starts an action without a sandbox, where applies have none either. Its leftover processes are found by their mark. */
async function launchBare(
  context: LaunchContext,
  command: ActionCommand,
  { slot, outputs }: OpenSlot,
): Promise<Launched> {
  const { build, bounds = {} } = command;
  const { capsuleDir } = context.spec;
  writeFileSync(slot.status, '', { mode: 0o600 });
  const files = credentialFilesOf(context, command.name);
  writeCredentialFiles(capsuleDir, files);
  const env: Environment = {
    ...environmentOf(context, command, files),
    ...(bounds.mark === undefined ? {} : { [markName]: bounds.mark }),
  };
  const clear = async (): Promise<void> => clearCredentialFiles(context);
  const child = await spawnDetached({
    ...inGroup(bounds.entries, {
      file: '/bin/sh',
      argv: ['-c', bareGate(bounds), slot.status, ...programOf('"$child"', command)],
    }),
    env,
    cwd: path.join(build.tree, build.workDir),
    stdio: ['ignore', ...outputs, 'pipe'],
  }).catch(async (error) => {
    await clear();
    throw error;
  });
  return launched(child, gateIn.bare, clear);
}

function environmentOf({ spec }: LaunchContext, { build }: ActionCommand, files: readonly CredentialFile[]) {
  const paths =
    spec.sandbox === 'bwrap'
      ? { home: buildPaths.home, tmpDir: buildPaths.tmp }
      : { home: build.home, tmpDir: build.tmp };
  return actionEnvironment({
    paths,
    credentials: credentialVariables(spec, files),
    host: build.action.hostEnv,
  });
}
