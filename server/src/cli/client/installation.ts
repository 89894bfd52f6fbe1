import type { EndedByRestore, Installation, PausedWork } from '#shared/installation/contract';
import { exitCodes } from '../exit-codes.ts';
import { atServer } from './command.ts';
import { operatorOf } from './operator.ts';

/** Prints whether the installation was restored and is paused; exits with 3 while it waits for a person. */
export const runInstallationStatus = atServer({ whenUnread: 'stops' }, async ({ server, terminal }) => {
  const { installation } = (await operatorOf(server).getInstallationAsOperator({})).body;
  if (terminal.isJson) terminal.document({ installation });
  else for (const line of linesOf(installation)) terminal.say(line);
  return installation.paused ? exitCodes.waits : exitCodes.done;
});

/** Ends the pause; a repeated call changes nothing. */
export const runInstallationResume = atServer({ whenUnread: 'goesOn' }, async ({ server, terminal }) => {
  const { installation } = (await operatorOf(server).resumeInstallationAsOperator({})).body;
  if (terminal.isJson) terminal.document({ installation });
  else terminal.say('The pause has ended. Schedules, automatic updates, hooks, webhooks and mail are on again.');
  return exitCodes.done;
});

function linesOf({ paused, restored, ended, resumedAt, review, off }: Installation): string[] {
  if (!restored) return ['This installation was not restored from a backup.'];
  const from = `Restored at ${restored.restoredAt} from a backup of ${restored.backupCreatedAt}.`;
  if (!paused) return [from, `Its pause ended at ${resumedAt}.`];
  return [
    from,
    'It is paused. Later changes are not in it, and nothing is planned or applied until a person starts it.',
    'Off during the pause:',
    ...off.map((work) => `  ${offTexts[work]}`),
    ...endedLines(ended),
    `Review ${review.members} members and ${review.connections} Connections: access that was removed after the backup is back.`,
    'End the pause with: groundctl installation resume',
  ];
}

const offTexts: Readonly<Record<PausedWork, string>> = {
  source_syncs: 'syncs of Sources on a schedule',
  source_hooks: 'hooks of Git hosts',
  auto_updates: 'automatic updates',
  drift_checks: 'drift checks on a schedule',
  webhooks: 'webhooks, except tests that you send',
  mails: 'mail about events',
  backups: 'backups on a schedule',
  credentials: 'revoking credentials that were issued to Runs',
};

const endedTexts: Readonly<Record<keyof EndedByRestore, string>> = {
  failedRuns: 'running Runs, now failed',
  cancelledRuns: 'queued Runs and waiting restores',
  supersededPlans: 'plans, now superseded',
  sessions: 'sessions',
  signInLinks: 'sign-in links',
  invitations: 'invitations',
  tokens: 'access tokens',
  grants: 'sign-ins of apps',
  deliveries: 'waiting deliveries of webhooks',
  mails: 'waiting mails',
  runnerMachines: 'runner machines, now revoked',
};

function endedLines(ended: EndedByRestore | undefined): string[] {
  const lines = Object.entries(ended ?? {}).flatMap(([name, count]) =>
    count > 0 ? [`  ${endedTexts[name as keyof EndedByRestore]}: ${count}`] : [],
  );
  return lines.length > 0 ? ['Ended at the first start:', ...lines] : [];
}
