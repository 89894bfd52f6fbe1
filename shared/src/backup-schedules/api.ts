import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { Timestamp } from '../kernel/scalars.ts';
import { BackupSchedule, BackupScheduleInput } from './contract.ts';

const workspacePath = z.strictObject({ workspaceId: z.string() });
const schedule = z.strictObject({ schedule: BackupSchedule });

export const backupSchedulesApi = defineApi({
  getBackupSchedule: {
    method: 'GET',
    path: '/workspaces/:workspaceId/backup-schedule',
    summary: 'Schedule of the backups of a Workspace, and when the last good backup was made',
    class: 'R',
    params: workspacePath,
    replies: {
      200: z.strictObject({
        /** Absent without a schedule. */
        schedule: BackupSchedule.optional(),
        /** The newest backup of the Workspace, made by a person or a schedule; absent when none was ever made. */
        lastBackupAt: Timestamp.optional(),
      }),
    },
  },
  saveBackupSchedule: {
    method: 'PUT',
    path: '/workspaces/:workspaceId/backup-schedule',
    summary: 'Back up a Workspace every day and copy each backup to a folder or a bucket',
    class: 'O',
    params: workspacePath,
    body: BackupScheduleInput,
    replies: { 200: schedule },
    errors: ['invalid_argument', 'connection_not_found', 'failed_precondition'],
  },
  deleteBackupSchedule: {
    method: 'DELETE',
    path: '/workspaces/:workspaceId/backup-schedule',
    summary: 'End the schedule of a Workspace; copies at its target stay',
    class: 'O',
    whenArchived: true,
    params: workspacePath,
    replies: { 204: z.undefined() },
  },
  startScheduledBackup: {
    method: 'POST',
    path: '/workspaces/:workspaceId/backup-schedule/start',
    summary: 'Make the next backup of the schedule now',
    class: 'O',
    params: workspacePath,
    replies: { 202: schedule },
    errors: ['failed_precondition', 'not_found'],
  },
});
