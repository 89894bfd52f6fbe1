import type { BackupSchedule, BackupTarget } from '#shared/backup-schedules/contract';
import { objectStorageKind } from '#shared/connections/object-storage';
import { backupScheduleLimits } from '#shared/limits';
import { exitCodes, wrongUse } from '../exit-codes.ts';
import { atServer, type Work } from './command.ts';
import { readAll } from './pages.ts';
import { findWorkspace } from './server.ts';
import { oneLine, timeText } from './text.ts';

/** Shows the daily backups of a Workspace: settings, last success and last failure. */
export const runBackupScheduleShow = atServer({ whenUnread: 'stops' }, async ({ server, terminal, options }) => {
  const { id: workspaceId } = await findWorkspace(server, options.workspace);
  const { schedule, lastBackupAt } = (await server.api.getBackupSchedule({ params: { workspaceId } })).body;
  if (terminal.isJson)
    terminal.document({ schedule: schedule ?? null, ...(lastBackupAt !== undefined && { lastBackupAt }) });
  else if (schedule) for (const line of linesOf(schedule)) terminal.say(line);
  else terminal.say('There is no schedule of backups. Create one with: groundctl backup schedule set');
  return exitCodes.done;
});

/** Creates the schedule of a Workspace, or changes the settings that are named. */
export const runBackupScheduleSet = atServer({ whenUnread: 'goesOn' }, async (work) => {
  const { server, terminal, options } = work;
  const { id: workspaceId } = await findWorkspace(server, options.workspace);
  const { schedule: before } = (await server.api.getBackupSchedule({ params: { workspaceId } })).body;
  const hour = numberOf(options.hour, { flag: '--hour', least: 0, most: 23 }) ?? before?.hour;
  const keep = numberOf(options.keep, { flag: '--keep', least: 1, most: backupScheduleLimits.copies }) ?? before?.keep;
  const target = (await targetOf(work, workspaceId)) ?? before?.target;
  if (hour === undefined || keep === undefined || target === undefined)
    throw wrongUse('A new schedule needs --hour, --keep, and --folder or --connection.');
  const body = { hour, keep, target };
  const { schedule } = (await server.api.saveBackupSchedule({ params: { workspaceId }, body })).body;
  if (terminal.isJson) terminal.document({ schedule });
  else for (const line of linesOf(schedule)) terminal.say(line);
  return exitCodes.done;
});

/** Ends the schedule of a Workspace. */
export const runBackupScheduleOff = atServer({ whenUnread: 'goesOn' }, async ({ server, terminal, options }) => {
  const { id: workspaceId } = await findWorkspace(server, options.workspace);
  const { schedule } = (await server.api.getBackupSchedule({ params: { workspaceId } })).body;
  await server.api.deleteBackupSchedule({ params: { workspaceId } });
  if (terminal.isJson) terminal.document({ schedule: null });
  else if (schedule) terminal.say('The schedule has ended. Its copies stay where they are.');
  else terminal.say('There was no schedule of backups.');
  return exitCodes.done;
});

type NumberOption = { flag: string; least: number; most: number };

function numberOf(text: string | undefined, { flag, least, most }: NumberOption): number | undefined {
  if (text === undefined) return undefined;
  const number = /^[0-9]{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw wrongUse(`${flag} takes a number between ${least} and ${most}.`);
}

/** Returns the target of the options: a folder of the server, or a Connection to object storage by its id or name. */
async function targetOf({ server, options }: Work, workspaceId: string): Promise<BackupTarget | undefined> {
  const { folder, connection: [name, ...others] = [] } = options;
  if (others.length > 0 || (folder !== undefined && name !== undefined))
    throw wrongUse('Name one target: --folder or --connection.');
  if (folder !== undefined) return { kind: 'folder', path: folder };
  if (name === undefined) return undefined;
  const connections = await readAll(async (page) => {
    const { body } = await server.api.listConnections({ query: { workspaceId, ...page } });
    return { rows: body.connections, nextCursor: body.nextCursor };
  });
  const named = connections.filter(
    ({ id, displayName, kind, status }) =>
      kind === objectStorageKind && status !== 'revoked' && (id === name || displayName === name),
  );
  const [only] = named;
  if (only && named.length === 1) return { kind: 'object_storage', connectionId: only.id };
  throw wrongUse(
    only
      ? 'Several Connections to object storage have this name. Name one by its id.'
      : 'There is no Connection to object storage with this id or name. Create one in the dashboard, on the page Connections.',
  );
}

/** Returns what a person reads about a schedule. Texts of the server are printed safely on one line. */
function linesOf({ hour, keep, target, stored, nextAt, current, lastSuccess, lastFailure }: BackupSchedule): string[] {
  const location = target.kind === 'folder' ? target.path : target.connectionId;
  const retry = current?.retryAt === undefined ? '' : ` Next attempt: ${timeText(current.retryAt)}.`;
  return [
    `Every day at ${String(hour).padStart(2, '0')}:00 UTC to ${oneLine(location)}; ${stored} of ${keep} copies are there.`,
    lastSuccess
      ? `Last copy: ${timeText(lastSuccess.at)}, ${lastSuccess.sizeBytes} bytes, ${oneLine(lastSuccess.location)}`
      : 'Last copy: none yet',
    ...(lastFailure ? [`Failed: ${timeText(lastFailure.at)}, ${oneLine(lastFailure.message)}${retry}`] : []),
    current && current.retryAt === undefined ? 'A backup is being made.' : `Next backup: ${timeText(nextAt)}`,
  ];
}
