import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { type ProcessFacts, processesFromPs } from './ps.ts';

export type { ProcessFacts };

/** Returns every living process of this user, without zombies. */
export function ownProcesses(): ProcessFacts[] {
  const uid = process.geteuid?.();
  if (process.platform !== 'linux') return processesFromPs(uid);
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 1 && ownerOf(pid) === uid)
    .flatMap((pid) => factsOf(pid) ?? []);
}

/** Reads fields 3, 4, 6, 7 and 22, counted from the last parenthesis because a name may contain anything. */
function factsOf(pid: number): ProcessFacts | undefined {
  const stat = procText(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, , session, terminal] = fields;
  if (stat === '' || state === 'Z' || state === 'X') return undefined;
  return {
    pid,
    parent: Number(parent),
    session: Number(session),
    hasTerminal: terminal !== '0',
    startTime: fields[19] ?? '',
  };
}

/** Reports whether the initial environment of a process holds `name=value`. */
export const hasVariable = (pid: number, variable: string): boolean =>
  procText(`/proc/${pid}/environ`).split('\0').includes(variable);

/** Returns the working folder of a process, '' when it cannot be read. */
export function workingFolder(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

/** Returns the number of threads of all processes of this user, which a per-user process limit counts. */
export const ownThreads = (): number =>
  ownProcesses().reduce(
    (sum, { pid }) => sum + Number(/^Threads:\s+(\d+)/m.exec(procText(`/proc/${pid}/status`))?.[1] ?? 1),
    0,
  );

function ownerOf(pid: number): number | undefined {
  try {
    return statSync(`/proc/${pid}`).uid;
  } catch {
    return undefined;
  }
}

function procText(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
