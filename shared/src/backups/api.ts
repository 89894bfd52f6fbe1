import { z } from 'zod';
import { asOperator, defineApi } from '../kernel/endpoint.ts';
import { pageQuery } from '../kernel/page.ts';
import { Run } from '../runs/contract.ts';
import { Backup, RequestRestore } from './contract.ts';

const workspacePath = z.strictObject({ workspaceId: z.string() });

export const backupsApi = defineApi({
  listBackups: {
    method: 'GET',
    path: '/workspaces/:workspaceId/backups',
    summary: 'Backups of a Workspace, newest first',
    class: 'R',
    descriptor: 18,
    params: workspacePath,
    query: pageQuery,
    replies: { 200: z.strictObject({ backups: z.array(Backup), nextCursor: z.string().optional() }) },
  },
  backUpWorkspace: {
    method: 'POST',
    path: '/workspaces/:workspaceId/backups',
    summary: 'Back up a Workspace',
    class: 'W',
    longRunning: true,
    descriptor: 19,
    whenArchived: true,
    params: workspacePath,
    replies: { 201: z.strictObject({ backup: Backup }) },
    errors: ['failed_precondition', 'feature_unavailable'],
  },
  backUpCapsule: {
    method: 'POST',
    path: '/capsules/:capsuleId/backups',
    summary: 'Back up a Capsule',
    class: 'W',
    longRunning: true,
    descriptor: 42,
    params: z.strictObject({ capsuleId: z.string() }),
    replies: { 201: z.strictObject({ backup: Backup }) },
    errors: ['failed_precondition', 'feature_unavailable'],
  },
  downloadBackup: {
    method: 'GET',
    path: '/workspaces/:workspaceId/backups/:backupId/download',
    summary: 'The archive of a backup as one file; `Range` is supported',
    class: 'O',
    withoutBoundTokens: true,
    params: z.strictObject({ workspaceId: z.string(), backupId: z.string() }),
    streams: ['application/octet-stream'],
    ranges: true,
    replies: {},
    replyHeaders: { 200: ['etag'] },
    errors: ['failed_precondition'],
  },
  deleteBackup: {
    method: 'DELETE',
    path: '/workspaces/:workspaceId/backups/:backupId',
    summary: 'Delete a backup with its archive',
    class: 'O',
    whenArchived: true,
    params: z.strictObject({ workspaceId: z.string(), backupId: z.string() }),
    replies: { 204: z.undefined() },
    errors: ['not_found'],
  },
  restoreBackup: {
    method: 'POST',
    path: '/workspaces/:workspaceId/restores',
    summary: 'Request the restore of states from a backup; the Run waits for an approval (local owner)',
    class: 'O',
    longRunning: true,
    localOwner: true,
    withoutBoundTokens: true,
    params: workspacePath,
    body: RequestRestore,
    replies: { 201: z.strictObject({ run: Run }) },
    errors: ['failed_precondition', 'invalid_argument'],
  },
});

/** The operator's route to the same request. */
export const backupsOperatorApi = defineApi({
  requestRestore: asOperator(backupsApi.restoreBackup),
});
