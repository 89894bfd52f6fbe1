import { z } from 'zod';
import { capsulesApi } from '../capsules/api.ts';
import { Capsule } from '../capsules/contract.ts';
import { InstallConfig } from '../install-configs/contract.ts';
import { CreateInstallConfig, InstallConfigPatch } from '../install-configs/patch.ts';
import { CommitCapsule } from '../install-plans/commit-capsule.ts';
import { asOperator, defineApi } from '../kernel/endpoint.ts';
import { id } from '../kernel/id.ts';
import { pageQuery } from '../kernel/page.ts';
import { Timestamp } from '../kernel/scalars.ts';
import { runsApi } from '../runs/api.ts';
import { Run } from '../runs/contract.ts';
import { stateVersionsApi } from '../state-versions/api.ts';
import { workspacesApi } from '../workspaces/api.ts';
import { Project } from '../workspaces/contract.ts';
import { AuditRecord, RequestRun } from './contract.ts';

const base = '/internal/v1';

export const metricsApi = defineApi({
  getMetrics: {
    method: 'GET',
    base: '',
    path: '/metrics',
    summary: 'Figures of this server for Prometheus (operator)',
    class: 'Op',
    streams: ['text/plain'],
    replies: {},
  },
});

/** Routes by which the operator acts in every Workspace; the domain that owns a record has the other routes. */
export const operatorRoutesApi = defineApi({
  createProjectAsOperator: {
    method: 'POST',
    base,
    path: '/projects',
    summary: 'Make a Project (operator)',
    class: 'Op',
    workspaceIn: 'body',
    body: workspacesApi.createProject.body.extend({ workspaceId: id('workspace') }),
    replies: { 201: z.strictObject({ project: Project }) },
    errors: ['invalid_argument', 'failed_precondition'],
  },
  getProjectAsOperator: asOperator(workspacesApi.getProject),

  commitCapsule: {
    method: 'POST',
    base,
    path: '/capsules',
    summary: 'Make a Capsule with its configuration and bindings from a checked module (operator)',
    class: 'Op',
    workspaceIn: 'body',
    body: CommitCapsule,
    replies: { 201: z.strictObject({ capsule: Capsule }) },
    errors: [
      'invalid_argument',
      'failed_precondition',
      'forbidden',
      'connection_not_found',
      'repository_install_ux_invalid',
      'repository_install_ux_stale',
    ],
  },
  listCapsulesAsOperator: {
    method: 'GET',
    base,
    path: '/capsules',
    summary: 'Capsules of a Workspace (operator)',
    class: 'Op',
    workspaceIn: 'query',
    replies: capsulesApi.listCapsules.replies,
    query: capsulesApi.listCapsules.query.extend({ workspaceId: id('workspace') }),
  },
  getCapsuleAsOperator: asOperator(capsulesApi.getCapsule),
  updateCapsuleAsOperator: {
    ...asOperator(capsulesApi.updateCapsule),
    body: capsulesApi.updateCapsule.body.extend({ disabled: z.boolean().optional() }),
    errors: ['invalid_argument', 'failed_precondition', 'conflict'],
  },
  getOutputsAsOperator: asOperator(stateVersionsApi.getOutputs),
  listStateVersionsAsOperator: {
    ...asOperator(stateVersionsApi.listStateVersions),
    path: '/state/:capsuleId/versions',
  },

  requestRun: {
    method: 'POST',
    base,
    path: '/runs',
    summary: 'Queue a plan, a destroy plan, a drift check, or the apply of a plan (operator)',
    class: 'Op',
    body: RequestRun,
    replies: { 200: z.strictObject({ run: Run }), 201: z.strictObject({ run: Run }) },
    errors: ['not_found', 'invalid_argument', 'failed_precondition', 'runner_unavailable', 'conflict'],
  },
  getRunAsOperator: asOperator(runsApi.getRun),
  getRunLogsAsOperator: asOperator(runsApi.getRunLogs),
  approveRunAsOperator: asOperator(runsApi.approveRun),
  cancelRunAsOperator: asOperator(runsApi.cancelRun),

  listAudit: {
    method: 'GET',
    base,
    path: '/audit',
    summary: 'The trail of all Workspaces and accounts, newest first (operator)',
    class: 'Op',
    query: pageQuery.extend({
      workspaceId: z.string().min(1).max(68).optional(),
      action: z.string().min(1).max(128).optional(),
      actorId: z.string().min(1).max(64).optional(),
      from: Timestamp.optional(),
      to: Timestamp.optional(),
    }),
    replies: { 200: z.strictObject({ events: z.array(AuditRecord), nextCursor: z.string().optional() }) },
  },

  patchInstallConfig: {
    method: 'PATCH',
    base,
    path: '/install-configs/:installConfigId',
    summary: 'Replace members of an InstallConfig that nothing uses (operator)',
    class: 'Op',
    params: z.strictObject({ installConfigId: z.string() }),
    body: InstallConfigPatch,
    bodyFailsAs: 'install_config_patch_invalid',
    replies: { 200: z.strictObject({ installConfig: InstallConfig }) },
    errors: ['invalid_argument', 'failed_precondition', 'feature_unavailable', 'conflict'],
  },

  createInstallConfig: {
    method: 'POST',
    base,
    path: '/install-configs',
    summary: 'Create an InstallConfig, shared or of one Workspace (operator)',
    class: 'Op',
    body: CreateInstallConfig,
    replies: { 201: z.strictObject({ installConfig: InstallConfig }) },
    errors: ['not_found', 'invalid_argument', 'failed_precondition', 'feature_unavailable'],
  },
  deleteInstallConfig: {
    method: 'DELETE',
    base,
    path: '/install-configs/:installConfigId',
    summary: 'Delete an InstallConfig that nothing uses (operator)',
    class: 'Op',
    params: z.strictObject({ installConfigId: z.string() }),
    replies: { 204: z.undefined() },
    errors: ['failed_precondition'],
  },
});
