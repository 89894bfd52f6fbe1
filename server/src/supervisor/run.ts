import type { Exceeded } from '../os/allowances.ts';
import type { ControlGroup } from '../os/cgroup.ts';
import type { Traces } from '../os/leftover-processes.ts';
import type { Cancellation } from '../runner/contract/cancellation.ts';
import type { Phase } from '../runner/contract/job.ts';
import type { JournalWriter } from '../runner/contract/journal.ts';
import type { Slot } from '../runner/contract/layout.ts';
import type { Redactor } from '../runner/contract/redaction/redactor.ts';
import type { Launched } from './command/gate.ts';
import type { Output } from './command/output.ts';
import type { LaunchContext, ToolCommand } from './launch-context.ts';
import type { Reporter, StreamSink } from './reporting/reporter.ts';
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
  /** The command that was started before its turn; `begun` is undefined when it could not be. */
  prewarmed?: { request: CommandRequest; started: Promise<ReadyCommand | undefined> };
  /** When the copy that a build worked in is gone; awaited before the folder of the Capsule is free. */
  cleared?: Promise<void>;
  /** Set when the stream names another tool than the one that was chosen. */
  mismatch?: string;
  /** True as soon as an apply may have been asked to change the world. */
  isDispatched?: boolean;
  /** Set once it was told that allowances are not held for whole commands here. */
  isShortfallReported?: boolean;
};

/** What one command runs and who hears it. */
export type CommandRequest = ToolCommand & { phase: Phase; sink: StreamSink };

/** How one command is run. */
export type CommandOptions = {
  /** Undefined: no limit. */
  limitSeconds?: number;
  /** What is likely to come after it, and may be started meanwhile so that it only waits for its turn. */
  next?: CommandRequest;
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

/** A command that stands ready, and the folder it works in, where that could be seen. */
export type ReadyCommand = StartedCommand & { folder: { ino: bigint; dev: bigint } | undefined };

/** A command up to the point where it only waits for its `go`, within its bounds and found by whoever may have to end it. */
export type StartedCommand = {
  request: CommandRequest;
  slot: Slot;
  outputs: readonly Output[];
  child: Launched;
  traces: Traces;
  group: ControlGroup | undefined;
};
