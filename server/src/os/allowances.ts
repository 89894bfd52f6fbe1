import { totalmem } from 'node:os';
import { leastFreeBytes } from '#server/kernel/disk';
import { runAllowances } from '#shared/limits';

/**
 * Limits of one command of the tool and of everything it starts. An apply is never ended for its time or its disk
 * usage.
 */
export type Allowances = {
  memoryBytes: number;
  /** Concurrent processes and threads. */
  processes: number;
  /** Size of the Capsule's folder. */
  diskBytes: number;
  /** Free space that the disk keeps for states and the ledger. */
  reserveBytes: number;
  /** Seconds from the interrupt to the kill of a command that cannot change the infrastructure. */
  patienceSeconds: number;
};

/** Returns half of the machine's memory, but at least enough for a tool with two providers. */
const usualMemoryBytes = (): number => Math.max(runAllowances.leastMemoryBytes, Math.floor(totalmem() / 2));

/** Limits of one command of a Run: those of its execution spec, and the defaults for the rest. */
export function allowancesOf({ limits }: { limits: Partial<Allowances> }): Allowances {
  return {
    memoryBytes: limits.memoryBytes ?? usualMemoryBytes(),
    processes: limits.processes ?? runAllowances.processes,
    diskBytes: limits.diskBytes ?? runAllowances.diskBytes,
    reserveBytes: limits.reserveBytes ?? leastFreeBytes,
    patienceSeconds: limits.patienceSeconds ?? runAllowances.patienceSeconds,
  };
}

/** An exhausted allowance; `reserve` is the free space that the disk must keep for states and the ledger. */
export type Exceeded = 'memory' | 'processes' | 'disk' | 'reserve';

/**
 * Returns the message for an exhausted allowance: what happened, and the remedy. `what` is the step in the sentence:
 * plan, init, apply.
 */
export function exceededMessage(
  exceeded: Exceeded,
  { what, allowances }: { what: string; allowances: Allowances },
): string {
  const { memoryBytes, processes, diskBytes, reserveBytes } = allowances;
  const isApply = what === 'apply';
  const messages: { readonly [exceeded in Exceeded]: string } = {
    memory: isApply
      ? `The apply used more than ${megabytes(memoryBytes)} of memory, and the system ended a process of it. Raise GROUNDCTL_RUN_MEMORY_MB or split the module.`
      : `The ${what} used more than ${megabytes(memoryBytes)} of memory and was ended. Raise GROUNDCTL_RUN_MEMORY_MB or split the module.`,
    processes: isApply
      ? `The apply needed more than ${count(processes)} processes and threads at once, and the system refused more. Raise GROUNDCTL_RUN_PROCESSES or look for what starts so many.`
      : `The ${what} needed more than ${count(processes)} processes and threads at once and was ended. Raise GROUNDCTL_RUN_PROCESSES or look for what starts so many.`,
    disk: isApply
      ? `The apply has filled the folder of its Capsule with more than ${megabytes(diskBytes)}. It continues, but the next plan will not start. Raise GROUNDCTL_RUN_DISK_MB or let the module write less.`
      : `The ${what} filled the folder of its Capsule with more than ${megabytes(diskBytes)} and was ended. Raise GROUNDCTL_RUN_DISK_MB or let the module write less.`,
    reserve: isApply
      ? `The disk has less than ${megabytes(reserveBytes)} left. The apply continues. Free disk space in the data folder before its state is saved.`
      : `The disk has less than ${megabytes(reserveBytes)} left, so the ${what} was ended. Free disk space in the data folder and plan again.`,
  };
  return messages[exceeded];
}

const count = (value: number): string => value.toLocaleString('en-US');
export const megabytes = (bytes: number): string => `${count(Math.round(bytes / 1_048_576))} MB`;
