import { identityOf, killGroup } from '../identity.ts';
import type { Phase, ProcessIdentity } from '../job.ts';
import type { JournalWriter } from '../journal.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { Cancellation } from './cancellation.ts';
import { interruptTool } from './interrupt.ts';
import { type LaunchContext, type Launched, launch, type ToolCommand } from './launch.ts';
import { openOutput } from './output.ts';
import { noteTool } from './owner.ts';
import type { Reporter, StreamSink } from './reporter.ts';
import { awaitStatus } from './status.ts';

/** Everything that the commands of one Run share. */
export type Run = LaunchContext & {
  journal: JournalWriter;
  report: Reporter;
  cancel: Cancellation;
  redactor: Redactor;
  /** What the first command waits for. */
  ready?: Promise<void>;
  /** Set when the stream names another tool than the one that was chosen. */
  mismatch?: string;
  /** True as soon as an apply may have been asked to change the world. */
  isDispatched?: boolean;
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
};

/** After an interrupt, a command that cannot change the world is ended by force when it takes longer than this. */
const patienceMs = 60_000;

/** Runs one command of the tool from its start to the last byte of its output. */
export async function runCommand(run: Run, request: CommandRequest): Promise<CommandEnd> {
  const { layout } = run;
  await run.ready;
  const outputs = [openOutput(layout.stdout, request.sink.stdout), openOutput(layout.stderr, request.sink.stderr)];
  try {
    const child = await launch(run, request);
    try {
      await record(run, request, child).catch(async (error) => {
        child.giveUp();
        await child.exited;
        throw error;
      });
      child.go();
      const end = await watchOver(run, request, child);
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

/**
 * The journal knows the process before it becomes the tool. For an apply that is the tool's own process, so that it can
 * be found again when we and bwrap are gone.
 */
async function record(run: Run, request: ToolCommand, child: Launched): Promise<void> {
  let identity = identityOf(child.pid);
  if (request.outlives) {
    const { childPid } = await awaitStatus(run.layout.status, (status) => status.childPid !== undefined, child.exited);
    if (childPid !== undefined) identity = identityOf(childPid);
  }
  const named: ProcessIdentity = identity ?? { pid: child.pid, startTime: '', bootId: '' };
  noteTool(run.job, { command: request.name, identity: named });
  run.journal.write({ t: 'spawned', at: Date.now(), command: request.name, identity: named });
  run.isDispatched ||= request.outlives;
}

async function watchOver(run: Run, request: CommandRequest, child: Launched): Promise<CommandEnd> {
  const end: CommandEnd = { exitCode: 0, interrupted: false, timedOut: false };
  const leader = identityOf(child.pid);
  const timers: NodeJS.Timeout[] = [];
  let isTold = false;
  const stop = (): void => {
    if (isTold) return;
    isTold = true;
    void interruptTool(run.layout.status, child.exited);
    if (request.outlives || leader === undefined) return;
    timers.push(
      setTimeout(() => {
        run.report.say(
          request.phase,
          'warn',
          `The tool did not end ${patienceMs / 1000} seconds after an interrupt and was killed.`,
        );
        killGroup(leader);
      }, patienceMs),
    );
  };
  const forget = run.cancel.onRequest(() => {
    end.interrupted = true;
    run.report.say(request.phase, 'info', 'The end was asked for; the tool was interrupted and is awaited.');
    stop();
  });
  if (request.limitSeconds !== undefined) {
    timers.push(
      setTimeout(() => {
        end.timedOut = true;
        run.report.say(
          request.phase,
          'error',
          `The command ran longer than ${request.limitSeconds} seconds and was interrupted.`,
        );
        stop();
      }, request.limitSeconds * 1000),
    );
  }
  const { code, signal } = await child.exited;
  forget();
  for (const timer of timers) clearTimeout(timer);
  return { ...end, exitCode: code ?? (signal === 'SIGKILL' ? 137 : 255) };
}
