import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { pageQuery } from '../kernel/page.ts';
import { Backup } from './contract.ts';

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
    descriptor: 19,
    whenArchived: true,
    params: workspacePath,
    replies: { 201: z.strictObject({ backup: Backup }) },
    errors: ['feature_unavailable'],
  },
  backUpCapsule: {
    method: 'POST',
    path: '/capsules/:capsuleId/backups',
    summary: 'Back up a Capsule',
    class: 'W',
    descriptor: 42,
    params: z.strictObject({ capsuleId: z.string() }),
    replies: { 201: z.strictObject({ backup: Backup }) },
    errors: ['failed_precondition', 'feature_unavailable'],
  },
});
