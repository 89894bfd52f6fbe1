import { failpoint } from '#server/kernel/failpoints';
import { giveUpGroups } from '../../os/cgroup-limits.ts';
import type { Traces } from '../../os/leftover-processes.ts';
import { identityOf, signalProcess } from '../../os/process-identity.ts';
import type { ProcessIdentity } from '../../runner/contract/execution-spec.ts';
import type { Slot } from '../../runner/contract/layout.ts';
import type { CommandRequest, StartedCommand, SupervisedRun } from '../run.ts';
import { type Bounded, openBounds } from './bounds.ts';
import { GroupRefused, refusedExit } from './enter-group.ts';
import type { Launched } from './gate.ts';
import { launch } from './launch.ts';
import { openOutput } from './output.ts';
import { holdOutput } from './output-holder.ts';
import { awaitStatus } from './status.ts';

/** Starts a command that then waits for its `go`, in a free slot. */
export async function startCommand(run: SupervisedRun, request: CommandRequest, slot: Slot): Promise<StartedCommand> {
  const outputs = [openOutput(slot.stdout, request.sink.stdout), openOutput(slot.stderr, request.sink.stderr)];
  try {
    return { request, slot, outputs, ...(await start(run, request, slot)) };
  } catch (error) {
    for (const output of outputs) output.close();
    throw error;
  }
}

type Started = Pick<StartedCommand, 'child' | 'traces' | 'bounds' | 'group'>;

async function start(run: SupervisedRun, request: CommandRequest, slot: Slot): Promise<Started> {
  try {
    return await startIn(await openBounds(run.spec, slot), run, { request, slot });
  } catch (error) {
    if (!(error instanceof GroupRefused)) throw error;
    giveUpGroups();
    return startIn(await openBounds(run.spec, slot), run, { request, slot });
  }
}

type Wanted = { request: CommandRequest; slot: Slot };

async function startIn({ bounds, group }: Bounded, run: SupervisedRun, { request, slot }: Wanted): Promise<Started> {
  const child = await launch(run, { ...request, bounds }, slot).catch(async (error) => {
    await group?.end();
    throw error;
  });
  try {
    failpoint('supervisor.launched');
    const identity = await findTool(slot, child);
    const traces: Traces = {
      command: request.name,
      identity,
      leader: identityOf(child.pid) ?? identity,
      // A command that has ended already has no boot id, and nothing would end the holder.
      holder: request.outlives && identity.bootId !== '' ? await holdOutput(slot) : undefined,
      mark: bounds.mark,
      groups: group?.folders ?? [],
      folder: run.spec.sandbox === 'none' ? run.spec.capsuleDir : undefined,
    };
    return { child, traces, bounds, group };
  } catch (error) {
    await takeBack({ child, group });
    throw error;
  }
}

/**
 * Identifies the process of the tool, or the one that becomes it, so that it can be found when this process and bwrap
 * have ended. Throws `GroupRefused` when it never started.
 */
async function findTool(slot: Slot, child: Launched): Promise<ProcessIdentity> {
  const { childPid } = await awaitStatus(slot.status, (status) => status.childPid !== undefined, child.exited);
  if (childPid === undefined && (await child.exited).code === refusedExit) throw new GroupRefused();
  return identityOf(childPid ?? child.pid) ?? { pid: childPid ?? child.pid, startTime: '', bootId: '' };
}

/** Ends a started command that is not needed; it leaves nothing. */
export async function withdraw(started: StartedCommand): Promise<void> {
  await takeBack(started);
  for (const output of started.outputs) output.close();
}

async function takeBack({ child, group, traces }: Pick<Started, 'child' | 'group'> & Partial<Started>): Promise<void> {
  child.giveUp();
  if (traces?.holder !== undefined) signalProcess(traces.holder, 'SIGKILL');
  await child.exited;
  await group?.end();
  await child.clear();
}
