import type { RunsService } from '#server/domains/runs/index';
import type { UsageService } from '#server/domains/usage/index';
import type { Db } from '#server/kernel/db';
import type { DeletePlans, DeleteRuns } from './sweep-parts.ts';

type Deps = {
  db: Pick<Db, 'write'>;
  runs: { store: Pick<RunsService['store'], 'deleteRuns'> };
  plans: { deletePlans: DeletePlans };
  usage: Pick<UsageService, 'detachRuns'>;
};

/** Returns the function that deletes Runs and what belongs to them in one transaction. */
export const createDeleteRuns =
  ({ db, runs, plans, usage }: Deps): DeleteRuns =>
  (ids) =>
    db.write(() => {
      plans.deletePlans(ids);
      usage.detachRuns(ids);
      return runs.store.deleteRuns(ids);
    });
