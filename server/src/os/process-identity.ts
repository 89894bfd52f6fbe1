import { readFileSync } from 'node:fs';
import { bootIdFromSysctl, startTimeFromPs } from './ps.ts';

/** Distinguishes one process from a later one with the same pid. */
export type ProcessIdentity = { pid: number; startTime: string; bootId: string };

/** Random id of the boot this process lives in. */
export const bootId = readBootId();

/**
 * Returns the identity of a living process, so that a later one with the same pid is never mistaken for it; undefined
 * when it is gone.
 */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const startTime = startTimeOf(pid);
  return startTime === undefined ? undefined : { pid, startTime, bootId };
}

/**
 * Reports whether the process of this identity still lives; a zombie does not count. True while that cannot be known,
 * because work of a process that counts as dead is ended or repeated.
 */
export const isAlive = (identity: ProcessIdentity): boolean => isLiving(identity, true);

function isLiving({ pid, startTime, bootId: boot }: ProcessIdentity, whenUnknown: boolean): boolean {
  if (boot !== bootId) return false;
  try {
    return startTimeOf(pid) === startTime;
  } catch {
    return whenUnknown;
  }
}

/** Reports whether a process belongs to the current boot of the machine. */
export const isOfThisBoot = (identity: ProcessIdentity): boolean => identity.bootId === bootId;

/** Sends a signal if the process still has this identity. Returns false when it is gone. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isLiving(identity, false)) return false;
  return sendSignal(identity.pid, signal);
}

/** Ends a whole process group that this identity leads. */
export const killGroup = (identity: ProcessIdentity): boolean =>
  isLiving(identity, false) && sendSignal(-identity.pid, 'SIGKILL');

/**
 * Sends a signal to a process, or to a process group by its negative number. Returns false when it is gone or not ours.
 */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/**
 * Returns field 22 of `/proc/<pid>/stat` (proc(5)), in clock ticks since boot; elsewhere the start time that `ps`
 * prints.
 */
function startTimeOf(pid: number): string | undefined {
  if (process.platform !== 'linux') return startTimeFromPs(pid);
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The name in parentheses may contain blanks and parentheses, so fields are counted from the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

function readBootId(): string {
  if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  return bootIdFromSysctl();
}

/**
 * Reports whether a process catches a signal (`SigCgt` of `/proc/<pid>/status`); undefined when that cannot be read.
 */
export function catchesSignal(pid: number, signalNumber: number): boolean | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const mask = /^SigCgt:\s*([0-9a-f]+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return mask === undefined ? undefined : ((BigInt(`0x${mask}`) >> BigInt(signalNumber - 1)) & 1n) === 1n;
  } catch {
    return undefined;
  }
}
