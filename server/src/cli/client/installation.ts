import type { Installation } from '#shared/installation/contract';
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
  const counts = ended && Object.entries(ended).filter(([, count]) => count > 0);
  return [
    from,
    'It is paused. Later changes, also those outside, are not in it. Nothing is planned or applied until a person starts it.',
    `Off: ${off.join(', ')}.`,
    ...(counts?.length ? [`Ended at the first start: ${counts.map(([name, n]) => `${name} ${n}`).join(', ')}.`] : []),
    `Review ${review.members} members and ${review.connections} Connections: who lost access later has it again.`,
    'End the pause with: groundctl installation resume',
  ];
}
