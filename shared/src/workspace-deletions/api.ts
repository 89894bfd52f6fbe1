import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { WorkspaceDeletion, WorkspaceDeletionPreview } from './contract.ts';

const one = z.strictObject({ deletion: WorkspaceDeletion });

/** Outside the public inventory. The record of a deletion outlives its Workspace, so it has an address of its own. */
export const workspaceDeletionsApi = defineApi({
  previewWorkspaceDeletion: {
    method: 'GET',
    path: '/workspaces/:workspaceId/deletion-preview',
    summary: 'What the deletion of a Workspace removes, leaves in place and keeps',
    class: 'O',
    params: z.strictObject({ workspaceId: z.string() }),
    replies: { 200: z.strictObject({ preview: WorkspaceDeletionPreview }) },
  },
  deleteWorkspace: {
    method: 'POST',
    path: '/workspace-deletions',
    summary: 'Delete a Workspace and destroy its keys',
    class: 'A',
    body: z.strictObject({
      workspaceId: z.string().min(1).max(128),
      /** The handle of the Workspace, typed by a person. */
      confirmHandle: z.string().max(128),
      /** All Capsules of the preview whose resources are left in place. */
      leaveCapsuleIds: z.array(z.string().max(128)).max(20_000).default([]),
      /** Ends shares that another Workspace uses. */
      endShares: z.boolean().optional(),
    }),
    replies: { 201: one },
    errors: ['forbidden', 'not_found', 'invalid_argument', 'failed_precondition', 'conflict'],
  },
  getWorkspaceDeletion: {
    method: 'GET',
    path: '/workspace-deletions/:deletedWorkspaceId',
    summary: 'Progress and remains of a deletion that the caller requested',
    class: 'A',
    params: z.strictObject({ deletedWorkspaceId: z.string() }),
    replies: { 200: one },
    errors: ['not_found'],
  },
});
