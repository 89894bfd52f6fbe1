import type { ActivityService } from '#server/domains/activity/index';
import { type CapsulesService, findHold } from '#server/domains/capsules/index';
import type { PlansService } from '#server/domains/plans/index';
import type { RunRecord, RunsService } from '#server/domains/runs/index';
import type { SendMail } from '#server/drivers/mail/index';
import type { Clock } from '#server/kernel/clock';
import { AppError } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { WorkGate } from '#server/kernel/work-gate';
import { waitingLimits } from '#shared/limits';
import {
  defaultPreferences,
  type NotificationPreferences,
  type RequestedPlan,
  type Waiting,
} from '#shared/notifications/contract';
import type { RunRow } from '#shared/runs/contract';
import { startEventMail } from './event-mail.ts';
import { listConcerned } from './late-state-people.ts';
import type { MailQueue } from './mail-queue.ts';
import { testMail } from './mail-text.ts';
import type { NotificationsStore } from './store.ts';

export type NotificationsService = ReturnType<typeof createNotificationsService>;

type Deps = {
  clock: Clock;
  store: NotificationsStore;
  activity: Pick<ActivityService, 'record' | 'onRecord'>;
  runs: Pick<RunsService, 'onLeave' | 'getRecord' | 'listRows'>;
  capsules: Pick<CapsulesService, 'getRow'>;
  plans: Pick<PlansService, 'needsOther' | 'onApprovalRequested'>;
  mails: Pick<MailQueue, 'push' | 'isOn'>;
  onLateStatesDecided: (work: (runId: string) => void) => void;
  send: SendMail | undefined;
  findHost: () => string;
  /** While it is closed, events cause no mail. */
  unattendedGate: Pick<WorkGate, 'mayAct'>;
};

/** Plans that wait for a person, preferences of the person, and the mail that follows from them. */
export function createNotificationsService(deps: Deps) {
  const { clock, store, runs, capsules, mails } = deps;
  const preferencesOf = (accountId: string) => store.findPreferences(accountId) ?? defaultPreferences;

  startEventMail({ ...deps, preferencesOf });

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

    /** Lists the accounts that a late state of an apply concerns. */
    listConcerned: (run: RunRecord): string[] => listConcerned(store, run),

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
