import { z } from 'zod';
import { ReportedFacts, VersionSkew } from '#shared/runner-pools/contract';
import { isJobId, isTicket } from './names.ts';

export const jobId = z.string().max(64).refine(isJobId);
export const ticket = z.string().refine(isTicket);
/** Position in a journal, in bytes. */
export const offset = z.int().min(0);

/** Most Runs of one runner. */
export const maxHeldRuns = 256;
const slots = z.int().min(0).max(maxHeldRuns);

/**
 * Position of a message among those of a runner, because two connections may deliver them in another order: the random id
 * of its process, and the number of beats that it has sent.
 */
export const beatOrder = z.strictObject({ process: z.uuid(), count: z.int().min(0) });
export type BeatOrder = z.infer<typeof beatOrder>;

/**
 * State of a runner machine, sent every few seconds. Members that this version does not know are dropped, so that a
 * newer machine can say which version it has.
 */
export const beat = z.object({
  facts: z.object(ReportedFacts.shape),
  freeSlots: slots,
  /** True when it takes no further offers. */
  isDraining: z.boolean(),
  /**
   * Jobs that it holds, each with the journal position that it has sent. `lost`: no supervisor of it is left, and none
   * can conclude it.
   */
  runs: z.array(z.object({ jobId, ticket, offset, state: z.enum(['working', 'lost']) })).max(maxHeldRuns),
  order: beatOrder.optional(),
});
export type Beat = z.infer<typeof beat>;

/**
 * Answer for each job of a runner, also for those that it does not know. `held`: it is the runner's, and the server has
 * its journal up to `offset`. `ended`: the ledger has its end, so the runner may delete it. `void`: its ticket is not
 * valid, so the runner ends its supervisor.
 */
const heldRun = z.object({
  jobId,
  ticket,
  state: z.enum(['held', 'ended', 'void']),
  offset,
  /** True when a person has cancelled it; repeated until it has ended. */
  isCancelled: z.boolean(),
  /** True while the server fetches a file of it, so that its journal stands still. */
  isFetching: z.literal(true).optional().catch(undefined),
});

/** Members that an older machine does not know are dropped. */
export const beatAnswer = z.object({
  runs: z.array(heldRun).max(maxHeldRuns * 2),
  /** True when the runner may take no offers: a person drains it, or its version differs. */
  isDraining: z.boolean(),
  /** Difference of version for which the runner gets no Runs. One that the runner does not know is dropped. */
  versionSkew: VersionSkew.optional().catch(undefined),
});
export type BeatAnswer = z.infer<typeof beatAnswer>;
