import { realpathSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openGroup } from './cgroup.ts';
import { type Command, markName } from './environment.ts';
import { isAlive, isOfThisBoot, type ProcessIdentity, sendSignal, signalProcess } from './process-identity.ts';
import { hasVariable, ownProcesses, type ProcessFacts, workingFolder } from './processes.ts';

/** Where the processes of one command are found again, by whoever has to end them. Holds no secret. */
export type Traces = {
  command: Command;
  /** The tool's own process: in the sandbox the first of its namespace, with which all others of it end. */
  identity: ProcessIdentity;
  /** Leads the process group and session that the command was started in. */
  leader: ProcessIdentity;
  /** Random value of the variable `markName` in the environment of a tool without a sandbox. */
  mark: string | undefined;
  /** Of its control group, if it has one. */
  groups: readonly string[];
  /** The Capsule's folder, of a tool without a sandbox: below it nothing runs but what the tool has started. */
  folder: string | undefined;
};

/**
 * Ends whatever is left of a command and waits until it is gone. False when something did not end in time.
 *
 * In the sandbox the kernel guarantees it: with the first process of a pid namespace all others end (pid_namespaces(7)).
 * In a control group nothing gets out that may not write to `/sys/fs/cgroup`, which only a tool run as root without a
 * sandbox may. Without either, processes are found by the group and session they were started in, by the mark in their
 * environment, by their working folder and by their parents, so one escapes that leaves all of these: it starts a session
 * of its own, clears its environment, works elsewhere, and has let its parent die. Where there is no `/proc` only the
 * process group is ended.
 *
 * `now` is right after the end of the command, when no other process can have got its number yet.
 */
export async function endLeftoverProcesses(traces: Traces, when: 'now' | 'later'): Promise<boolean> {
  if (!isOfThisBoot(traces.leader)) return true;
  signalProcess(traces.identity, 'SIGKILL');
  if (isAlive(traces.leader) || (isBare(traces) && isGroupLeft(traces.leader, when)))
    sendSignal(-traces.leader.pid, 'SIGKILL');
  const group = openGroup(traces.groups);
  const isEmpty = group === undefined || (await group.end());
  const isTreeEnded = !isBare(traces) || (await endTraced(traces));
  return isEmpty && isTreeEnded && (await isGone([traces.identity, traces.leader]));
}

/** In the sandbox the group that we see holds bwrap alone. */
const isBare = ({ mark }: Traces): boolean => mark !== undefined;

/** A group outlives its leader while it has members, and as long no other process gets the leader's number. */
function isGroupLeft(leader: ProcessIdentity, when: 'now' | 'later'): boolean {
  if (process.platform !== 'linux') return when === 'now';
  const all = ownProcesses();
  return isSameSession(leader, all) && all.some(({ session }) => session === leader.pid);
}

/** False when a later process got the leader's number: then a session of that number is another one. */
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

/** All are stopped before any is ended, or one of them could start another meanwhile. */
async function endTraced(traces: Traces): Promise<boolean> {
  const deadline = performance.now() + endMs;
  for (const stopped = new Set<number>(); ; ) {
    const pids = findProcesses(traces);
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

function findProcesses(traces: Traces): number[] {
  const all = ownProcesses();
  const above = ancestorsOf(process.pid, all);
  const pids = new Set(
    all.filter((facts) => !above.has(facts.pid) && isTraced(facts, traces, all)).map(({ pid }) => pid),
  );
  for (let size = -1; size !== pids.size; ) {
    size = pids.size;
    for (const { pid, parent } of all) if (pids.has(parent)) pids.add(pid);
  }
  return [...pids].filter((pid) => !above.has(pid));
}

function isTraced(facts: ProcessFacts, { mark, leader, folder }: Traces, all: readonly ProcessFacts[]): boolean {
  if (mark !== undefined && hasVariable(facts.pid, `${markName}=${mark}`)) return true;
  if (facts.session === leader.pid && isSameSession(leader, all)) return true;
  // A person may look around there, from a terminal; what the tool has started has none.
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
