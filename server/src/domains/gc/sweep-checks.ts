import type { SweepPart } from './sweep-parts.ts';

/** Number of plans that are deleted per turn. */
const takenTogether = 50;

/** Plans of scheduled drift checks. A Capsule that is checked every hour has thousands of them a year. Their Runs stay. */
export const checkPlans: SweepPart = {
  name: 'checkPlans',
  async sweep({ store, deletePlans, clock, periods, count, breathe }) {
    const before = clock.now() - periods.checksMs;
    for (const capsuleId of store.listCapsuleIds())
      for (let taken = takenTogether; taken === takenTogether; ) {
        await breathe();
        taken = deletePlans(store.listOldChecks({ capsuleId, before, limit: takenTogether }));
        for (let left = taken; left > 0; left -= 1) count();
      }
  },
};
