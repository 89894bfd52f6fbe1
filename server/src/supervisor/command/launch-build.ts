import { closeSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildPaths, buildSandboxArgv } from '../../os/build-sandbox.ts';
import { buildEnvironment, type Environment, markName } from '../../os/environment.ts';
import { spawnDetached } from '../../os/spawn.ts';
import { findCallFilter } from '../../os/system-calls.ts';
import type { BuildFolders, LaunchContext, OpenSlot, ToolCommand } from '../launch-context.ts';
import { inGroup } from './enter-group.ts';
import { bareGate, gate, gateIn, type Launched, launched } from './gate.ts';

type BuildCommand = ToolCommand & { build: BuildFolders };

/** Removes the variables that a shell exports; a build gets exactly four variables. */
const withoutTraces = ['/bin/sh', '-c', 'unset PWD OLDPWD SHLVL; exec "$@"', 'sh'];

/** Starts one command of a build that then waits for `go`. Its arguments are not parsed by a shell. */
export const launchBuild = (context: LaunchContext, command: BuildCommand, openSlot: OpenSlot): Promise<Launched> =>
  (context.spec.sandbox === 'bwrap' ? launchInSandbox : launchBare)(context, command, openSlot);

async function launchInSandbox(context: LaunchContext, command: BuildCommand, openSlot: OpenSlot): Promise<Launched> {
  const status = openSync(openSlot.slot.status, 'w', 0o600);
  const calls = findCallFilter();
  const { build, bounds = {} } = command;
  const argv = buildSandboxArgv({
    host: build,
    isReadOnly: build.isReadOnly,
    fds: { status: 3, calls: calls === undefined ? undefined : callsDescriptor },
    workDir: build.workDir,
    command: ['/bin/sh', '-c', gate(gateIn.sandbox, bounds), 'sh', ...withoutTraces, ...command.argv],
  });
  try {
    const child = await spawnDetached({
      ...inGroup(bounds.entries, { file: context.bwrap as string, argv }),
      env: buildEnvironment({ home: buildPaths.home, tmpDir: buildPaths.tmp }),
      stdio: [
        'ignore',
        ...openSlot.outputs,
        status,
        ...unused,
        'pipe',
        ...(calls === undefined ? [] : (['pipe'] as const)),
      ],
    });
    if (calls !== undefined) child.pipes[callsDescriptor]?.end(calls);
    return launched(child, gateIn.sandbox, async () => {});
  } finally {
    closeSync(status);
  }
}

/** Placeholders for the descriptors between status file and gate, which only commands of the tool use. */
const unused = Array.from({ length: gateIn.sandbox - 4 }, () => 'ignore' as const);
const callsDescriptor = gateIn.sandbox + 1;

/** Starts a build without a sandbox, when the operator allows it. Its leftover processes are found by their mark. */
async function launchBare(_: LaunchContext, command: BuildCommand, { slot, outputs }: OpenSlot): Promise<Launched> {
  const { build, bounds = {} } = command;
  writeFileSync(slot.status, '', { mode: 0o600 });
  const env: Environment = {
    ...buildEnvironment({ home: build.home, tmpDir: build.tmp }),
    ...(bounds.mark === undefined ? {} : { [markName]: bounds.mark }),
  };
  const child = await spawnDetached({
    ...inGroup(bounds.entries, {
      file: '/bin/sh',
      argv: ['-c', bareGate(bounds), slot.status, ...withoutTraces, ...command.argv],
    }),
    env,
    cwd: path.join(build.tree, build.workDir),
    stdio: ['ignore', ...outputs, 'pipe'],
  });
  return launched(child, gateIn.bare, async () => {});
}
