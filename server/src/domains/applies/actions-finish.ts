import type { CapsulesService } from '#server/domains/capsules/index';
import type { ActionsEnd } from '#server/domains/lifecycle/index';
import type { ApplyRun } from '#server/domains/runs/index';
import type { Committed } from './apply-commit.ts';
import type { createApplyRunEnds } from './apply-run-ends.ts';

type Deps = {
  capsules: Pick<CapsulesService, 'getRow'>;
  ends: Pick<ReturnType<typeof createApplyRunEnds>, 'succeed' | 'failActions'>;
  /** Gives the Capsule its status. */
  conclude: (run: ApplyRun, succeeded: boolean, committed: Committed) => void;
  /** Records the Interfaces and the client of an app that a Run makes when it succeeds. */
  recordServices: (run: ApplyRun, committed: Committed) => void;
};

/**
 * Ends a Run after its actions, in the caller's transaction. A failure keeps the state that the apply has committed, and
 * a destroy whose actions failed has changed nothing.
 */
export const createActionsFinish = ({ capsules, ends, conclude, recordServices }: Deps) => {
  /** False when the Capsule was changed since the state was committed; then only the Run ends. */
  function isCurrent(run: ApplyRun, { generation }: Committed): boolean {
    const { status, executionAuthorityEpoch, currentStateGeneration } = capsules.getRow(run.capsuleId);
    return (
      status !== 'destroyed' &&
      status !== 'disabled' &&
      executionAuthorityEpoch === run.executionAuthorityEpoch &&
      currentStateGeneration === generation
    );
  }

  return (run: ApplyRun, { succeeded, failure }: ActionsEnd): void => {
    const { committed } = run.input;
    if (committed !== undefined && (succeeded || isCurrent(run, committed))) conclude(run, succeeded, committed);
    if (committed !== undefined && succeeded) {
      recordServices(run, committed);
      ends.succeed(run, committed);
    } else ends.failActions(run, { wasApplied: committed !== undefined, failure });
  };
};
