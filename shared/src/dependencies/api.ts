import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { CapsuleGraph, Dependency, DependencyInput, dependencyVisibilities } from './contract.ts';

const capsulePath = z.strictObject({ capsuleId: z.string() });

export const dependenciesApi = defineApi({
  getGraph: {
    method: 'GET',
    path: '/workspaces/:workspaceId/graph',
    summary: 'Capsules of a Workspace and what they use of each other',
    class: 'R',
    descriptor: 12,
    params: z.strictObject({ workspaceId: z.string() }),
    replies: { 200: CapsuleGraph },
  },
  listDependencies: {
    method: 'GET',
    path: '/capsules/:capsuleId/dependencies',
    summary: 'What a Capsule uses of others, and what others use of it',
    class: 'R',
    descriptor: 34,
    params: capsulePath,
    replies: { 200: z.strictObject({ asProducer: z.array(Dependency), asConsumer: z.array(Dependency) }) },
  },
  createDependency: {
    method: 'POST',
    path: '/capsules/:capsuleId/dependencies',
    summary: 'Feed variables of a Capsule from Outputs of another one',
    class: 'W',
    descriptor: 35,
    params: capsulePath,
    body: DependencyInput.extend({ visibility: z.enum(dependencyVisibilities).optional() }),
    replies: { 201: z.strictObject({ dependency: Dependency }) },
    errors: ['not_found', 'invalid_argument', 'failed_precondition', 'already_exists'],
  },
  deleteDependency: {
    method: 'DELETE',
    path: '/dependencies/:dependencyId',
    summary: 'Stop feeding a Capsule from another one',
    class: 'W',
    descriptor: 36,
    params: z.strictObject({ dependencyId: z.string() }),
    replies: { 204: z.undefined() },
  },
});
