import type { SweepPart } from './sweep-parts.ts';

/** How many are judged and taken in one turn. */
const takenTogether = 32;

/**
 * Configurations that a check compiled from a manifest and nobody installed from. They are not history: a check makes the
 * same again. One that a Capsule, a Run, an installation or another configuration names stays for ever.
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
