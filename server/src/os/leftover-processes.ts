import { realpathSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openGroup } from './cgroup.ts';
import { type Command, markName } from './environment.ts';
import { isAlive, isOfThisBoot, type ProcessIdentity, sendSignal, signalProcess } from './process-identity.ts';
import { hasVariable, ownProcesses, type ProcessFacts, workingFolder } from './processes.ts';
import { RunnerError } from './runner-error.ts';

/** Marks by which the processes of one command are found again by the process that has to end them. Holds no secret. */
export type Traces = {
  command: Command;
  /** The tool's own process. In the sandbox it is the first of its namespace, and all others end with it. */
  identity: ProcessIdentity;
  /** Leader of the process group and session in which the command was started. */
  leader: ProcessIdentity;
  /** Process that holds the output of an apply open for the next supervisor. */
  holder?: ProcessIdentity | undefined;
  /** Random value of the variable `markName` in the environment of a tool without a sandbox. */
  mark: string | undefined;
  /** Folders of its control group, if it has one. */
  groups: readonly string[];
  /** Folder of the Capsule, for a tool without a sandbox: only processes that the tool started work below it. */
  folder: string | undefined;
};

/** Returns the processes of this user. */
type ListProcesses = () => readonly ProcessFacts[];

/**
 * Ends all leftover processes of a command and waits until they are gone. Returns false when one did not end in time, or
 * when they cannot be listed.
 * In the sandbox the kernel guarantees it: with the first process of a pid namespace all others end
 * (pid_namespaces(7)). A process that cannot write to `/sys/fs/cgroup` cannot leave a control group; only a tool that
 * runs as root without a sandbox can. Without either, processes are found by the group and session they were started
 * in, by the mark in their environment, by their working folder and by their parents. A process escapes only when it
 * leaves all of these: it starts its own session, clears its environment, works elsewhere, and its parent has ended.
 * Without `/proc` they are found by the group and by their parents only.
 */
export async function endLeftoverProcesses(traces: Traces, list: ListProcesses = ownProcesses): Promise<boolean> {
  if (!isOfThisBoot(traces.leader)) return true;
  try {
    return await endAll(traces, list);
  } catch (error) {
    // The processes cannot be listed.
    if (error instanceof RunnerError) return false;
    throw error;
  }
}

async function endAll(traces: Traces, list: ListProcesses): Promise<boolean> {
  // Before any of them ends, because a child of an ended process has another parent.
  const known = isBare(traces) ? findProcesses(traces, list()) : [];
  signalProcess(traces.identity, 'SIGKILL');
  const holders = traces.holder === undefined ? [] : [traces.holder];
  for (const holder of holders) signalProcess(holder, 'SIGKILL');
  if (isAlive(traces.leader) || (isBare(traces) && isGroupLeft(traces.leader, list())))
    sendSignal(-traces.leader.pid, 'SIGKILL');
  const group = openGroup(traces.groups);
  const isEmpty = group === undefined || (await group.end());
  const isTreeEnded = !isBare(traces) || (await endTraced(traces, { list, known }));
  return isEmpty && isTreeEnded && (await isGone([traces.identity, traces.leader, ...holders]));
}

/** Reports whether the command has no sandbox. In the sandbox the group that we see holds only bwrap. */
const isBare = ({ mark }: Traces): boolean => mark !== undefined;

/**
 * Reports whether a group still exists. It outlives its leader while it has members, and no other process gets the
 * leader's pid until then.
 */
const isGroupLeft = (leader: ProcessIdentity, all: readonly ProcessFacts[]): boolean =>
  isSameSession(leader, all) && all.some(({ session }) => session === leader.pid);

/** Reports whether the session is the same: false when a later process got the leader's pid. */
const isSameSession = (leader: ProcessIdentity, all: readonly ProcessFacts[]): boolean =>
  !all.some(({ pid, startTime }) => pid === leader.pid && startTime !== leader.startTime);

const waitMs = 5;
const endMs = 15_000;

async function isGone(identities: readonly ProcessIdentity[]): Promise<boolean> {
  for (const deadline = performance.now() + endMs; identities.some(isAlive); ) {
    if (performance.now() > deadline) return false;
    await delay(waitMs);
  }
  return true;
}

type Search = { list: ListProcesses; known: readonly ProcessFacts[] };

/** Ends all traced processes. All are stopped before any is ended, because one of them could start another. */
async function endTraced(traces: Traces, { list, known }: Search): Promise<boolean> {
  const deadline = performance.now() + endMs;
  for (const stopped = new Set<number>(); ; ) {
    const pids = findProcesses(traces, list(), known).map(({ pid }) => pid);
    if (pids.length === 0) return true;
    if (performance.now() > deadline) return false;
    const running = pids.filter((pid) => !stopped.has(pid));
    for (const pid of running) {
      sendSignal(pid, 'SIGSTOP');
      stopped.add(pid);
    }
    if (running.length > 0) continue;
    for (const pid of pids) sendSignal(pid, 'SIGKILL');
    stopped.clear();
    await delay(waitMs);
  }
}

/** Returns the living processes of a command: traced or known ones, and everything below them. */
function findProcesses(
  traces: Traces,
  all: readonly ProcessFacts[],
  known: readonly ProcessFacts[] = [],
): ProcessFacts[] {
  const above = ancestorsOf(process.pid, all);
  const isKnown = ({ pid, startTime }: ProcessFacts): boolean =>
    known.some((one) => one.pid === pid && one.startTime === startTime);
  const pids = new Set(
    all
      .filter((facts) => !above.has(facts.pid) && (isKnown(facts) || isTraced(facts, traces, all)))
      .map(({ pid }) => pid),
  );
  for (let size = -1; size !== pids.size; ) {
    size = pids.size;
    for (const { pid, parent } of all) if (pids.has(parent)) pids.add(pid);
  }
  return all.filter(({ pid }) => pids.has(pid) && !above.has(pid));
}

function isTraced(facts: ProcessFacts, { mark, leader, folder }: Traces, all: readonly ProcessFacts[]): boolean {
  if (mark !== undefined && hasVariable(facts.pid, `${markName}=${mark}`)) return true;
  if (facts.session === leader.pid && isSameSession(leader, all)) return true;
  // A person may work in that folder from a terminal; processes that the tool started have none.
  if (folder === undefined || facts.hasTerminal || !isLater(facts, leader)) return false;
  return isBelow(workingFolder(facts.pid), folder);
}

const isLater = (facts: ProcessFacts, leader: ProcessIdentity): boolean =>
  Number(facts.startTime) >= Number(leader.startTime);

function isBelow(file: string, folder: string): boolean {
  const real = realOf(folder);
  return file === real || file.startsWith(real + path.sep);
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return path.resolve(folder);
  }
}

function ancestorsOf(pid: number, all: readonly ProcessFacts[]): ReadonlySet<number> {
  const parents = new Map(all.map((facts) => [facts.pid, facts.parent]));
  const above = new Set<number>();
  for (let at: number | undefined = pid; at !== undefined && !above.has(at); at = parents.get(at)) above.add(at);
  return above;
}
