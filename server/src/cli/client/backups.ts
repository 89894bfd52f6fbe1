import type { Backup } from '#shared/backups/contract';
import { writeWholeFile } from '../../drivers/backup-archive/index.ts';
import { exitCodes, failed, wrongUse } from '../exit-codes.ts';
import { requireNewFile } from '../new-file.ts';
import { requestBytes } from '../request-bytes.ts';
import { findCapsule } from './capsules.ts';
import { atServer, type Work } from './command.ts';
import { readAll } from './pages.ts';
import { decideRestore } from './restore-decision.ts';
import { findWorkspace } from './server.ts';
import { tableText, timeText } from './text.ts';

/** Backs up a Workspace, or one Capsule, and waits until the archive is durable. */
export const runBackupCreate = atServer({ whenUnread: 'goesOn' }, async ({ server, terminal, options, leaves }) => {
  leaves.message = 'The backup continues if it has started. Read it with: groundctl backup list';
  const backup = await create();
  if (terminal.isJson) terminal.document({ backup });
  else
    terminal.say(
      `${backup.id} holds ${backup.sizeBytes} bytes. Download it with: groundctl backup download ${backup.id} FILE`,
    );
  return exitCodes.done;

  async function create(): Promise<Backup> {
    if (options.capsule !== undefined) {
      const { id: capsuleId } = await findCapsule(server, options.capsule, options.workspace);
      return (await server.api.backUpCapsule({ params: { capsuleId } })).body.backup;
    }
    const { id: workspaceId } = await findWorkspace(server, options.workspace);
    return (await server.api.backUpWorkspace({ params: { workspaceId } })).body.backup;
  }
});

/** Lists the backups of a Workspace, newest first. */
export const runBackupList = atServer({ whenUnread: 'stops' }, async ({ server, terminal, options }) => {
  const { id: workspaceId } = await findWorkspace(server, options.workspace);
  const backups = await readAll(async (page) => {
    const { body } = await server.api.listBackups({ params: { workspaceId }, query: page });
    return { rows: body.backups, nextCursor: body.nextCursor };
  });
  if (terminal.isJson) terminal.document({ backups });
  else if (backups.length === 0) terminal.say('There are no backups. Create one with: groundctl backup create');
  else for (const line of linesOf(backups, terminal.paint)) terminal.say(line);
  return exitCodes.done;
});

const linesOf = (backups: readonly Backup[], paint: Work['terminal']['paint']): string[] =>
  tableText(
    ['BACKUP', 'CREATED', 'BYTES', 'OF'],
    backups.map(({ id, createdAt, sizeBytes, capsuleId, fileMissing }) => [
      id,
      timeText(createdAt),
      String(sizeBytes),
      `${capsuleId ?? 'the Workspace'}${fileMissing ? ' (archive missing)' : ''}`,
    ]),
    paint,
  );

/** Downloads the archive of a backup into a new file, which appears completely or not at all. */
export const runBackupDownload = atServer({ whenUnread: 'goesOn' }, async (work) => {
  const { server, terminal, options, args, signal } = work;
  const [backupId = '', file = ''] = args;
  requireNewFile(file);
  const { id: workspaceId } = await findWorkspace(server, options.workspace);
  const path = `/api/v1/workspaces/${workspaceId}/backups/${encodeURIComponent(backupId)}/download`;
  const token = await server.getToken();
  let expected: string | undefined;
  const open = async () => {
    const { headers, chunks } = await requestBytes(server.location.origin() + path, { method: 'GET', token, signal });
    expected = headers.get('etag')?.replaceAll('"', '');
    return chunks;
  };
  const { digest, sizeBytes } = await writeWholeFile(file, open, (written) => {
    if (written.digest !== expected)
      throw failed('backup_digest_mismatch', 'The file is not complete. Download it again.');
  });
  if (terminal.isJson) terminal.document({ backupId, file, digest, sizeBytes });
  else terminal.say(`${file} holds the backup ${backupId}, ${sizeBytes} bytes.`);
  return exitCodes.done;
});

/** Deletes a backup with its archive. */
export const runBackupDelete = atServer({ whenUnread: 'goesOn' }, async ({ server, terminal, options, args }) => {
  const { id: workspaceId } = await findWorkspace(server, options.workspace);
  const [backupId = ''] = args;
  await server.api.deleteBackup({ params: { workspaceId, backupId } });
  if (terminal.isJson) terminal.document({ backupId });
  else terminal.say(`${backupId} is deleted. Copies at other places stay.`);
  return exitCodes.done;
});

/** Requests a restore, shows its review, and with approval waits for its end. */
export const runBackupRestore = atServer({ whenUnread: 'goesOn' }, async (work) => {
  const { server, options, args } = work;
  const { id: workspaceId } = await findWorkspace(server, options.workspace);
  const body = { backupId: args[0] ?? '', ...(await selectionOf(work)) };
  const { run } = (await server.api.restoreBackup({ params: { workspaceId }, body })).body;
  return decideRestore(work, run);
});

async function selectionOf({ server, options }: Work) {
  const { capsule, at } = options;
  if (at !== undefined && !/^[0-9]{1,9}$/.test(at)) throw wrongUse('--at takes the number of a generation.');
  if (capsule === undefined && at !== undefined)
    throw wrongUse('--at is a generation of one Capsule: name it with --capsule.');
  return {
    ...(capsule !== undefined && { capsuleId: (await findCapsule(server, capsule, options.workspace)).id }),
    ...(at !== undefined && { stateGeneration: Number(at) }),
  };
}
