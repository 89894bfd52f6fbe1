import { isTerminal } from '#shared/kernel/machine';
import { runMachineOf } from '#shared/runs/machine';
import { createRestoreApproval } from './approval.ts';
import { createRestoreHandler } from './handler.ts';
import { createRestoreRequests } from './requests.ts';
import { createRestoreReview } from './review.ts';
import { createRestoresStore, type RestoresStore } from './store.ts';

type WithStore<Deps> = Omit<Deps, 'store'>;
type Deps = WithStore<Parameters<typeof createRestoreRequests>[0]> &
  WithStore<Parameters<typeof createRestoreApproval>[0]> &
  WithStore<Parameters<typeof createRestoreHandler>[0]> &
  WithStore<Parameters<typeof createRestoreReview>[0]>;

export type RestoresService = ReturnType<typeof createRestoresService>;

/** Restores: states of backups or files that become current again after an approval. */
export function createRestoresService(deps: Deps) {
  const store: RestoresStore = createRestoresStore(deps.db);
  deps.runs.onMoving(({ id, type, status }) => {
    if (type === 'restore' && isTerminal(runMachineOf(type), status)) store.deleteTexts(id);
  });
  return {
    ...createRestoreRequests({ ...deps, store }),
    approve: createRestoreApproval({ ...deps, store }),
    review: createRestoreReview({ ...deps, store }),
    handler: createRestoreHandler({ ...deps, store }),
  };
}
