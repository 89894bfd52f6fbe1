import { setTimeout as delay } from 'node:timers/promises';
import { failpoint } from '#server/kernel/failpoints';
import { allowancesOf, type Exceeded, sentenceOf } from '../allowances.ts';
import type { ControlGroup } from '../cgroup.ts';
import { identityOf, isAlive } from '../identity.ts';
import type { Phase, ProcessIdentity } from '../job.ts';
import type { JournalWriter } from '../journal.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { endSurvivors, type Traces } from '../survivors.ts';
import { watchAllowances } from './allowance-watch.ts';
import { type Bounded, giveUpGroups, openBounds, shortfallOf } from './bounds.ts';
import type { Cancellation } from './cancellation.ts';
import { GroupRefused, refusedExit } from './enter-group.ts';
import type { Launched } from './gate.ts';
import { removeGrowth } from './growth.ts';
import { interruptTool } from './interrupt.ts';
import { launch } from './launch.ts';
import type { LaunchContext, ToolCommand } from './launch-context.ts';
import { openOutput } from './output.ts';
import { noteTool } from './owner.ts';
import type { Reporter, StreamSink } from './reporter.ts';
import { awaitStatus } from './status.ts';
import type { Syncs } from './syncs.ts';

/** Everything that the commands of one Run share. */
export type Run = LaunchContext & {
  journal: JournalWriter;
  report: Reporter;
  cancel: Cancellation;
  redactor: Redactor;
  /** Every text that the redactor looks for. */
  secrets: readonly string[];
  /** What must survive a power cut before an apply begins, and before the outcome. */
  syncs: Syncs;
  /** What the first command waits for. */
  ready?: Promise<void>;
  /** When the copy that a build worked in is gone; awaited before the folder of the Capsule is free. */
  cleared?: Promise<void>;
  /** Set when the stream names another tool than the one that was chosen. */
  mismatch?: string;
  /** True as soon as an apply may have been asked to change the world. */
  isDispatched?: boolean;
  /** Set once it was told that allowances are not held for whole commands here. */
  isShortfallTold?: boolean;
};

export type CommandRequest = ToolCommand & {
  phase: Phase;
  sink: StreamSink;
  /** Undefined: no limit. */
  limitSeconds?: number;
};

export type CommandEnd = {
  /** Of the tool; 128 and the number of a signal when one ended it. */
  exitCode: number;
  /** A person asked for the end and the tool was told. */
  interrupted: boolean;
  timedOut: boolean;
  /** The allowances that were used up. A command that cannot change the world was ended for the first of them. */
  exceeded: readonly Exceeded[];
};

/** Whether a command that cannot change the world may be built on. */
export const hasSucceeded = (end: CommandEnd): boolean =>
  end.exitCode === 0 && !end.interrupted && !end.timedOut && end.exceeded.length === 0;

/** Runs one command of the tool from its start to the last byte of its output. Nothing it has started lives afterwards. */
export async function runCommand(run: Run, request: CommandRequest): Promise<CommandEnd> {
  const { layout } = run;
  await run.ready;
  const outputs = [openOutput(layout.stdout, request.sink.stdout), openOutput(layout.stderr, request.sink.stderr)];
  try {
    const { child, traces, group } = await start(run, request);
    try {
      failpoint('supervisor.spawned');
      child.go();
      failpoint('supervisor.go');
      const end = await watchOver(run, { request, child, traces, group });
      failpoint('supervisor.exited');
      for (const output of outputs) await output.drain();
      return end;
    } finally {
      await child.clear();
    }
  } finally {
    request.sink.end();
    for (const output of outputs) output.close();
  }
}

type Started = { child: Launched; traces: Traces; group: ControlGroup | undefined };

/** Up to the point where the tool only waits for its `go`, within its bounds and known to whoever may have to end it. */
async function start(run: Run, request: CommandRequest): Promise<Started> {
  try {
    return await startIn(await openBounds(run.job), run, request);
  } catch (error) {
    if (!(error instanceof GroupRefused)) throw error;
    giveUpGroups();
    return startIn(await openBounds(run.job), run, request);
  }
}

async function startIn({ bounds, group }: Bounded, run: Run, request: CommandRequest): Promise<Started> {
  const child = await launch(run, { ...request, bounds }).catch(async (error) => {
    await group?.end();
    throw error;
  });
  failpoint('supervisor.launched');
  try {
    const identity = await findTool(run, child);
    const traces: Traces = {
      command: request.name,
      identity,
      leader: identityOf(child.pid) ?? identity,
      mark: bounds.mark,
      groups: group?.folders ?? [],
      folder: run.job.sandbox === 'none' ? run.job.capsuleDir : undefined,
    };
    if (request.outlives) await run.syncs.done();
    record(run, request, traces);
    // An apply outlives us: it is bound to nobody's life.
    if (!request.outlives) await child.ready;
    return { child, traces, group };
  } catch (error) {
    child.giveUp();
    await child.exited;
    await group?.end();
    await child.clear();
    throw error;
  }
}

/**
 * The tool's own process, or the one that becomes it, so that it is found again when we and bwrap are gone. Throws
 * `GroupRefused` when it never began.
 */
async function findTool({ layout }: Run, child: Launched): Promise<ProcessIdentity> {
  const { childPid } = await awaitStatus(layout.status, (status) => status.childPid !== undefined, child.exited);
  if (childPid === undefined && (await child.exited).code === refusedExit) throw new GroupRefused();
  return identityOf(childPid ?? child.pid) ?? { pid: childPid ?? child.pid, startTime: '', bootId: '' };
}

/** The journal knows the process before it becomes the tool. */
function record(run: Run, request: CommandRequest, traces: Traces): void {
  noteTool(run.job, traces);
  const shortfall = run.isShortfallTold === true ? undefined : shortfallOf(run.job);
  run.isShortfallTold = true;
  if (shortfall !== undefined) run.report.say(request.phase, 'info', shortfall);
  run.journal.write({ t: 'spawned', at: Date.now(), command: request.name, identity: traces.identity });
  run.isDispatched ||= request.outlives;
}

async function watchOver(run: Run, started: Started & { request: CommandRequest }): Promise<CommandEnd> {
  const { request, child, traces, group } = started;
  const allowances = allowancesOf(run.job);
  const { patienceSeconds } = allowances;
  const end = { interrupted: false, timedOut: false };
  const timers: NodeJS.Timeout[] = [];
  const ended = child.exited.then(async (exit) => {
    if (request.outlives) await awaitDeath(traces.identity);
    return exit;
  });
  const startedAt = Date.now();
  const say = (level: 'info' | 'warn' | 'error', text: string): void => run.report.say(request.phase, level, text);
  const kill = (): void => void endSurvivors(traces, 'now');
  let isTold = false;
  const stop = (): void => {
    if (isTold) return;
    isTold = true;
    // A program of a build has nothing to save, and as the first of its name space most would not hear an interrupt.
    if (request.build !== undefined) {
      kill();
      return;
    }
    void interruptTool(run.layout.status, ended);
    if (request.outlives) return;
    const lose = (): void => {
      say('warn', `The tool did not end ${patienceSeconds} seconds after an interrupt and was killed.`);
      kill();
    };
    timers.push(setTimeout(lose, patienceSeconds * 1000));
  };
  const forget = run.cancel.onRequest(() => {
    end.interrupted = true;
    say('info', request.build === undefined ? askedTool : 'The end was asked for; the build was ended.');
    stop();
  });
  if (request.limitSeconds !== undefined) {
    const expire = (): void => {
      end.timedOut = true;
      say(
        'error',
        `The command used up its time and was interrupted after ${Math.ceil(request.limitSeconds ?? 0)} seconds.`,
      );
      stop();
    };
    timers.push(setTimeout(expire, request.limitSeconds * 1000));
  }
  const watch = watchAllowances(run, group, (exceeded) => {
    say(request.outlives ? 'warn' : 'error', sentenceOf(exceeded, { what: stepOf(request), allowances }));
    // It has nothing to save, and what used up an allowance would use its patience too.
    if (!request.outlives) kill();
  });
  const { code, signal } = await ended;
  forget();
  for (const timer of timers) clearTimeout(timer);
  const exceeded = await watch.finish();
  if (!(await endSurvivors(traces, 'now'))) say('warn', 'A process that this command has started could not be ended.');
  const isFull = exceeded.includes('disk') || exceeded.includes('reserve');
  if (isFull && !request.outlives && !removeGrowth(run, startedAt))
    say('warn', 'Not everything that this command has written could be removed from the folder of the Capsule.');
  return { ...end, exceeded, exitCode: code ?? (signal === 'SIGKILL' ? 137 : 255) };
}

const askedTool = 'The end was asked for; the tool was interrupted and is awaited.';
const lookMs = 200;

/** An apply outlives bwrap too, or the shell around it: when that is killed the tool still changes the world. */
async function awaitDeath(identity: ProcessIdentity): Promise<void> {
  while (isAlive(identity)) await delay(lookMs);
}

/** A command as the step a person knows. */
const stepOf = ({ phase }: CommandRequest): string => phase;
