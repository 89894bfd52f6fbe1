import { z } from 'zod';

/** Longest interval between two checks, in hours. */
export const maxScheduleHours = 720;

/** `off`, `daily`, `weekly`, or a number of hours such as `6h`. */
export const DriftSchedule = z
  .string()
  .regex(/^(?:off|daily|weekly|[1-9][0-9]{0,2}h)$/, 'Expected off, daily, weekly, or hours such as 6h.')
  .refine((text) => (hoursOf(text) ?? 1) <= maxScheduleHours, `At most ${maxScheduleHours}h.`);

/** Schedule of a Capsule: its own, or that of its Workspace. */
export const CapsuleDriftSchedule = z.union([z.literal('inherit'), DriftSchedule]);

/** Returns the hours between two checks, or undefined for `off` and `inherit`. */
export function hoursOf(schedule: string): number | undefined {
  if (schedule === 'daily') return 24;
  if (schedule === 'weekly') return 168;
  return schedule.endsWith('h') ? Number(schedule.slice(0, -1)) : undefined;
}
