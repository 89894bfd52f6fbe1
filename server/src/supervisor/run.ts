import type { Exceeded } from '../os/allowances.ts';
import type { ControlGroup } from '../os/cgroup.ts';
import type { Traces } from '../os/leftover-processes.ts';
import type { Cancellation } from '../runner/contract/cancellation.ts';
import type { Phase } from '../runner/contract/execution-spec.ts';
import type { JournalWriter } from '../runner/contract/journal.ts';
import type { Slot } from '../runner/contract/layout.ts';
import type { Redactor } from '../runner/contract/redaction/redactor.ts';
import type { Launched } from './command/gate.ts';
import type { Output } from './command/output.ts';
import type { Bounds, LaunchContext, ToolCommand } from './launch-context.ts';
import type { Reporter, StreamSink } from './reporting/reporter.ts';
import type { Syncs } from './syncs.ts';

/** Shared context of all commands of one Run. */
export type SupervisedRun = LaunchContext & {
  journal: JournalWriter;
  report: Reporter;
  cancel: Cancellation;
  redactor: Redactor;
  /** All texts that the redactor searches for. */
  secrets: readonly string[];
  /** Syncs to await before an apply starts, and before the outcome. */
  syncs: Syncs;
  /** Preparation that the first command waits for. */
  ready?: Promise<void>;
  /** The prewarmed command; `started` resolves to undefined when it could not be started. */
  prewarmed?: { request: CommandRequest; slot: Slot; started: Promise<ReadyCommand | undefined> };
  /** Removal of a build's copy; awaited before the folder of the Capsule is released. */
  cleared?: Promise<void>;
  /** Set when the stream names another tool than the chosen one. */
  mismatch?: string;
  /** True as soon as an apply may have been asked to change resources. */
  isDispatched?: boolean;
  /** True once it was logged that limits are not enforced for whole commands here. */
  isShortfallReported?: boolean;
};

/** One command with the receiver of its output. */
export type CommandRequest = ToolCommand & {
  phase: Phase;
  sink: StreamSink;
  /** Providers that run beside the command, from its start to its end. */
  beside?: ProvidersBeside;
};

/** Providers that run beside a command of the tool, each in sandboxes of its own, and end with it. */
export type ProvidersBeside = {
  /** Starts them within the limits of the command, whose control group they share. */
  start(bounds: Bounds): void;
  /** Ends them; resolves when nothing of them is left. */
  stop(): Promise<void>;
};

/** Options of one command. */
export type CommandOptions = {
  /** Time limit in seconds; undefined: no limit. */
  limitSeconds?: number;
  /** Likely next command, which may be prewarmed during this one. */
  next?: CommandRequest;
};

export type CommandEnd = {
  /** Exit code of the tool; 128 plus the number of a signal that ended it. */
  exitCode: number;
  /** True when a cancel was requested and the tool was interrupted. */
  interrupted: boolean;
  timedOut: boolean;
  /** Exceeded limits. A command that cannot change resources was ended for the first of them. */
  exceeded: readonly Exceeded[];
};

/** Reports whether a command that cannot change resources succeeded. */
export const hasSucceeded = (end: CommandEnd): boolean => end.exitCode === 0 && !wasEnded(end);

/** Reports whether a command was stopped, so that its errors say nothing about the module. */
export const wasEnded = (end: CommandEnd): boolean => end.interrupted || end.timedOut || end.exceeded.length > 0;

/** A prewarmed command and its working folder, when known. */
export type ReadyCommand = StartedCommand & { folder: { ino: bigint; dev: bigint } | undefined };

/** A started command that waits for its `go`, within its limits and recorded so that it can be found and ended. */
export type StartedCommand = {
  request: CommandRequest;
  slot: Slot;
  outputs: readonly Output[];
  child: Launched;
  traces: Traces;
  bounds: Bounds;
  group: ControlGroup | undefined;
};
