import {
  createFirstStart,
  createInstallationService,
  createInstallationStore,
  type RestoreEnds,
} from '../domains/installation/index.ts';
import type { NotificationsService } from '../domains/notifications/index.ts';
import { AbandonedError, createRestoredCancel } from '../domains/runs/index.ts';
import { readInstallationId } from '../kernel/installation.ts';
import type { AppContext } from './app-context.ts';
import type { BaseDomains } from './base.ts';
import type { RecordDomains } from './records.ts';
import type { buildWebhooks } from './webhooks.ts';
import type { buildWork } from './work.ts';

type Parts = BaseDomains &
  RecordDomains &
  ReturnType<typeof buildWork> &
  ReturnType<typeof buildWebhooks> & { notifications: NotificationsService };

const wasRunning = new AbandonedError(
  'This Run was running at the moment of the backup that this installation was restored from. Changes that it made after that moment are not in the state. Plan again to see them.',
);

/** Builds the installation as a whole, and what its first start after a restore ends in every domain. */
export function buildInstallation({ db, clock, log }: AppContext, parts: Parts) {
  const id = readInstallationId(db);
  const { shared, activity, pause } = parts;
  const store = createInstallationStore(db);
  return {
    installation: createInstallationService({ ...shared, id, activity, store, pause }),
    firstStart: createFirstStart({ id, db, clock, log, activity, pause, ends: endsOf(parts, clock) }),
  };
}

const endsOf = (parts: Parts, clock: AppContext['clock']): RestoreEnds => ({
  failedRuns: () => parts.queue.abandonRunning(wasRunning),
  cancelledRuns: createRestoredCancel({ ...parts, clock }),
  supersededPlans: parts.capsules.advanceEveryAuthority,
  sessions: parts.identity.endEverySession,
  signInLinks: parts.identity.endEveryLink,
  invitations: parts.members.withdrawEveryInvitation,
  tokens: parts.tokens.revokeEvery,
  grants: parts.issuer.grants.endEvery,
  deliveries: parts.webhooks.dropEveryPending,
  mails: parts.notifications.deleteEveryMail,
  runnerMachines: parts.runnerPools.revokeEvery,
});
