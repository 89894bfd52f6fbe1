import { isImplemented } from '#server/kernel/platforms';
import { type CgroupLocation, findCgroupLocation } from './cgroup-location.ts';

/**
 * Enforcement of the limits on memory and processes: for all processes of a command together, for each process, or not
 * at all.
 */
type LimitsEnforced = {
  memory: 'command' | 'process' | 'none';
  processes: 'command' | 'user' | 'none';
  /** Sentence for a person when the limits do not cover the whole command; undefined otherwise. */
  shortfall?: string;
};

let location: CgroupLocation | undefined;
let isLocationKnown = false;

/** Returns the location in which groups are created; detected once, at the first command. */
export function detectCgroupLocation(): CgroupLocation | undefined {
  if (!isLocationKnown) location = findCgroupLocation();
  isLocationKnown = true;
  return location;
}

/** Disables groups, because the kernel refused a process in a group that it let us create. */
export function giveUpGroups(): void {
  isLocationKnown = true;
  location = undefined;
}

/** Returns facts for a log line or an administrator of the machine. */
export function limitsEnforced(platform: NodeJS.Platform = process.platform): LimitsEnforced {
  const isRoot = process.geteuid?.() === 0;
  const hasLimits = isImplemented('limits', platform);
  if (hasLimits && detectCgroupLocation() !== undefined) return { memory: 'command', processes: 'command' };
  return {
    memory: hasLimits ? 'process' : 'none',
    processes: hasLimits && !isRoot ? 'user' : 'none',
    shortfall: hasLimits
      ? `No control group can be created here: memory is limited for each process alone${isRoot ? ', and the number of processes not at all' : ''}.`
      : 'This system has no control groups: neither memory nor the number of processes is limited, and a process that leaves its group and its parents survives the command.',
  };
}
