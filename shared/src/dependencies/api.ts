import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { id } from '../kernel/id.ts';
import { linkLimits } from '../limits.ts';
import { CapsuleGraph, Dependency, dependencyModes, dependencyVisibilities, MappedOutput } from './contract.ts';

const capsulePath = z.strictObject({ capsuleId: z.string() });

/** A variable has one value, so two Outputs may not map to the same variable. */
const Mapping = z
  .record(z.string().min(1).max(128), MappedOutput.extend({ required: z.boolean().default(true) }))
  .refine((outputs) => Object.keys(outputs).length <= linkLimits.outputs)
  .refine((outputs) => {
    const targets = Object.values(outputs).map(({ to }) => to);
    return new Set(targets).size === targets.length;
  }, 'Two Outputs go into the same variable.');

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
    body: z.strictObject({
      producerCapsuleId: id('capsule'),
      mode: z.enum(dependencyModes).optional(),
      outputs: Mapping,
      visibility: z.enum(dependencyVisibilities).optional(),
    }),
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
