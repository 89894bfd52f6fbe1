import { z } from 'zod';
import { capsuleStatuses } from '../capsules/contract.ts';
import { connectionStatuses } from '../connections/machine.ts';
import { interfacePhases } from '../interfaces/machine.ts';
import { Timestamp } from '../kernel/scalars.ts';
import { runStatuses, runTypes } from '../runs/contract.ts';
import { sourceStatuses } from '../sources/contract.ts';

/** Kinds of record that are searched, in the order in which equal matches are listed. */
export const searchKinds = [
  'capsule',
  'run',
  'interface',
  'form_resource',
  'source',
  'connection',
  'project',
  'workspace',
] as const;
export type SearchKind = (typeof searchKinds)[number];

const common = { id: z.string(), workspaceId: z.string(), workspaceName: z.string() };

/** A record by the facts that identify it. It never contains a value, an input or a reason. */
export const SearchResult = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('capsule'),
    ...common,
    name: z.string(),
    environment: z.string(),
    status: z.enum(capsuleStatuses),
  }),
  z.strictObject({
    kind: z.literal('run'),
    ...common,
    type: z.enum(runTypes),
    status: z.enum(runStatuses),
    /** Name of its Capsule when the Run was created. */
    capsuleName: z.string().optional(),
    resolvedCommit: z.string().optional(),
    createdAt: Timestamp,
  }),
  z.strictObject({
    kind: z.literal('interface'),
    ...common,
    name: z.string(),
    type: z.string(),
    phase: z.enum(interfacePhases),
  }),
  z.strictObject({
    kind: z.literal('form_resource'),
    ...common,
    name: z.string(),
    /** Kind that its form defines. */
    formKind: z.string(),
    ready: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal('source'),
    ...common,
    name: z.string(),
    url: z.string(),
    status: z.enum(sourceStatuses),
  }),
  z.strictObject({
    kind: z.literal('connection'),
    ...common,
    name: z.string().optional(),
    provider: z.string(),
    status: z.enum(connectionStatuses),
  }),
  z.strictObject({ kind: z.literal('project'), ...common, name: z.string(), slug: z.string() }),
  z.strictObject({ kind: z.literal('workspace'), ...common, handle: z.string() }),
]);
export type SearchResult = z.infer<typeof SearchResult>;
