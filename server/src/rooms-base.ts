import { createActivityService } from './activity/index.ts';
import type { Ground } from './ground.ts';
import { createIdentityService } from './identity/index.ts';
import { createOutbox } from './kernel/outbox.ts';
import { createCursors } from './kernel/page.ts';
import { createQueuedCancel, createRunsService } from './runs/index.ts';
import { createTokensService, createTokensStore } from './tokens/index.ts';
import { createUsageService, createUsageStore } from './usage/index.ts';
import { createWorkspaceEvents, createWorkspacesService } from './workspaces/index.ts';

export type BaseRooms = ReturnType<typeof buildBase>;

/** The floor that every room shares: history, accounts, Workspaces, the ledger. */
export function buildBase({ db, clock, vault, settings }: Ground) {
  const cursors = createCursors(() => vault.installationKey('cursors'));
  const outbox = createOutbox(db, clock);
  const shared = { db, clock, cursors, outbox };
  const activity = createActivityService({ ...shared, installationKey: () => vault.installationKey('audit') });
  const identity = createIdentityService({ ...shared, activity });
  const workspaces = createWorkspacesService({ ...shared, activity });
  const tokens = createTokensService({
    ...shared,
    store: createTokensStore(db),
    activity,
    hasAccount: identity.hasAccount,
    workspaces,
  });
  const workspaceEvents = createWorkspaceEvents(shared);
  const runs = createRunsService(shared);
  workspaces.onArchive(createQueuedCancel({ runs, clock, activity }));
  const { billingMode } = settings;
  const usage = createUsageService({ ...shared, store: createUsageStore(db), runs, billingMode });
  runs.onLeave(usage.recordRun);
  return { shared, activity, identity, workspaces, tokens, workspaceEvents, runs, usage };
}
