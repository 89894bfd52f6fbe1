import type { ActivityService } from '#server/domains/activity/index';
import type { NotificationsService } from '#server/domains/notifications/index';
import type { PlansService } from '#server/domains/plans/index';
import type { RunRecord, RunsService } from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import type { Outbox } from '#server/kernel/outbox';
import { noWork, type OwnerNotice, type OwnerWork } from '#shared/dashboard/owner-work';
import { isPersonalEvent, type PersonalEvent } from '#shared/notifications/contract';
import { eventOfAction, eventOfMove } from '#shared/notifications/events';
import { type Role, rolesOf } from '#shared/permissions';
import { isApplyType } from '#shared/runs/contract';
import type { AttentionStore } from './attention-store.ts';
import type { OwnerWorkStore } from './work-store.ts';

type Deps = {
  db: Pick<Db, 'afterCommit'>;
  clock: Clock;
  outbox: Pick<Outbox, 'listen'>;
  store: OwnerWorkStore;
  attention: Pick<AttentionStore, 'count'>;
  runs: Pick<RunsService, 'onMoved' | 'getRecord'>;
  plans: Pick<PlansService, 'needsOther' | 'onApprovalRequested'>;
  activity: Pick<ActivityService, 'onRecord'>;
  notifications: Pick<NotificationsService, 'getWaiting' | 'getPreferences' | 'listConcerned'>;
  isSealed: () => boolean;
  findOwnerId: () => string | undefined;
  onFault: (error: unknown) => void;
};
export type OwnerWatch = ReturnType<typeof createOwnerWatch>;

/** Changes come in bursts; the work is read once for those of this time. */
const burstMs = 250;
const recentShown = 8;

/**
 * Follows the work of the account that owns the installation, for a host in the same process that shows it without a
 * page. Nothing is read while no one follows it.
 */
export function createOwnerWatch(deps: Deps) {
  const { db, store, activity, runs, plans, notifications, findOwnerId } = deps;
  const followers = new Set<(work: OwnerWork) => void>();
  const listeners = new Set<(notice: OwnerNotice) => void>();
  let shown = '';
  let timer: NodeJS.Timeout | undefined;

  function publish(): void {
    timer = undefined;
    try {
      const work = readWork(deps);
      const text = JSON.stringify(work);
      if (text === shown) return;
      shown = text;
      for (const follow of followers) follow(work);
    } catch (error) {
      deps.onFault(error);
    }
  }
  const refresh = () => {
    if (followers.size > 0) timer ??= setTimeout(publish, burstMs);
  };
  const unsubscribe = deps.outbox.listen(refresh);

  const membershipIn = (workspaceId: string, accountId: string) =>
    store.listMemberships(accountId).find((one) => one.workspaceId === workspaceId);
  function notify(event: PersonalEvent, run: RunRecord, ownerId: string): void {
    const { browser, mutedWorkspaceIds } = notifications.getPreferences(ownerId).preferences;
    const membership = membershipIn(run.workspaceId, ownerId);
    if (!membership || !browser.includes(event) || mutedWorkspaceIds.includes(run.workspaceId)) return;
    if (event === 'approval.requested' && !mayDecide(membership.role)) return;
    const { id: runId, capsuleName } = run;
    const notice = { event, runId, workspaceName: membership.name, ...(capsuleName && { capsuleName }) };
    for (const listen of listeners) listen(notice);
  }
  runs.onMoved((run, from) => {
    const event = listeners.size > 0 && from === 'running' ? eventOfMove(run, from) : undefined;
    if (isPersonalEvent(event) && run.createdBy === findOwnerId()) notify(event, run, run.createdBy);
  });
  plans.onApprovalRequested((run) => {
    const ownerId = listeners.size > 0 ? findOwnerId() : undefined;
    if (ownerId === undefined || run.facts.approvalRequest?.by === ownerId || plans.needsOther(run, ownerId)) return;
    db.afterCommit(() => notify('approval.requested', run, ownerId));
  });
  activity.onRecord(({ action, runId }) => {
    const event = eventOfAction(action);
    if (event !== 'late_state.arrived' || runId === undefined || listeners.size === 0) return;
    const ownerId = findOwnerId();
    if (ownerId === undefined) return;
    const run = runs.getRecord(runId);
    if (notifications.listConcerned(run).includes(ownerId)) db.afterCommit(() => notify(event, run, ownerId));
  });

  return {
    /** Calls back with the current work at once, and with each change. Returns the function that unsubscribes. */
    follow(follower: (work: OwnerWork) => void): () => void {
      followers.add(follower);
      shown = '';
      publish();
      return () => void followers.delete(follower);
    },
    /** Calls back with each event that the account wants to be notified of. Returns the function that unsubscribes. */
    onNotice(listener: (notice: OwnerNotice) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Reads the work again after a change that no event reports, such as an opened vault. */
    refresh,
    stop(): void {
      unsubscribe();
      clearTimeout(timer);
      followers.clear();
      listeners.clear();
    },
  };
}

const mayDecide = (role: Role): boolean => rolesOf.W?.includes(role) === true;

function readWork({ store, attention, notifications, clock, isSealed, findOwnerId }: Deps): OwnerWork {
  if (isSealed()) return { ...noWork, isSealed: true };
  const accountId = findOwnerId();
  if (accountId === undefined) return noWork;
  const memberships = store.listMemberships(accountId);
  const running = store.listRunning(memberships.map(({ workspaceId }) => workspaceId));
  const now = clock.now();
  const sum = (count: (one: (typeof memberships)[number]) => number) =>
    memberships.reduce((total, one) => total + count(one), 0);
  return {
    isSealed: false,
    running: running.length,
    applying: running.filter(isApplyType).length,
    waiting: sum(({ workspaceId, role }) => {
      const query = { accountId, mayDecide: mayDecide(role) };
      return notifications.getWaiting(workspaceId, query).count;
    }),
    failed: sum(({ workspaceId }) => attention.count('failed', { workspaceId, now })),
    recentCapsules: memberships
      .flatMap(({ workspaceId }) => store.listRecent(workspaceId, recentShown))
      .sort((one, other) => other.updatedAt - one.updatedAt)
      .slice(0, recentShown)
      .map(({ id, name }) => ({ id, name })),
  };
}
