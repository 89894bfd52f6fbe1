import { setTimeout as delay } from 'node:timers/promises';
import { failpoint } from '#server/kernel/failpoints';
import { allowancesOf, exceededMessage } from '../os/allowances.ts';
import { openGroup } from '../os/cgroup.ts';
import { endLeftoverProcesses } from '../os/leftover-processes.ts';
import { isAlive, isOfThisBoot } from '../os/process-identity.ts';
import type { ApplyOutcome, JournalRecord, ProcessIdentity } from '../runner/contract/execution-spec.ts';
import { readBaseline } from '../runner/contract/facts-file.ts';
import { readTool } from '../runner/contract/owner.ts';
import { openStoredState } from '../runner/contract/state-file.ts';
import { watchAllowances } from './command/allowance-watch.ts';
import { neverStarted } from './command/gate.ts';
import { interruptTool } from './command/interrupt.ts';
import { serveSecrets } from './command/launch.ts';
import { type Output, openOutput } from './command/output.ts';
import { awaitStatus, readStatus } from './command/status.ts';
import { jsonLineStart, wholeLines } from './command/whole-lines.ts';
import { conclude } from './conclude.ts';
import type { StreamSink } from './reporting/reporter.ts';
import type { SupervisedRun } from './run.ts';
import { createApplyProgress, unplannedCode } from './state/apply-progress.ts';
import { keepSnapshots, type Snapshot } from './state/snapshots.ts';
import { applyVariables } from './workspace/variables.ts';

/** State of an apply that an adopting supervisor reads from the journal of the dead one. */
export type Inheritance = {
  /** Process of the tool, once an apply was spawned. */
  tool: ProcessIdentity | undefined;
  hasOutcome: boolean;
  /** Bytes of log text, so that the limit holds for the Run and not for each supervisor. */
  usedBytes: number;
  resources: Extract<JournalRecord, { t: 'resource' }>[];
  /** Addresses of changes that are not in the plan. */
  unplanned: string[];
  lastState: Extract<JournalRecord, { t: 'state' }> | undefined;
};

export function inherit(records: Iterable<JournalRecord>): Inheritance {
  const inheritance: Inheritance = {
    tool: undefined,
    hasOutcome: false,
    usedBytes: 0,
    resources: [],
    unplanned: [],
    lastState: undefined,
  };
  for (const record of records) {
    if (record.t === 'spawned' && record.command === 'apply') inheritance.tool = record.identity;
    else if (record.t === 'outcome') inheritance.hasOutcome = true;
    else if (record.t === 'resource') inheritance.resources.push(record);
    else if (record.t === 'state') inheritance.lastState = record;
    else if (record.t === 'diagnostic') noteUnplanned(inheritance, record);
    else if (record.t === 'log') inheritance.usedBytes += record.text.length;
  }
  return inheritance;
}

function noteUnplanned({ unplanned }: Inheritance, { code, address }: { code?: string; address?: string }): void {
  if (code === unplannedCode && address !== undefined) unplanned.push(address);
}

const held =
  'The output of the tool since then follows. Lines that the old supervisor had read and not recorded are missing.';
const notHeld = 'The output of the tool since then is lost, because the tool ended before it could be read.';
const lineCut = 'One line of the output is left out, because the old supervisor may have read its beginning.';

/** Poll interval for the end of a process that is not our child, because no event reports it. */
const heartbeatMs = 1_000;
const codeMs = 20;
const lateMs = 10_000;

/**
 * Follows an apply whose supervisor died to its end, or concludes one whose tool is dead too. Returns undefined when
 * the tool never started: the supervisor died after it had recorded the process and before it let the process become
 * the tool, and no cancel was requested. Then nothing was dispatched, and the apply can still run.
 */
export async function adoptApply(run: SupervisedRun, inherited: Inheritance): Promise<ApplyOutcome | undefined> {
  const { layout, spec } = run;
  const baseline = readBaseline(spec.runDir);
  const tool = inherited.tool;
  if (baseline === undefined || tool === undefined) throw new Error('An apply was spawned without its baseline.');
  const captures = keepSnapshots(run, baseline, recallSnapshot(run, inherited));
  const progress = createApplyProgress(run);
  for (const event of inherited.resources) if (event.state !== 'progress') progress.recall(event);
  for (const address of inherited.unplanned) progress.recallUnplanned(address);
  const sink = run.report.listen({ phase: 'apply', onEvent: progress.take });
  const [slot] = layout.slots;
  const traces = readTool(spec);
  const outputs = openInherited(run, { sink, tool, holder: traces?.holder });
  const sources = spec.sandbox === 'none' ? await serveSecrets(run, applyVariables(run)) : [];
  failpoint('adopt.begun');
  const ended = awaitEnd(slot.status, tool, traces?.leader);
  let interrupted = run.cancel.isRequested;
  const unsubscribe = run.cancel.onRequest(() => {
    interrupted = true;
    void interruptTool(slot.status, ended);
  });
  const watch = watchAllowances(run, openGroup(traces?.groups ?? []), (exceeded) =>
    run.report.say('apply', 'warn', exceededMessage(exceeded, { what: 'apply', allowances: allowancesOf(spec) })),
  );
  const exitCode = await ended;
  failpoint('adopt.ended');
  unsubscribe();
  const exceeded = await watch.finish();
  if (traces !== undefined) await endLeftoverProcesses(traces);
  for (const output of outputs) await output.drain();
  sink.end();
  for (const output of outputs) output.close();
  for (const source of sources) await source.close();
  if (exitCode === neverStarted && !progress.isStarted && !interrupted) {
    captures.stop();
    run.report.say('apply', 'info', 'The tool had not started yet, so nothing was changed. It is started now.');
    return undefined;
  }
  return conclude(run, { baseline, captures, progress, exitCode, interrupted, isContinuous: false, exceeded });
}

type InheritedOutput = { sink: StreamSink; tool: ProcessIdentity; holder: ProcessIdentity | undefined };

/** Opens the output of a tool that another supervisor has started, and says what of it is missing. */
function openInherited({ layout, report }: SupervisedRun, { sink, tool, holder }: InheritedOutput): Output[] {
  const [slot] = layout.slots;
  const say = (text: string): void => report.say('apply', 'warn', text);
  // The first output is delivered later, after the message about what comes before it.
  const stdout = wholeLines(sink.stdout, () => say(lineCut), jsonLineStart);
  // Text without a form that shows where a line begins: its first line is always left out.
  const stderr = wholeLines(sink.stderr, () => say(lineCut), undefined);
  const outputs = [openOutput(slot.stdout, stdout), openOutput(slot.stderr, stderr)];
  // Read when the output is open: from then on it cannot be lost.
  const isHeld = isAlive(tool) || (holder !== undefined && isAlive(holder));
  say(`The supervisor of this apply ended unexpectedly. A new supervisor has taken over. ${isHeld ? held : notHeld}`);
  return outputs;
}

function recallSnapshot(run: SupervisedRun, { lastState }: Inheritance): Snapshot | undefined {
  if (lastState === undefined) return undefined;
  const { file, lineage, serial } = lastState;
  const saved = openStoredState(run, file);
  return saved && { file, lineage, serial, digest: saved.digest, content: saved.content };
}

/**
 * Returns the exit code, or undefined when the tool has ended and no code was recorded. The status file is not synced:
 * after a power cut it may be that of an earlier command, whose code does not belong to this one.
 */
export async function awaitEnd(status: string, tool: ProcessIdentity, leader = tool): Promise<number | undefined> {
  // A process that ended before it could be identified has no boot id.
  if (tool.bootId !== '' && !isOfThisBoot(tool)) return undefined;
  let timer: NodeJS.Timeout | undefined;
  const gone = new Promise<void>((resolve) => {
    const check = (): void => {
      if (!isAlive(tool)) resolve();
    };
    timer = setInterval(check, heartbeatMs);
    check();
  });
  const seen = await awaitStatus(status, ({ exitCode }) => exitCode !== undefined, gone);
  clearInterval(timer);
  // bwrap, or the shell around a tool without it, writes the code shortly after its child has ended.
  for (const late = performance.now() + lateMs; isAlive(leader) && performance.now() < late; ) {
    if (readStatus(status).exitCode !== undefined) break;
    await delay(codeMs);
  }
  return seen.exitCode ?? readStatus(status).exitCode;
}
