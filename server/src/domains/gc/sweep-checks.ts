import type { SweepContext, SweepPart } from './sweep-parts.ts';

/** Number of plans that are deleted per turn. */
const plansTogether = 50;
/** Number of Runs that are deleted per turn: each has a feed of hundreds of rows. */
const runsTogether = 20;

type Take = (of: { capsuleId: string; before: number; limit: number }) => number;

/** Calls a function for each Capsule until it takes fewer items than it may take per turn. */
async function takeAll({ store, clock, periods, count, breathe }: SweepContext, limit: number, take: Take) {
  const before = clock.now() - periods.checksMs;
  for (const capsuleId of store.listCapsuleIds())
    for (let taken = limit; taken === limit; ) {
      await breathe();
      taken = take({ capsuleId, before, limit });
      for (let left = taken; left > 0; left -= 1) count();
    }
}

/** Plans of scheduled drift checks. A Capsule that is checked every hour has thousands of them a year. */
export const checkPlans: SweepPart = {
  name: 'checkPlans',
  sweep: (context) => takeAll(context, plansTogether, (of) => context.deletePlans(context.store.listOldChecks(of))),
};

/** Scheduled drift checks themselves, with plan and feed. */
export const checkRuns: SweepPart = {
  name: 'checkRuns',
  sweep: (context) => takeAll(context, runsTogether, (of) => context.deleteRuns(context.store.listExpiredChecks(of))),
};
