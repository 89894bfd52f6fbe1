import { type CancelDeps, cancelWaiting } from './cancel.ts';

/** Cancels what is queued in a Workspace, in the transaction that archives it. What runs ends by itself. */
export const createQueuedCancel =
  (deps: CancelDeps) =>
  (workspaceId: string, actorId: string): void => {
    for (const run of deps.runs.store.listByStatus('queued'))
      if (run.workspaceId === workspaceId) cancelWaiting(deps, run, actorId);
  };
