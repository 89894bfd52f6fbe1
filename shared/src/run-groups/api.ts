import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { pageQuery } from '../kernel/page.ts';
import { Digest, Reason } from '../kernel/scalars.ts';
import { limits } from '../limits.ts';
import { RunRow, runStatuses } from '../runs/contract.ts';
import { RunGroup, runGroupTypes } from './contract.ts';

const workspacePath = z.strictObject({ workspaceId: z.string() });
const groupPath = z.strictObject({ runGroupId: z.string() });
const GroupAnswer = z.strictObject({ runGroup: RunGroup, runs: z.array(RunRow) });

const maxNamedRuns = 5_000;

/** Digest of each reviewed plan, by the id of its Run. */
const PlanDigests = z
  .record(z.string(), Digest)
  .refine((digests) => Object.keys(digests).length > 0, 'Name at least one plan.')
  .meta({ minProperties: 1 });

/** Plans to approve: all of them or, when one is refused, none. */
const RunIds = z.array(z.string()).min(1).max(maxNamedRuns);

export const runGroupsApi = defineApi({
  listRunGroups: {
    method: 'GET',
    path: '/workspaces/:workspaceId/run-groups',
    summary: 'RunGroups of a Workspace, newest first',
    class: 'R',
    params: workspacePath,
    query: pageQuery.extend({ type: z.enum(runGroupTypes).optional(), status: z.enum(runStatuses).optional() }),
    replies: { 200: z.strictObject({ runGroups: z.array(RunGroup), nextCursor: z.string().optional() }) },
  },
  planUpdate: {
    method: 'POST',
    path: '/workspaces/:workspaceId/plan-update',
    summary: 'Plan every Capsule that is behind, and those that use it, producers first',
    class: 'propose',
    descriptor: 20,
    params: workspacePath,
    replies: { 201: GroupAnswer },
    errors: ['failed_precondition', 'runner_unavailable'],
  },
  checkWorkspaceDrift: {
    method: 'POST',
    path: '/workspaces/:workspaceId/drift-check',
    summary: 'Compare the applied Capsules of a Workspace with what exists',
    class: 'propose',
    descriptor: 21,
    params: workspacePath,
    body: z.strictObject({ limit: z.int().min(1).max(limits.pageMax).optional() }),
    replies: { 201: GroupAnswer },
    errors: ['failed_precondition', 'runner_unavailable'],
  },
  getRunGroup: {
    method: 'GET',
    path: '/run-groups/:runGroupId',
    summary: 'Read a RunGroup and its Runs',
    class: 'R',
    descriptor: 71,
    params: groupPath,
    replies: { 200: GroupAnswer },
  },
  approveRunGroup: {
    method: 'POST',
    path: '/run-groups/:runGroupId/approve',
    summary: 'Approve the plans of a RunGroup that wait for a person, or the named ones',
    class: 'W',
    descriptor: 72,
    params: groupPath,
    body: z.strictObject({ reason: Reason.optional(), runIds: RunIds.optional() }),
    replies: { 200: GroupAnswer },
    errors: ['failed_precondition', 'invalid_argument'],
  },
  applyRunGroup: {
    method: 'POST',
    path: '/run-groups/:runGroupId/apply',
    summary: 'Apply reviewed plans of a RunGroup, producers first; a failed apply cancels those that have not started',
    class: 'W',
    params: groupPath,
    body: z.strictObject({ planDigests: PlanDigests }),
    replies: { 201: GroupAnswer },
    errors: ['failed_precondition', 'invalid_argument', 'runner_unavailable', 'conflict'],
  },
  retryRunGroup: {
    method: 'POST',
    path: '/run-groups/:runGroupId/retry',
    summary: 'Plan the members of a RunGroup again that failed or were cancelled, and those that use them',
    class: 'propose',
    params: groupPath,
    replies: { 201: GroupAnswer },
    errors: ['failed_precondition', 'runner_unavailable'],
  },
});
