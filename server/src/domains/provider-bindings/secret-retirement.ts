import { auditItem, type RunsService } from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import type { Grants } from './issued-credentials.ts';

type Deps = {
  clock: Clock;
  runs: Pick<RunsService, 'append'> & { store: Pick<RunsService['store'], 'findActive'> };
  grants: Pick<Grants, 'hasMinted' | 'deleteMinted'>;
};

/**
 * Erases the credentials that Runs of a destroyed Capsule got for themselves, and records it in the feed of the destroy.
 * Called in the transaction that destroys the Capsule.
 */
export const createSecretRetirement =
  ({ clock, runs, grants }: Deps) =>
  (capsuleId: string): void => {
    if (!grants.hasMinted(capsuleId)) return;
    // A Capsule that is discarded has no Run that destroys it.
    const destroy = runs.store.findActive(capsuleId, ['destroy_apply']);
    const record = (state: 'pending' | 'completed') => {
      if (destroy) runs.append(destroy.id, [auditItem(`runtime_secret.retirement.${state}`, clock.now())]);
    };
    record('pending');
    grants.deleteMinted(capsuleId);
    record('completed');
  };
