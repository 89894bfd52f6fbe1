import { existsSync, statSync } from 'node:fs';
import { isAlive, signalProcess } from '../../os/process-identity.ts';
import { configFifoIn, isSealing, type Slot } from '../../runner/contract/layout.ts';
import { notePrewarmed } from '../../runner/contract/owner.ts';
import type { StreamSink } from '../reporting/reporter.ts';
import type { CommandRequest, ReadyCommand, Run, StartedCommand } from '../run.ts';
import { type AwaitedConfig, canBeAwaited, writeAwaitedConfig } from './awaited-config.ts';
import { startCommand, withdraw } from './begin.ts';

/*
 * The next command of a plan stands ready while the present one works: its sandbox is up and the tool's code is loaded, in
 * all some 30 ms of a command that takes 60. It has read nothing yet, neither its configuration nor the module. Whatever
 * the present command does to it from its own sandbox or to the folder both see, the worst is that it cannot be used; then
 * the command is started in its turn as any other.
 */

/** Starts a command beside the one in `busy`, where that can be done, and returns at once. */
export function prewarm(run: Run, request: CommandRequest, busy: Slot): void {
  if (run.prewarmed !== undefined) return;
  const slot = run.layout.slots.find((one) => one !== busy);
  if (slot !== undefined && canPrewarm(run, request, slot))
    run.prewarmed = { request, started: startPrewarmed(run, request, slot).catch(() => undefined) };
}

/** A tool without a sandbox sees the present one, and a plan in clear is at hand for one command only. */
const canPrewarm = ({ job }: Run, { cliConfig }: CommandRequest, slot: Slot): boolean =>
  job.sandbox === 'bwrap' && isSealing(job) && canBeAwaited(cliConfig) && existsSync(configFifoIn(slot.cli));

async function startPrewarmed(run: Run, request: CommandRequest, slot: Slot): Promise<ReadyCommand> {
  const deferred = deferOutput(request.sink);
  const started = await startCommand(run, { ...request, sink: deferred.sink, isPrewarmed: true }, slot);
  const { child, traces } = started;
  const config = await writeConfig(run, started);
  // Not before it is bound to our life: what waits for its configuration is not to outlive us.
  await child.ready;
  // The tool takes it over. Once that has begun, who may not read its program cannot see its folder either.
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
 * What one prints before its turn is heard in its turn. One that dies meanwhile, of what the present command takes from the
 * machine or does to their folder, says so for nobody: it is started again.
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

async function writeConfig({ job }: Run, started: StartedCommand): Promise<AwaitedConfig> {
  try {
    notePrewarmed(job, started.traces);
    return writeAwaitedConfig(started.slot.cli, started.request.cliConfig);
  } catch (error) {
    await withdraw(started);
    throw error;
  }
}

/** The command if it stands ready and its turn has come. */
export async function takePrewarmed(run: Run, request: CommandRequest): Promise<StartedCommand | undefined> {
  if (run.prewarmed?.request !== request) return undefined;
  const started = await run.prewarmed.started;
  // It has the network that there was when it was started, and would find out after long trying that this one is gone.
  if (request.network) await run.network?.use(request.name);
  delete run.prewarmed;
  if (started === undefined || isInModuleDir(started, run.layout.moduleDir)) return started;
  await withdraw(started);
  return undefined;
}

/** Ends one whose turn never comes. */
export async function discardPrewarmed(run: Run): Promise<void> {
  const started = await run.prewarmed?.started;
  delete run.prewarmed;
  if (started !== undefined) await withdraw(started);
}

/** It lives, and works in the folder that has the module's name now: a module can move its folders while it is planned. */
function isInModuleDir({ traces, folder }: ReadyCommand, moduleDir: string): boolean {
  try {
    const expected = statSync(moduleDir, { bigint: true });
    return isAlive(traces.identity) && folder?.ino === expected.ino && folder.dev === expected.dev;
  } catch {
    return false;
  }
}

/** The folder that a process works in; undefined when it cannot be seen. */
function folderOf(pid: number): ReadyCommand['folder'] {
  try {
    const { ino, dev } = statSync(`/proc/${pid}/cwd`, { bigint: true });
    return { ino, dev };
  } catch {
    return undefined;
  }
}
