import type { ActivityService } from '#server/domains/activity/index';
import { type CapsulesService, findHold } from '#server/domains/capsules/index';
import type { PlansService } from '#server/domains/plans/index';
import type { RunRecord, RunsService } from '#server/domains/runs/index';
import type { SendMail } from '#server/drivers/mail/index';
import type { Clock } from '#server/kernel/clock';
import { AppError } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import { mailLimits, waitingLimits } from '#shared/limits';
import {
  defaultPreferences,
  isPersonalEvent,
  type NotificationPreferences,
  type PersonalEvent,
  type RequestedPlan,
  type Waiting,
} from '#shared/notifications/contract';
import { eventOfMove } from '#shared/notifications/events';
import type { RunRow } from '#shared/runs/contract';
import type { MailQueue } from './mail-queue.ts';
import { testMail } from './mail-text.ts';
import type { NotificationsStore } from './store.ts';

export type NotificationsService = ReturnType<typeof createNotificationsService>;

type Deps = {
  clock: Clock;
  store: NotificationsStore;
  activity: Pick<ActivityService, 'record'>;
  runs: Pick<RunsService, 'onLeave' | 'listRows'>;
  capsules: Pick<CapsulesService, 'getRow'>;
  plans: Pick<PlansService, 'needsOther' | 'onApprovalRequested'>;
  mails: Pick<MailQueue, 'push' | 'isOn'>;
  send: SendMail | undefined;
  findHost: () => string;
  /** While it is true, events cause no mail. */
  isPaused: () => boolean;
};

/** Plans that wait for a person, preferences of the person, and the mail that follows from them. */
export function createNotificationsService(deps: Deps) {
  const { clock, store, runs, capsules, plans, mails } = deps;
  const preferencesOf = (accountId: string) => store.findPreferences(accountId) ?? defaultPreferences;

  /** Stores the mail of an event for those of these accounts who want it, in the caller's transaction. */
  function notify(event: PersonalEvent, { id: runId, workspaceId }: RunRecord, accountIds: readonly string[]): void {
    if (!mails.isOn || deps.isPaused()) return;
    for (const accountId of accountIds) {
      const { mail, mutedWorkspaceIds } = preferencesOf(accountId);
      if (!mail.includes(event) || mutedWorkspaceIds.includes(workspaceId)) continue;
      if (!store.findPerson(accountId)?.email) continue;
      if (store.countMailsOf(accountId) >= mailLimits.waitingPerAccount) continue;
      mails.push({ kind: event, accountId, runId });
    }
  }

  runs.onLeave((run) => {
    const event = eventOfMove(run, 'running');
    if (isPersonalEvent(event)) notify(event, run, [run.createdBy]);
  });
  plans.onApprovalRequested((run) => {
    const requester = run.facts.approvalRequest?.by;
    const deciders = store.listDeciders(run.workspaceId);
    notify(
      'approval.requested',
      run,
      deciders.filter((accountId) => accountId !== requester && !plans.needsOther(run, accountId)),
    );
  });

  function withHold(run: RunRow): RequestedPlan {
    const hold = run.capsuleId === undefined ? undefined : findHold(capsules.getRow(run.capsuleId), clock.now());
    return { ...run, ...(hold && { hold }) };
  }

  const answerOf = (accountId: string) => ({
    preferences: preferencesOf(accountId),
    sendsMail: mails.isOn && Boolean(store.findPerson(accountId)?.email),
  });

  return {
    /** Returns the plans that wait for this account; none for a role that may not decide. */
    getWaiting(workspaceId: string, { accountId, mayDecide }: { accountId: string; mayDecide: boolean }): Waiting {
      if (!mayDecide) return { count: 0, requests: [] };
      const { counted, requests } = waitingLimits;
      const query = { workspaceId, accountId, now: clock.now() };
      return {
        count: store.countWaiting({ ...query, most: counted }),
        requests: runs.listRows(store.listRequested({ ...query, most: requests })).map(withHold),
      };
    },

    /** Deletes every waiting mail, in the caller's transaction. Returns their number. */
    deleteEveryMail: (): number => store.deleteEveryMail(),

    getPreferences: answerOf,
    setPreferences(accountId: string, preferences: NotificationPreferences) {
      store.savePreferences(accountId, preferences, clock.now());
      deps.activity.record({
        actorId: accountId,
        action: 'account.notifications_changed',
        targetType: 'account',
        targetId: accountId,
      });
      return answerOf(accountId);
    },

    /** Sends a test mail. Throws 501 without a mail server, and 503 with the reason when it does not accept the mail. */
    async testMail(email: string): Promise<void> {
      if (!deps.send)
        throw new AppError(
          'capability_not_available',
          'This server sends no mail. Set GROUNDCTL_SMTP_URL and restart.',
        );
      const messageId = `<${newId('mail')}@${deps.findHost()}>`;
      const failure = await deps.send({ to: email, ...testMail('en'), messageId });
      if (failure) throw new AppError('feature_unavailable', failureTexts[failure.reason]);
    },
  };
}

const failureTexts = {
  unreachable: 'The mail server cannot be reached. Check its name and port in GROUNDCTL_SMTP_URL.',
  timeout: 'The mail server did not answer in time. Check its name and port in GROUNDCTL_SMTP_URL.',
  tls: 'The mail server offers no TLS, or its certificate is not valid for its name. Use smtps:// for a port with TLS from the start, and GROUNDCTL_CA_FILE for a private certificate authority.',
  authentication: 'The mail server refused the user or the password. Check GROUNDCTL_SMTP_PASSWORD_FILE.',
  refused: 'The mail server refused the sender or the recipient. Check GROUNDCTL_SMTP_FROM and the e-mail.',
} as const;
