import { z } from 'zod';
import { Capsule } from '../capsules/contract.ts';
import { asOperator, defineApi } from '../kernel/endpoint.ts';
import { pageQuery } from '../kernel/page.ts';
import { limits } from '../limits.ts';
import { Run } from '../runs/contract.ts';
import { Import, RequestImport } from './contract.ts';

const workspacePath = z.strictObject({ workspaceId: z.string() });
const importPath = z.strictObject({ importId: z.string() });
const one = z.strictObject({ import: Import });
const requested = z.strictObject({ import: Import, capsule: Capsule, run: Run });

/** Moving infrastructure in: an uploaded state becomes the first state of a new Capsule. */
export const importsApi = defineApi({
  uploadImport: {
    method: 'POST',
    path: '/workspaces/:workspaceId/imports',
    summary: 'Upload the state of a module that was applied elsewhere (local owner)',
    class: 'S',
    longRunning: true,
    localOwner: true,
    idempotency: 'none',
    params: workspacePath,
    rawBody: { headers: ['content-type'] },
    maxBodyBytes: limits.importStateBytes,
    replies: { 200: one, 201: one },
    errors: ['invalid_argument', 'failed_precondition'],
  },
  listImports: {
    method: 'GET',
    path: '/workspaces/:workspaceId/imports',
    summary: 'Imports of a Workspace, newest first (local owner)',
    class: 'S',
    localOwner: true,
    params: workspacePath,
    query: pageQuery,
    replies: { 200: z.strictObject({ imports: z.array(Import), nextCursor: z.string().optional() }) },
  },
  getImport: {
    method: 'GET',
    path: '/imports/:importId',
    summary: 'Read an import (local owner)',
    class: 'S',
    localOwner: true,
    params: importPath,
    replies: { 200: one },
  },
  requestImport: {
    method: 'POST',
    path: '/imports/:importId/capsule',
    summary: 'Create the Capsule of an import, and the restore Run that gives it the state (local owner)',
    class: 'S',
    longRunning: true,
    localOwner: true,
    params: importPath,
    body: RequestImport,
    replies: { 200: requested, 201: requested },
    errors: [
      'invalid_argument',
      'failed_precondition',
      'forbidden',
      'connection_not_found',
      'repository_install_ux_invalid',
      'repository_install_ux_stale',
    ],
  },
  deleteImport: {
    method: 'DELETE',
    path: '/imports/:importId',
    summary: 'Delete an upload that no Capsule has (local owner)',
    class: 'S',
    localOwner: true,
    whenArchived: true,
    params: importPath,
    replies: { 204: z.undefined() },
    errors: ['failed_precondition'],
  },
});

export const importsOperatorApi = defineApi({
  uploadImportAsOperator: asOperator(importsApi.uploadImport),
  listImportsAsOperator: asOperator(importsApi.listImports),
  getImportAsOperator: asOperator(importsApi.getImport),
  requestImportAsOperator: asOperator(importsApi.requestImport),
  deleteImportAsOperator: asOperator(importsApi.deleteImport),
});
