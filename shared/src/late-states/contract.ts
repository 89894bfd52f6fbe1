import { z } from 'zod';
import { Count, Timestamp } from '../kernel/scalars.ts';
import { StateDifference } from '../restores/contract.ts';

/**
 * `waiting`: a person decides about it. `requested`: a restore Run of it has not ended. `adopted`: it became the state of
 * its Capsule. `dismissed` and `expired`: it was deleted.
 */
export const lateStatePhases = ['waiting', 'requested', 'adopted', 'dismissed', 'expired'] as const;
export type LateStatePhase = (typeof lateStatePhases)[number];

/** State of an apply that was ended without its machine, which came back with it. It counts only when a person adopts it. */
export const LateState = z.strictObject({
  id: z.string(),
  workspaceId: z.string(),
  capsuleId: z.string(),
  /** The apply that was ended. */
  runId: z.string(),
  /** Person who ended the apply. */
  endedBy: z.string().optional(),
  /** Machine that brought the state. */
  runnerId: z.string(),
  phase: z.enum(lateStatePhases),
  serial: Count,
  resourceCount: Count,
  arrivedAt: Timestamp,
  /** Time at which an undecided state is deleted. */
  expiresAt: Timestamp.optional(),
  /** Generation of the current state, which `differences` compares with. Adopting it replaces this one. */
  currentGeneration: Count,
  /** Set while it waits: its difference from the current state, without values. */
  differences: StateDifference.optional(),
  /** True when the Capsule got another state since the apply was ended, which adopting would replace. */
  isSuperseded: z.boolean(),
  /** Restore Run that adopts it. */
  restoreRunId: z.string().optional(),
});
export type LateState = z.infer<typeof LateState>;

export const AdoptLateState = z.strictObject({
  /** `currentGeneration` that the person saw. */
  expectedGeneration: Count,
  /** Confirms that newer states of the Capsule are replaced. */
  replaceNewer: z.boolean().optional(),
});
