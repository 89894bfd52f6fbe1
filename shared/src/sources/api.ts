import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { id } from '../kernel/id.ts';
import { pageQuery, SearchText } from '../kernel/page.ts';
import { CapsuleName, Count, Digest, DisplayName } from '../kernel/scalars.ts';
import { RepositoryInstallUx } from '../manifest/contract.ts';
import { Run, syncIntents } from '../runs/contract.ts';
import { codeHosts } from './code-host.ts';
import { Source, SourceSnapshot, SourceSyncRun } from './contract.ts';
import { InstallModules } from './module-scan.ts';
import { CompatibilityReport } from './report.ts';

const sourcePath = z.strictObject({ sourceId: z.string() });
const snapshotPath = z.strictObject({ sourceId: z.string(), sourceSnapshotId: z.string() });
/** Headers in which a Git host sends the secret or a signature made with it. */
const hookHeaders = ['authorization', 'x-gitlab-token', 'x-hub-signature-256'] as const;
const address = z.string().min(1).max(2_048);

/**
 * With `compileInstallUx` the manifest of the snapshot is compiled for a Capsule that will be created under this name.
 */
const CheckCompatibility = z
  .strictObject({
    sourceSnapshotId: id('snapshot').optional(),
    modulePath: z.string().max(1_024).optional(),
    capsuleId: id('capsule').optional(),
    installConfigId: z.string().min(1).max(64).optional(),
    compileInstallUx: z.boolean().optional(),
    capsuleName: CapsuleName.optional(),
  })
  .superRefine(({ compileInstallUx, capsuleName, capsuleId }, context) => {
    if (compileInstallUx !== true) return;
    const wrong = capsuleName === undefined ? 'capsuleName' : capsuleId === undefined ? undefined : 'capsuleId';
    if (wrong === undefined) return;
    context.addIssue({
      code: 'custom',
      path: [wrong],
      message: 'Compiling needs a capsuleName and does not accept a capsuleId.',
    });
  });
const stableVersion = {
  params: z.strictObject({ workspaceId: z.string() }),
  body: z.strictObject({ url: address }),
  replies: { 200: z.strictObject({ tag: z.string(), commit: z.string() }) },
} as const;
const snapshotFile = {
  params: snapshotPath,
  query: z.strictObject({ path: z.string().min(1).max(1_024) }),
  closedQuery: true,
  replies: {
    200: z.strictObject({
      sourceSnapshotId: z.string(),
      path: z.string(),
      text: z.string(),
      digest: Digest,
      sizeBytes: Count,
    }),
  },
  errors: ['invalid_argument', 'failed_precondition'],
} as const;

export const sourcesApi = defineApi({
  listSources: {
    method: 'GET',
    path: '/sources',
    summary: 'Sources of a Workspace',
    class: 'R',
    descriptor: 52,
    workspaceIn: 'query',
    query: pageQuery.extend({
      workspaceId: id('workspace'),
      url: address.optional(),
      q: SearchText.optional(),
      order: z.enum(['updated_desc']).optional(),
    }),
    replies: { 200: z.strictObject({ sources: z.array(Source), nextCursor: z.string().optional() }) },
  },
  createSource: {
    method: 'POST',
    path: '/sources',
    summary: 'Register a Git repository',
    class: 'propose',
    descriptor: 53,
    workspaceIn: 'body',
    body: z.strictObject({
      workspaceId: id('workspace'),
      name: DisplayName,
      url: address,
      defaultRef: z.string().max(255).default('HEAD'),
      defaultPath: z.string().max(1_024).default('.'),
      authConnectionId: id('connection').optional(),
      autoSync: z.boolean().default(false),
    }),
    replies: { 201: z.strictObject({ source: Source, hookSecret: z.string().optional() }) },
    errors: ['invalid_argument', 'failed_precondition', 'connection_not_found'],
  },
  getSource: {
    method: 'GET',
    path: '/sources/:sourceId',
    summary: 'Read a Source',
    class: 'R',
    descriptor: 54,
    params: sourcePath,
    replies: { 200: z.strictObject({ source: Source }) },
  },
  updateSource: {
    method: 'PATCH',
    path: '/sources/:sourceId',
    summary: 'Update the metadata of a Source',
    class: 'W',
    descriptor: 55,
    params: sourcePath,
    body: z.strictObject({
      name: DisplayName.optional(),
      defaultRef: z.string().max(255).optional(),
      defaultPath: z.string().max(1_024).optional(),
      /** `null` removes it. */
      authConnectionId: id('connection').nullable().optional(),
      status: z.enum(['active', 'disabled']).optional(),
      autoSync: z.boolean().optional(),
      codeHost: z.enum(codeHosts).optional(),
      rotateHookSecret: z.literal(true).optional(),
    }),
    replies: { 200: z.strictObject({ source: Source, hookSecret: z.string().optional() }) },
    errors: ['invalid_argument', 'failed_precondition', 'connection_not_found'],
  },
  deleteSource: {
    method: 'DELETE',
    path: '/sources/:sourceId',
    summary: 'Forget a Source that was never synced',
    class: 'W',
    params: sourcePath,
    replies: { 204: z.undefined() },
    errors: ['failed_precondition'],
  },
  syncSource: {
    method: 'POST',
    path: '/sources/:sourceId/sync',
    summary: 'Fetch the default address of a Source',
    class: 'propose',
    descriptor: 56,
    rate: 'syncs',
    params: sourcePath,
    body: z.strictObject({ intent: z.enum(syncIntents).default('observe') }),
    replies: { 200: z.strictObject({ run: SourceSyncRun }), 201: z.strictObject({ run: SourceSyncRun }) },
    errors: ['failed_precondition'],
  },
  listSnapshots: {
    method: 'GET',
    path: '/sources/:sourceId/snapshots',
    summary: 'Snapshots of a Source, newest first',
    class: 'R',
    descriptor: 57,
    params: sourcePath,
    query: pageQuery,
    replies: { 200: z.strictObject({ snapshots: z.array(SourceSnapshot), nextCursor: z.string().optional() }) },
  },
  receiveSourceHook: {
    method: 'POST',
    path: '/hooks/sources/:sourceId',
    base: '',
    summary: 'Sync every watched lane of a Source, as a Git host asks after a push',
    class: 'X',
    // The answer is the same for an untrusted caller, who learns nothing of the Workspace.
    whenArchived: true,
    rate: 'sourceHooks',
    params: sourcePath,
    rawBody: { headers: hookHeaders },
    replies: {
      202: z.strictObject({ accepted: z.literal(true), runId: z.string().optional(), runIds: z.array(z.string()) }),
    },
    errors: ['unauthorized', 'feature_unavailable'],
  },
  getInstallModules: {
    method: 'GET',
    path: '/sources/:sourceId/snapshots/:sourceSnapshotId/install-modules',
    summary: 'Modules and provider requirements found in a snapshot',
    class: 'R',
    descriptor: 58,
    params: snapshotPath,
    replies: { 200: InstallModules },
    errors: ['failed_precondition'],
  },
  getSnapshotFile: {
    method: 'GET',
    path: '/sources/:sourceId/snapshots/:sourceSnapshotId/file',
    summary: 'Read one file of a snapshot',
    class: 'R',
    descriptor: 59,
    ...snapshotFile,
  },
  getSnapshotFileAsOperator: {
    method: 'GET',
    base: '/internal/v1',
    path: '/sources/:sourceId/snapshots/:sourceSnapshotId/file',
    summary: 'Read one file of a snapshot (operator)',
    class: 'Op',
    ...snapshotFile,
  },
  resolveStableVersion: {
    method: 'POST',
    path: '/workspaces/:workspaceId/source-ref-resolutions/stable-semver',
    summary: 'Find the highest stable version among the tags of a public repository',
    class: 'R',
    descriptor: 62,
    rate: 'stableVersions',
    // Nothing is written, so no replay is stored.
    idempotency: 'none',
    whenArchived: true,
    ...stableVersion,
    errors: ['invalid_argument', 'failed_precondition'],
  },
  resolveStableVersionAsOperator: {
    method: 'POST',
    base: '/internal/v1',
    path: '/workspaces/:workspaceId/source-ref-resolutions/stable-semver',
    summary: 'Find the highest stable version among the tags of a public repository (operator)',
    class: 'Op',
    idempotency: 'none',
    whenArchived: true,
    ...stableVersion,
    errors: ['invalid_argument', 'failed_precondition'],
  },
  checkCompatibility: {
    method: 'POST',
    path: '/sources/:sourceId/compatibility-check',
    summary: 'Check one module of a snapshot without running any tool',
    class: 'propose',
    descriptor: 60,
    params: sourcePath,
    body: CheckCompatibility,
    replies: {
      201: z.strictObject({
        report: CompatibilityReport,
        run: Run,
        repositoryInstallUx: RepositoryInstallUx.optional(),
      }),
    },
    errors: [
      'invalid_argument',
      'failed_precondition',
      'runner_unavailable',
      'repository_install_ux_stale',
      'repository_install_ux_invalid',
    ],
  },
  getReport: {
    method: 'GET',
    path: '/compatibility-reports/:reportId',
    summary: 'Read a compatibility report',
    class: 'R',
    descriptor: 61,
    params: z.strictObject({ reportId: z.string() }),
    replies: { 200: z.strictObject({ report: CompatibilityReport }) },
  },
});
