import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { pageQuery } from '../kernel/page.ts';
import { Output, StateVersion } from './contract.ts';

const capsulePath = z.strictObject({ capsuleId: z.string() });

export const stateVersionsApi = defineApi({
  listCurrentStateVersions: {
    method: 'GET',
    path: '/workspaces/:workspaceId/current-state-versions',
    summary: 'Current StateVersion of every Capsule of a Workspace',
    class: 'R',
    descriptor: 23,
    params: z.strictObject({ workspaceId: z.string() }),
    query: pageQuery,
    replies: { 200: z.strictObject({ stateVersions: z.array(StateVersion), nextCursor: z.string().optional() }) },
  },
  getOutputs: {
    method: 'GET',
    path: '/capsules/:capsuleId/outputs',
    summary: 'Current Outputs of a Capsule',
    class: 'R',
    descriptor: 31,
    params: capsulePath,
    replies: { 200: z.strictObject({ output: Output.nullable() }) },
    errors: ['failed_precondition'],
  },
  listStateVersions: {
    method: 'GET',
    path: '/capsules/:capsuleId/state-versions',
    summary: 'StateVersions of a Capsule, newest first',
    class: 'R',
    descriptor: 33,
    params: capsulePath,
    query: pageQuery,
    replies: { 200: z.strictObject({ stateVersions: z.array(StateVersion), nextCursor: z.string().optional() }) },
  },
  getStateVersion: {
    method: 'GET',
    path: '/state-versions/:stateVersionId',
    summary: 'Read a StateVersion and its Outputs',
    class: 'R',
    descriptor: 73,
    params: z.strictObject({ stateVersionId: z.string() }),
    replies: { 200: z.strictObject({ stateVersion: StateVersion, output: Output.optional() }) },
  },
});
