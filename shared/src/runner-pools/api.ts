import { z } from 'zod';
import { asOperator, defineApi } from '../kernel/endpoint.ts';
import { pageQuery } from '../kernel/page.ts';
import {
  AllowedPools,
  NatsConfigurationQuery,
  PoolName,
  PoolNote,
  PoolQueue,
  RunnerEnrolment,
  RunnerMachine,
  RunnerPool,
  WorkspacePool,
} from './contract.ts';

const poolPath = z.strictObject({ poolId: z.string() });
const machinePath = z.strictObject({ machineId: z.string() });
const workspacePath = z.strictObject({ workspaceId: z.string() });
const nextCursor = z.string().optional();
const pool = z.strictObject({ runnerPool: RunnerPool });
const machine = z.strictObject({ runnerMachine: RunnerMachine });
const workspacePools = z.strictObject({ runnerPools: z.array(WorkspacePool) });

/** Pools, machines and enrolments of the installation, for its local owner. */
const installationRoutes = {
  listRunnerPools: {
    method: 'GET',
    path: '/runner-pools',
    summary: 'Pools of runner machines, what waits in them, and whether they can be used here (local owner)',
    class: 'S',
    localOwner: true,
    query: pageQuery,
    replies: {
      200: z.strictObject({
        /** False while no NATS server is configured: then every Run is executed by the server's machine. */
        isConfigured: z.boolean(),
        local: PoolQueue,
        runnerPools: z.array(RunnerPool),
        nextCursor,
      }),
    },
  },
  createRunnerPool: {
    method: 'POST',
    path: '/runner-pools',
    summary: 'Make a pool of runner machines (local owner)',
    class: 'S',
    localOwner: true,
    body: z.strictObject({ name: PoolName, note: PoolNote.optional() }),
    replies: { 201: pool },
    errors: ['failed_precondition'],
  },
  updateRunnerPool: {
    method: 'PATCH',
    path: '/runner-pools/:poolId',
    summary: 'Rename a pool or change its note (local owner)',
    class: 'S',
    localOwner: true,
    params: poolPath,
    body: z.strictObject({ name: PoolName.optional(), note: PoolNote.optional() }),
    replies: { 200: pool },
    errors: ['not_found', 'invalid_argument', 'failed_precondition'],
  },
  removeRunnerPool: {
    method: 'DELETE',
    path: '/runner-pools/:poolId',
    summary: 'Remove a pool that nothing uses; its Runs still name it (local owner)',
    class: 'S',
    localOwner: true,
    params: poolPath,
    replies: { 204: z.undefined() },
    errors: ['not_found', 'failed_precondition'],
  },
  listRunnerMachines: {
    method: 'GET',
    path: '/runner-machines',
    summary: 'Runner machines, oldest first, also revoked ones (local owner)',
    class: 'S',
    localOwner: true,
    query: pageQuery.extend({ poolId: z.string().min(1).max(64).optional() }),
    replies: { 200: z.strictObject({ runnerMachines: z.array(RunnerMachine), nextCursor }) },
  },
  drainRunnerMachine: {
    method: 'POST',
    path: '/runner-machines/:machineId/drain',
    summary: 'Let a runner machine finish its Runs and claim no others (local owner)',
    class: 'S',
    localOwner: true,
    params: machinePath,
    replies: { 200: machine },
    errors: ['not_found', 'conflict'],
  },
  resumeRunnerMachine: {
    method: 'POST',
    path: '/runner-machines/:machineId/resume',
    summary: 'Let a draining runner machine claim Runs again (local owner)',
    class: 'S',
    localOwner: true,
    params: machinePath,
    replies: { 200: machine },
    errors: ['not_found', 'conflict'],
  },
  revokeRunnerMachine: {
    method: 'POST',
    path: '/runner-machines/:machineId/revoke',
    summary: 'End the access of a runner machine for good (local owner)',
    class: 'S',
    localOwner: true,
    params: machinePath,
    replies: { 200: machine },
    errors: ['not_found', 'conflict'],
  },
  listRunnerEnrolments: {
    method: 'GET',
    path: '/runner-pools/:poolId/enrolments',
    summary: 'Enrolments of a pool, oldest first (local owner)',
    class: 'S',
    localOwner: true,
    params: poolPath,
    query: pageQuery,
    replies: { 200: z.strictObject({ runnerEnrolments: z.array(RunnerEnrolment), nextCursor }) },
    errors: ['not_found'],
  },
  createRunnerEnrolment: {
    method: 'POST',
    path: '/runner-pools/:poolId/enrolments',
    summary: 'Make a text that lets one machine join a pool within 15 minutes; it is shown once (local owner)',
    class: 'S',
    localOwner: true,
    idempotency: 'none',
    params: poolPath,
    replies: { 201: z.strictObject({ runnerEnrolment: RunnerEnrolment, text: z.string() }) },
    errors: ['not_found', 'failed_precondition'],
  },
  cancelRunnerEnrolment: {
    method: 'POST',
    path: '/runner-enrolments/:enrolmentId/cancel',
    summary: 'Cancel an enrolment that no machine has used (local owner)',
    class: 'S',
    localOwner: true,
    params: z.strictObject({ enrolmentId: z.string() }),
    replies: { 200: z.strictObject({ runnerEnrolment: RunnerEnrolment }) },
    errors: ['not_found', 'failed_precondition'],
  },
  readNatsConfiguration: {
    method: 'GET',
    path: '/nats-configuration',
    summary:
      'Configuration of a NATS server, or of a member of a cluster, that lets the machines of this installation in; it holds no secret (local owner)',
    class: 'S',
    localOwner: true,
    query: NatsConfigurationQuery,
    replies: { 200: z.strictObject({ configuration: z.string() }) },
    errors: ['failed_precondition', 'invalid_argument'],
  },
  setWorkspaceRunnerPools: {
    method: 'PUT',
    path: '/workspaces/:workspaceId/runner-pools',
    summary: 'Set the pools that a Workspace may use, and its default (local owner)',
    class: 'S',
    localOwner: true,
    params: workspacePath,
    body: AllowedPools,
    replies: { 200: workspacePools },
    errors: ['not_found', 'invalid_argument', 'failed_precondition'],
  },
} as const;

export const runnerPoolsApi = defineApi({
  ...installationRoutes,
  listWorkspaceRunnerPools: {
    method: 'GET',
    path: '/workspaces/:workspaceId/runner-pools',
    summary: 'Pools that the Runs of a Workspace may use, or have used, `local` first',
    class: 'R',
    params: workspacePath,
    replies: { 200: workspacePools },
  },
});

/** The same for the operator. */
export const runnerPoolsOperatorApi = defineApi({
  listRunnerPoolsAsOperator: asOperator(installationRoutes.listRunnerPools),
  createRunnerPoolAsOperator: asOperator(installationRoutes.createRunnerPool),
  updateRunnerPoolAsOperator: asOperator(installationRoutes.updateRunnerPool),
  removeRunnerPoolAsOperator: asOperator(installationRoutes.removeRunnerPool),
  listRunnerMachinesAsOperator: asOperator(installationRoutes.listRunnerMachines),
  drainRunnerMachineAsOperator: asOperator(installationRoutes.drainRunnerMachine),
  resumeRunnerMachineAsOperator: asOperator(installationRoutes.resumeRunnerMachine),
  revokeRunnerMachineAsOperator: asOperator(installationRoutes.revokeRunnerMachine),
  listRunnerEnrolmentsAsOperator: asOperator(installationRoutes.listRunnerEnrolments),
  createRunnerEnrolmentAsOperator: asOperator(installationRoutes.createRunnerEnrolment),
  cancelRunnerEnrolmentAsOperator: asOperator(installationRoutes.cancelRunnerEnrolment),
  readNatsConfigurationAsOperator: asOperator(installationRoutes.readNatsConfiguration),
  setWorkspaceRunnerPoolsAsOperator: asOperator(installationRoutes.setWorkspaceRunnerPools),
  listWorkspaceRunnerPoolsAsOperator: asOperator(runnerPoolsApi.listWorkspaceRunnerPools),
});
