import { type CancelDeps, cancelWaiting } from './cancel.ts';

/** Cancels the queued Runs of a Workspace, in the transaction that archives it. Running Runs end on their own. */
export const createQueuedCancel =
  (deps: CancelDeps) =>
  (workspaceId: string, actorId: string): void => {
    for (const run of deps.runs.store.listByStatus('queued'))
      if (run.workspaceId === workspaceId) cancelWaiting(deps, run, actorId);
  };
