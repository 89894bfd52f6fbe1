import type { SweepPart } from './sweep-parts.ts';

/** Number of proposals that are checked and deleted per turn. */
const takenTogether = 32;

/**
 * Configurations that a check compiled from a manifest and that were never installed. They are not history: a check creates the same
 * again. One that a Capsule, a Run, an installation or another configuration references is never deleted.
 */
export const proposals: SweepPart = {
  name: 'proposals',
  async sweep({ store, deleteProposals, clock, periods, count, breathe }) {
    const old = store.listProposals(clock.now() - periods.offeredMs);
    for (let at = 0; at < old.length; at += takenTogether) {
      await breathe();
      const named = store.listNamedProposals(old.slice(at, at + takenTogether));
      const taken = old.slice(at, at + takenTogether).filter(({ id }) => !named.has(id));
      for (let left = deleteProposals(taken.map(({ id }) => id)); left > 0; left -= 1) count();
    }
  },
};
