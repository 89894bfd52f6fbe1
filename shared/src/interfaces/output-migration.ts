import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { Digest } from '../kernel/scalars.ts';
import { Interface } from './contract.ts';
import { BoundedJson, OutputName, Pointer } from './requests.ts';
import { InterfaceName, tokenOf } from './scalars.ts';

/** A Capsule with Outputs that were opened by their name alone, as it is now. It has no value of an Output. */
export const OutputInterfaceCandidate = z.strictObject({
  capsuleId: z.string(),
  capsuleUpdatedAt: z.string(),
  installConfigId: z.string(),
  installConfigUpdatedAt: z.string(),
  outputId: z.string(),
  outputDigest: Digest,
  outputNamesDigest: Digest,
  legacyConventionNames: z.array(z.string()),
  availableOutputNames: z.array(z.string()),
  mode: z.enum(['service_blueprints', 'owner_selection_required']),
  interfaceBlueprintsDigest: Digest.optional(),
});
export type OutputInterfaceCandidate = z.infer<typeof OutputInterfaceCandidate>;

/** The Interface that takes the place of one of the Outputs. */
const MigrationSelection = z
  .strictObject({
    name: InterfaceName,
    type: tokenOf(256),
    version: tokenOf(256),
    document: BoundedJson,
    inputName: InterfaceName,
    outputName: OutputName,
    pointer: Pointer.optional(),
    access: z.strictObject({ visibility: z.literal('workspace'), resourceUriInput: InterfaceName.optional() }),
  })
  .refine(({ inputName, access }) => access.resourceUriInput === undefined || access.resourceUriInput === inputName, {
    path: ['access', 'resourceUriInput'],
  });
export type MigrationSelection = z.infer<typeof MigrationSelection>;

const base = '/internal/v1';
const path = '/workspaces/:workspaceId/migrations/output-interfaces';
const workspacePath = z.strictObject({ workspaceId: z.string() });

export const outputMigrationApi = defineApi({
  listOutputInterfaceMigrations: {
    method: 'GET',
    base,
    path,
    summary: 'Output conventions of old that are to become Interfaces (operator)',
    class: 'Op',
    params: workspacePath,
    replies: { 200: z.strictObject({ candidates: z.array(OutputInterfaceCandidate) }) },
  },
  migrateOutputInterface: {
    method: 'POST',
    base,
    path,
    summary: 'Turn one Output convention of old into an Interface (operator)',
    class: 'Op',
    params: workspacePath,
    body: z.strictObject({ candidate: OutputInterfaceCandidate, selection: MigrationSelection.optional() }),
    replies: { 200: z.strictObject({ interface: Interface }) },
    errors: ['not_found', 'invalid_argument', 'failed_precondition', 'already_exists'],
  },
});
