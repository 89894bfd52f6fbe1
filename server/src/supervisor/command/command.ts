import { failpoint } from '#server/kernel/failpoints';
import { endLeftoverProcesses } from '../../os/leftover-processes.ts';
import { noteTool } from '../../runner/contract/owner.ts';
import { awaitPermission } from '../permission.ts';
import type { CommandEnd, CommandOptions, CommandRequest, StartedCommand, SupervisedRun } from '../run.ts';
import { startCommand, withdraw } from './begin.ts';
import { shortfallsOf } from './bounds.ts';
import { freeSlot, prewarm, takePrewarmed } from './prewarm.ts';
import { watchOver } from './watch-over.ts';

/**
 * Runs one command of the tool from its start to the last byte of its output. All processes it started are ended
 * afterwards; the command in `options.next` may be prewarmed by then.
 */
export async function runCommand(
  run: SupervisedRun,
  request: CommandRequest,
  options: CommandOptions = {},
): Promise<CommandEnd> {
  await run.ready;
  try {
    const started = (await takePrewarmed(run, request)) ?? (await startNow(run, request));
    await admit(run, started);
    try {
      failpoint('supervisor.spawned');
      started.child.go();
      failpoint('supervisor.go');
      afterGo(run, request);
      if (options.next !== undefined) prewarm(run, options.next, started.slot);
      const end = await watchOver(run, started, options.limitSeconds);
      failpoint('supervisor.exited');
      for (const output of started.outputs) await output.drain();
      return end;
    } catch (error) {
      // No supervisor watches over it any more, and a prewarmed command would continue as soon as its FIFO is closed.
      if (!request.outlives) await endLeftoverProcesses(started.traces);
      throw error;
    } finally {
      await started.child.clear();
      for (const output of started.outputs) output.close();
    }
  } finally {
    await request.beside?.stop();
    request.sink.end();
  }
}

async function startNow(run: SupervisedRun, request: CommandRequest): Promise<StartedCommand> {
  const [slot] = run.layout.slots;
  await freeSlot(run, slot);
  return startCommand(run, request, slot);
}

/**
 * Does what can wait until the tool has started, which prints nothing before it has read the module: builds the
 * redactor, and logs once what is not enforced here.
 */
function afterGo(run: SupervisedRun, { phase }: CommandRequest): void {
  if (run.isShortfallReported !== true)
    for (const shortfall of shortfallsOf(run.spec)) run.report.say(phase, 'info', shortfall);
  run.isShortfallReported = true;
  setImmediate(run.redactor.prepare);
}

/** Records the process in the journal before it becomes the tool. */
async function admit(run: SupervisedRun, started: StartedCommand): Promise<void> {
  const { request, traces, child } = started;
  try {
    request.beside?.start(started.bounds);
    // Nothing that counts as dispatched starts before its journal survives a power cut.
    const isDispatching = request.outlives || request.name === 'action';
    if (isDispatching) await run.syncs.done();
    noteTool(run.spec, traces);
    if (isDispatching) await awaitPermission(run, request.phase);
    run.journal.write({ t: 'spawned', at: Date.now(), command: request.name, identity: traces.identity });
    run.isDispatched ||= request.outlives;
    // An apply outlives this process, so it is not bound to a parent.
    if (!request.outlives) await child.ready;
  } catch (error) {
    await withdraw(started);
    throw error;
  }
}
