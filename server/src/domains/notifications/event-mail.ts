import type { ActivityService } from '#server/domains/activity/index';
import type { PlansService } from '#server/domains/plans/index';
import type { RunRecord, RunsService } from '#server/domains/runs/index';
import type { WorkGate } from '#server/kernel/work-gate';
import { mailLimits } from '#shared/limits';
import {
  type BackupEvent,
  isBackupEvent,
  isPersonalEvent,
  type NotificationPreferences,
  type PersonalEvent,
} from '#shared/notifications/contract';
import { eventOfAction, eventOfMove } from '#shared/notifications/events';
import { listConcerned } from './late-state-people.ts';
import type { MailQueue } from './mail-queue.ts';
import type { NotificationsStore } from './store.ts';

type Deps = {
  store: NotificationsStore;
  activity: Pick<ActivityService, 'onRecord'>;
  runs: Pick<RunsService, 'onLeave' | 'getRecord'>;
  plans: Pick<PlansService, 'needsOther' | 'onApprovalRequested'>;
  mails: Pick<MailQueue, 'push' | 'isOn'>;
  /** Calls back in the transaction in which the last undecided state of an apply is decided about. */
  onLateStatesDecided: (work: (runId: string) => void) => void;
  preferencesOf: (accountId: string) => NotificationPreferences;
  /** While it is closed, events cause no mail. */
  unattendedGate: Pick<WorkGate, 'mayAct'>;
};
type Subject = { workspaceId: string; runId?: string };

const subjectOf = ({ id: runId, workspaceId }: RunRecord): Subject => ({ workspaceId, runId });

/** Stores the mail of each event for the accounts that want it, in the transaction of the event. */
export function startEventMail(deps: Deps): void {
  const { store, activity, runs, plans, mails, preferencesOf, unattendedGate } = deps;

  function wants(accountId: string, event: PersonalEvent | BackupEvent, workspaceId: string): boolean {
    const { mail, mutedWorkspaceIds } = preferencesOf(accountId);
    if (!mail.includes(isBackupEvent(event) ? 'backup_schedule.failed' : event)) return false;
    if (mutedWorkspaceIds.includes(workspaceId) || !store.findPerson(accountId)?.email) return false;
    return store.countMailsOf(accountId) < mailLimits.waitingPerAccount;
  }

  function notify(event: PersonalEvent | BackupEvent, subject: Subject, accountIds: readonly string[]): void {
    if (!mails.isOn || !unattendedGate.mayAct()) return;
    for (const accountId of accountIds)
      if (wants(accountId, event, subject.workspaceId)) mails.push({ kind: event, accountId, ...subject });
  }

  runs.onLeave((run) => {
    const event = eventOfMove(run, 'running');
    if (isPersonalEvent(event)) notify(event, subjectOf(run), [run.createdBy]);
  });
  plans.onApprovalRequested((run) => {
    const requester = run.facts.approvalRequest?.by;
    const deciders = store.listDeciders(run.workspaceId);
    notify(
      'approval.requested',
      subjectOf(run),
      deciders.filter((accountId) => accountId !== requester && !plans.needsOther(run, accountId)),
    );
  });
  activity.onRecord(({ action, workspaceId, runId }) => {
    const event = eventOfAction(action);
    if (event === 'late_state.arrived' && runId !== undefined) {
      const run = runs.getRecord(runId);
      notify(event, subjectOf(run), listConcerned(store, run));
    }
    if (isBackupEvent(event) && workspaceId !== undefined)
      notify(event, { workspaceId }, store.listDeciders(workspaceId));
  });
  // A mail that was not sent yet is not true any more.
  deps.onLateStatesDecided((runId) => store.deleteMailsOf(runId, 'late_state.arrived'));
}
