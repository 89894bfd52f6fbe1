import { isoTime } from '#server/kernel/clock';
import type { PhaseTiming } from '#shared/runs/contract';
import type { SyncPhase } from '#shared/sources/contract';

/**
 * Start times of the phases of a sync and the end of the last one, in milliseconds. Nothing is unpacked when nothing is
 * new.
 */
export type SyncTimes = { started: number; unpacking?: number; scanning: number; finished: number };

/** Returns the phases of a sync that succeeded, without a gap between them. */
export function syncPhasesOf({ started, unpacking, scanning, finished }: SyncTimes): PhaseTiming[] {
  const phase = (name: SyncPhase, from: number, to: number): PhaseTiming => ({
    phase: name,
    startedAt: isoTime(from),
    finishedAt: isoTime(to),
    durationMs: Math.max(0, to - from),
  });
  return [
    phase('fetch', started, unpacking ?? scanning),
    ...(unpacking === undefined ? [] : [phase('unpack', unpacking, scanning)]),
    phase('scan', scanning, finished),
  ];
}
