import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { id } from '../kernel/id.ts';
import { pageQuery } from '../kernel/page.ts';
import { Digest, DisplayName } from '../kernel/scalars.ts';
import { Copy, CopyRevision, CopyRevisionRow, UpstreamCheck } from './contract.ts';

const workspacePath = z.strictObject({ workspaceId: z.string() });
const copyPath = z.strictObject({ copyId: z.string() });
const revisionPath = z.strictObject({ copyId: z.string(), revisionId: z.string() });
const page = { nextCursor: z.string().optional() };
const copy = z.strictObject({ copy: Copy });
const revision = z.strictObject({ revision: CopyRevision });
const both = z.strictObject({ copy: Copy, revision: CopyRevision });

/**
 * Installable copies of repositories whose modules call modules elsewhere. The event stream of the Workspace reports
 * each change of a copy and of the progress of its revisions.
 */
export const copiesApi = defineApi({
  listCopies: {
    method: 'GET',
    path: '/workspaces/:workspaceId/copies',
    summary: 'Installable copies of a Workspace, newest first',
    class: 'R',
    params: workspacePath,
    query: pageQuery,
    replies: { 200: z.strictObject({ copies: z.array(Copy), ...page }) },
  },
  createCopy: {
    method: 'POST',
    path: '/workspaces/:workspaceId/copies',
    summary: 'Prepare an installable copy of a snapshot: every package that its modules call is fetched for a review',
    class: 'W',
    params: workspacePath,
    body: z.strictObject({
      sourceId: id('source'),
      /** Default is the newest snapshot of the default lane. */
      sourceSnapshotId: id('snapshot').optional(),
      /** The one module to copy, relative to the path of the snapshot; default is all modules. */
      modulePath: z.string().min(1).max(1_024).optional(),
      /** Default is the name of the Source. */
      name: DisplayName.optional(),
    }),
    replies: { 200: both, 201: both },
    errors: ['invalid_argument', 'failed_precondition'],
  },
  getCopy: {
    method: 'GET',
    path: '/copies/:copyId',
    summary: 'Read an installable copy',
    class: 'R',
    params: copyPath,
    replies: { 200: copy },
  },
  deleteCopy: {
    method: 'DELETE',
    path: '/copies/:copyId',
    summary: 'Delete an installable copy that no Capsule was installed from, with its repository and Source',
    class: 'W',
    whenArchived: true,
    params: copyPath,
    replies: { 204: z.undefined() },
    errors: ['failed_precondition'],
  },
  checkCopyUpstream: {
    method: 'POST',
    path: '/copies/:copyId/upstream-check',
    summary: 'Look for a newer commit of the upstream repository and for newer packages',
    class: 'propose',
    idempotency: 'none',
    longRunning: true,
    params: copyPath,
    replies: { 200: UpstreamCheck },
    errors: ['failed_precondition'],
  },
  listCopyRevisions: {
    method: 'GET',
    path: '/copies/:copyId/revisions',
    summary: 'Revisions of an installable copy, newest first, without their reviews',
    class: 'R',
    params: copyPath,
    query: pageQuery,
    replies: { 200: z.strictObject({ revisions: z.array(CopyRevisionRow), ...page }) },
  },
  createCopyRevision: {
    method: 'POST',
    path: '/copies/:copyId/revisions',
    summary: 'Prepare an update of an installable copy from its upstream repository; finds the open one',
    class: 'W',
    params: copyPath,
    replies: { 200: both, 201: both },
    errors: ['failed_precondition'],
  },
  getCopyRevision: {
    method: 'GET',
    path: '/copies/:copyId/revisions/:revisionId',
    summary: 'Read a revision of an installable copy with its review',
    class: 'R',
    params: revisionPath,
    replies: { 200: revision },
  },
  approveCopyRevision: {
    method: 'POST',
    path: '/copies/:copyId/revisions/:revisionId/approve',
    summary: 'Approve the reviewed content: it is committed to the copy, and the Source of the copy is synced',
    class: 'W',
    params: revisionPath,
    body: z.strictObject({ reviewDigest: Digest }),
    replies: { 200: revision },
    errors: ['failed_precondition'],
  },
  cancelCopyRevision: {
    method: 'POST',
    path: '/copies/:copyId/revisions/:revisionId/cancel',
    summary: 'Cancel a revision that is not approved',
    class: 'W',
    whenArchived: true,
    params: revisionPath,
    replies: { 200: revision },
    errors: ['failed_precondition'],
  },
  downloadCopy: {
    method: 'GET',
    path: '/copies/:copyId/repository',
    summary: 'The Git repository of an installable copy as a tar archive',
    class: 'W',
    longRunning: true,
    params: copyPath,
    streams: ['application/octet-stream'],
    replies: {},
    errors: ['failed_precondition'],
  },
});
