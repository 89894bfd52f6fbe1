import { readFileSync } from 'node:fs';

/** Length of the kernel's unit of process times on every Linux that Node supports. */
const tickMs = 10;

type Processes = 'all' | 'children';

/**
 * Returns the processor time of a process and of its ended descendants, or of these alone, in milliseconds. NaN where
 * there is no /proc. Descendants count when their parent has waited for them.
 */
export function cpuTimeMs(pid: number, processes: Processes = 'all'): number {
  try {
    return parseCpuTime(readFileSync(`/proc/${pid}/stat`, 'utf8'), processes);
  } catch {
    return Number.NaN;
  }
}

/** Adds user and system time, own and of ended children, of a line of `/proc/<pid>/stat`. */
export function parseCpuTime(stat: string, processes: Processes = 'all'): number {
  // The name of the program before the parenthesis may hold any character. Field 3 follows it; the times are 14 to 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const times = fields.slice(processes === 'all' ? 11 : 13, 15);
  return times.reduce((sum, field) => sum + Number(field), 0) * tickMs;
}
