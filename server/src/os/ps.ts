import { RunnerError } from './runner-error.ts';
import { readProgramOutput } from './spawn.ts';

/*
 * Facts about processes on macOS, which has no `/proc`. Never run there: written from ps(1) and sysctl(8), and tested on
 * their documented output and on the ps of Linux, which takes the same options.
 */

/** A living process according to `/proc/<pid>/stat` (proc(5)), or to ps(1) where there is no `/proc`. */
export type ProcessFacts = {
  pid: number;
  parent: number;
  /** Session; without `/proc` the process group. */
  session: number;
  hasTerminal: boolean;
  /** Clock ticks since boot as text; without `/proc` the time in UTC. */
  startTime: string;
};

/** Runs a program of the system and returns its output, '' when it fails. */
export type ReadOutput = (file: string, argv: readonly string[]) => string;

/** Each column has an option of its own: BSD takes everything behind the first `=` for a header. */
const columns = (...names: string[]): string[] => names.flatMap((name) => ['-o', `${name}=`]);

const isEnded = (state: string): boolean => state.startsWith('Z');

/** Returns the fields of each line. Throws `program_failed` when ps did not list even this process. */
function linesOf(selection: readonly string[], names: readonly string[], read: ReadOutput): string[][] {
  const lines = read('/bin/ps', [...selection, ...columns(...names)])
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  if (lines.some(([pid]) => pid === String(process.pid))) return lines;
  throw new RunnerError('program_failed', 'The processes of this machine cannot be listed; check that /bin/ps runs.');
}

/**
 * Returns the start time of a process in UTC, with a resolution of one second; undefined when it has ended. Throws
 * `program_failed` when that cannot be known.
 */
export function startTimeFromPs(pid: number, read: ReadOutput = readProgramOutput): string | undefined {
  const lines = linesOf(['-p', `${pid},${process.pid}`], ['pid', 'stat', 'lstart'], read);
  const [, state = '', ...startTime] = lines.find(([listed]) => listed === String(pid)) ?? [];
  return startTime.length === 0 || isEnded(state) ? undefined : startTime.join(' ');
}

/** Returns the id of the current boot. The time of the boot would change with the clock. */
export const bootIdFromSysctl = (read: ReadOutput = readProgramOutput): string =>
  read('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']).trim();

/**
 * Returns every living process of a user. ps(1) prints no session, so the process group takes its part. Throws
 * `program_failed` when they cannot be listed.
 */
export const processesFromPs = (uid: number | undefined, read: ReadOutput = readProgramOutput): ProcessFacts[] =>
  linesOf(['-A'], ['pid', 'ppid', 'pgid', 'uid', 'tty', 'stat', 'lstart'], read).flatMap((fields) => {
    const [pid, parent, group, user, terminal = '', state = '', ...startTime] = fields;
    if (Number(user) !== uid || startTime.length === 0 || isEnded(state)) return [];
    return {
      pid: Number(pid),
      parent: Number(parent),
      session: Number(group),
      hasTerminal: !terminal.startsWith('?'),
      startTime: startTime.join(' '),
    };
  });
