import { type CgroupLocation, findCgroupLocation } from './cgroup-location.ts';

/** How the allowances of memory and processes are held: for all processes of a command together, or as well as it goes. */
export type LimitsEnforced = {
  memory: 'command' | 'process' | 'none';
  processes: 'command' | 'user' | 'none';
  /** A sentence for a person when it is less than for the whole command; undefined otherwise. */
  shortfall?: string;
};

let location: CgroupLocation | undefined;
let isLocationKnown = false;

/** Where groups are made; tried out once, at the first command. */
export function detectCgroupLocation(): CgroupLocation | undefined {
  if (!isLocationKnown) location = findCgroupLocation();
  isLocationKnown = true;
  return location;
}

/** The kernel refused a process in a group that it let us make: from here on there is none. */
export function giveUpGroups(): void {
  isLocationKnown = true;
  location = undefined;
}

/** Facts for a log line or a person who looks after the machine. */
export function limitsEnforced(): LimitsEnforced {
  if (detectCgroupLocation() !== undefined) return { memory: 'command', processes: 'command' };
  const isRoot = process.geteuid?.() === 0;
  const hasLimits = process.platform === 'linux';
  return {
    memory: hasLimits ? 'process' : 'none',
    processes: hasLimits && !isRoot ? 'user' : 'none',
    shortfall: hasLimits
      ? `No control group can be made here: memory is limited for each process alone${isRoot ? ', and the number of processes not at all' : ''}.`
      : 'This system has no control groups: neither memory nor the number of processes is limited.',
  };
}
