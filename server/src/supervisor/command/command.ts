import { failpoint } from '#server/kernel/failpoints';
import { endSurvivors } from '../../os/leftover-processes.ts';
import { noteTool } from '../../runner/contract/owner.ts';
import type { Begun, CommandEnd, CommandOptions, CommandRequest, Run } from '../run.ts';
import { beginAhead, takeAhead } from './ahead.ts';
import { begin, withdraw } from './begin.ts';
import { shortfallOf } from './bounds.ts';
import { watchOver } from './watch-over.ts';

/**
 * Runs one command of the tool from its start to the last byte of its output. Nothing it has started lives afterwards, but
 * the command that `options.next` names may stand ready by then.
 */
export async function runCommand(run: Run, request: CommandRequest, options: CommandOptions = {}): Promise<CommandEnd> {
  await run.ready;
  try {
    const begun = (await takeAhead(run, request)) ?? (await begin(run, request, run.layout.slots[0]));
    await admit(run, begun);
    try {
      failpoint('supervisor.spawned');
      begun.child.go();
      failpoint('supervisor.go');
      if (options.next !== undefined) beginAhead(run, options.next, begun.slot);
      const end = await watchOver(run, begun, options.limitSeconds);
      failpoint('supervisor.exited');
      for (const output of begun.outputs) await output.drain();
      return end;
    } catch (error) {
      // Nobody watches over it any more, and one that stood ready would go on as soon as its FIFO is closed.
      if (!request.outlives) await endSurvivors(begun.traces, 'now');
      throw error;
    } finally {
      await begun.child.clear();
      for (const output of begun.outputs) output.close();
    }
  } finally {
    request.sink.end();
  }
}

/** The journal knows the process before it becomes the tool. */
async function admit(run: Run, begun: Begun): Promise<void> {
  const { request, traces, child } = begun;
  try {
    if (request.outlives) await run.syncs.done();
    noteTool(run.job, traces);
    const shortfall = run.isShortfallTold === true ? undefined : shortfallOf(run.job);
    run.isShortfallTold = true;
    if (shortfall !== undefined) run.report.say(request.phase, 'info', shortfall);
    run.journal.write({ t: 'spawned', at: Date.now(), command: request.name, identity: traces.identity });
    run.isDispatched ||= request.outlives;
    // An apply outlives us: it is bound to nobody's life.
    if (!request.outlives) await child.ready;
  } catch (error) {
    await withdraw(begun);
    throw error;
  }
}
