import { existsSync, statSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { makeModuleFolder } from '#server/drivers/tofu/index';
import { isAlive, signalProcess } from '../../os/process-identity.ts';
import { configFifoIn, isSealing, type Slot } from '../../runner/contract/layout.ts';
import { notePrewarmed } from '../../runner/contract/owner.ts';
import type { StreamSink } from '../reporting/reporter.ts';
import type { CommandRequest, ReadyCommand, StartedCommand, SupervisedRun } from '../run.ts';
import { type AwaitedConfig, canBeAwaited, writeAwaitedConfig } from './awaited-config.ts';
import { startCommand, withdraw } from './begin.ts';

/**
 * Prewarms a command before its turn: the first one of a plan while the folder of the Run is prepared, and the next one
 * while one runs. Its sandbox is up and the tool's code is loaded, which saves some 30 ms of a command that takes 60. It
 * has read neither its configuration nor the module. If the current command tampers with it or with their shared folder,
 * the prewarmed command cannot be used, and the command is started normally in its turn.
 */

/** Prewarms a command beside the one in `busy`, if possible, and returns at once. */
export function prewarm(run: SupervisedRun, request: CommandRequest, busy: Slot): void {
  if (run.prewarmed !== undefined) return;
  const slot = run.layout.slots.find((one) => one !== busy);
  if (slot !== undefined && canPrewarm(run, request, slot))
    hold(run, { request, slot, started: startPrewarmed(run, request, slot) });
}

/**
 * Prewarms the first command of a Run, whose folders must exist. Commands that run before it use the other slot.
 * Resolves when its sandbox is being started.
 */
export async function prewarmFirst(run: SupervisedRun, request: CommandRequest): Promise<void> {
  const [first] = run.layout.slots;
  await run.ready;
  makeModuleFolder({ treeDir: run.layout.host.tree, modulePath: run.spec.modulePath });
  if (!request.outlives) prewarm(run, request, first);
  // What may change resources becomes the tool only after its record in the journal, so only its sandbox is started.
  else if (run.spec.sandbox === 'bwrap') hold(run, { request, slot: first, started: startGated(run, request, first) });
  await turn();
}

type Prewarmed = { request: CommandRequest; slot: Slot; started: Promise<ReadyCommand> };

/** A command that could not be prewarmed is started in its turn, which reports the reason. */
function hold(run: SupervisedRun, { request, slot, started }: Prewarmed): void {
  run.prewarmed = { request, slot, started: started.catch(() => undefined) };
}

async function startGated(run: SupervisedRun, request: CommandRequest, slot: Slot): Promise<ReadyCommand> {
  const folder = folderAt(run.layout.moduleDir);
  return { ...(await startCommand(run, request, slot)), folder };
}

/**
 * Reports whether a command can be prewarmed. Without a sandbox the tool could access the current command, and an
 * unencrypted plan is available to one command only.
 */
const canPrewarm = ({ spec }: SupervisedRun, { cliConfig }: CommandRequest, slot: Slot): boolean =>
  spec.sandbox === 'bwrap' && isSealing(spec) && canBeAwaited(cliConfig) && existsSync(configFifoIn(slot.cli));

async function startPrewarmed(run: SupervisedRun, request: CommandRequest, slot: Slot): Promise<ReadyCommand> {
  const deferred = deferOutput(request.sink);
  const started = await startCommand(run, { ...request, sink: deferred.sink, isPrewarmed: true }, slot);
  const { child, traces } = started;
  const config = await writeConfig(run, started);
  // Waits until it is bound to the life of this process, which a command that waits for its configuration must not outlive.
  await child.ready;
  // Reads the working folder now: it becomes unreadable when the process runs the tool, whose program is execute-only.
  const folder = folderOf(started.traces.identity.pid);
  child.go();
  return {
    ...started,
    folder,
    request,
    child: {
      ...child,
      go() {
        deferred.open();
        config.give();
      },
      giveUp: () => signalProcess(traces.identity, 'SIGKILL'),
      async clear() {
        config.close();
        await child.clear();
      },
    },
  };
}

/**
 * Holds back the output of a prewarmed command until its turn. If it dies before its turn, for example because the
 * current command takes its memory or changes its folder, its output is dropped and the command is started again.
 */
function deferOutput(sink: StreamSink): { sink: StreamSink; open(): void } {
  let held: (() => void)[] | undefined = [];
  const defer = (take: (chunk: Buffer) => void) => (chunk: Buffer) => {
    if (held === undefined) take(chunk);
    else held.push(() => take(chunk));
  };
  return {
    sink: { ...sink, stdout: defer(sink.stdout), stderr: defer(sink.stderr) },
    open() {
      for (const deliver of held ?? []) deliver();
      held = undefined;
    },
  };
}

async function writeConfig({ spec }: SupervisedRun, started: StartedCommand): Promise<AwaitedConfig> {
  try {
    notePrewarmed(spec, started.traces);
    return writeAwaitedConfig(started.slot.cli, started.request.cliConfig);
  } catch (error) {
    await withdraw(started);
    throw error;
  }
}

/** Returns the command if it is prewarmed and its turn has come. */
export async function takePrewarmed(run: SupervisedRun, request: CommandRequest): Promise<StartedCommand | undefined> {
  if (run.prewarmed?.request !== request) return undefined;
  const started = await run.prewarmed.started;
  // It has the network of its start, and would notice only after long retries that this one has ended.
  if (request.network) await run.network?.use(request.name);
  delete run.prewarmed;
  if (started === undefined || isInModuleDir(started, run.layout.moduleDir)) return started;
  await withdraw(started);
  return undefined;
}

/** Ends a prewarmed command that is not needed. */
export async function discardPrewarmed(run: SupervisedRun): Promise<void> {
  const started = await run.prewarmed?.started;
  delete run.prewarmed;
  if (started !== undefined) await withdraw(started);
}

/** Ends a prewarmed command whose slot another one needs. */
export async function freeSlot(run: SupervisedRun, slot: Slot): Promise<void> {
  if (run.prewarmed?.slot === slot) await discardPrewarmed(run);
}

/** Reports whether the command is alive and its folder still has the module's path: a module can move its folders during its plan. */
function isInModuleDir({ traces, folder }: ReadyCommand, moduleDir: string): boolean {
  const expected = folderAt(moduleDir);
  return (
    isAlive(traces.identity) && folder !== undefined && folder.ino === expected?.ino && folder.dev === expected.dev
  );
}

/** Returns the working folder of a process; undefined when it cannot be read. */
const folderOf = (pid: number): ReadyCommand['folder'] => folderAt(`/proc/${pid}/cwd`);

function folderAt(folder: string): ReadyCommand['folder'] {
  try {
    const { ino, dev } = statSync(folder, { bigint: true });
    return { ino, dev };
  } catch {
    return undefined;
  }
}
