import { z } from 'zod';
import { AnyJson } from '../kernel/any-json.ts';
import { Count, Digest, Timestamp } from '../kernel/scalars.ts';
import { vendor } from '../vendor.ts';

const OwnerRef = z.strictObject({ kind: z.enum(['Workspace', 'Capsule', 'Resource']), id: z.string() });
const Input = z.discriminatedUnion('source', [
  z.strictObject({ source: z.literal('literal'), value: AnyJson }),
  z.strictObject({
    source: z.literal('capsule_output'),
    capsuleId: z.string(),
    outputName: z.string(),
    pointer: z.string().optional(),
  }),
  z.strictObject({
    source: z.literal('resource_output'),
    resourceId: z.string(),
    outputName: z.string().optional(),
    pointer: z.string().optional(),
  }),
]);
/** Source of a resolved value. */
const Provenance = z.discriminatedUnion('source', [
  z.strictObject({ source: z.literal('literal'), specGeneration: Count }),
  z.strictObject({
    source: z.literal('capsule_output'),
    runId: z.string().optional(),
    stateVersionId: z.string().optional(),
    outputId: z.string(),
    outputDigest: Digest,
    outputName: z.string(),
    pointer: z.string().optional(),
  }),
  z.strictObject({
    source: z.literal('resource_output'),
    resourceId: z.string(),
    resourceGeneration: Count,
    outputName: z.string().optional(),
    pointer: z.string().optional(),
  }),
]);
const Condition = z.strictObject({
  type: z.string(),
  status: z.enum(['true', 'false', 'unknown']),
  reason: z.string().optional(),
  message: z.string().optional(),
  observedGeneration: Count.optional(),
  lastTransitionAt: Timestamp.optional(),
});

/** A runtime surface that a Capsule, a Resource or the Workspace declares. */
export const Interface = z.strictObject({
  apiVersion: z.literal(`${vendor}.dev/v1alpha1`),
  kind: z.literal('Interface'),
  id: z.string(),
  workspaceId: z.string(),
  name: z.string(),
  ownerRef: OwnerRef,
  /** For a row that a Resource owns: the Capsule it opens from. */
  launcherOwner: z.strictObject({ capsuleId: z.string() }).optional(),
  metadata: z.strictObject({
    id: z.string(),
    workspaceId: z.string(),
    name: z.string(),
    ownerRef: OwnerRef,
    generation: Count,
    labels: z.record(z.string(), z.string()).optional(),
    materializedFrom: z.strictObject({ source: z.literal('capsule_blueprint'), key: z.string() }).optional(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
  spec: z.strictObject({
    type: z.string(),
    version: z.string(),
    document: AnyJson,
    documentSchema: AnyJson.optional(),
    inputs: z.record(z.string(), Input).optional(),
    access: z.strictObject({ visibility: z.literal('workspace'), resourceUriInput: z.string().optional() }),
  }),
  status: z.strictObject({
    phase: z.enum(['Pending', 'Resolved', 'NotReady', 'Unknown', 'Terminating', 'Retired']),
    observedGeneration: Count,
    resolvedRevision: Count,
    resolvedInputs: z.record(z.string(), AnyJson).optional(),
    resourceUri: z.string().optional(),
    provenance: z.record(z.string(), Provenance).optional(),
    conditions: z.array(Condition).optional(),
  }),
});
export type Interface = z.infer<typeof Interface>;

/** A materialization that was abandoned after its last attempt; it names no value. */
export const MaterializationFailure = z.strictObject({
  id: z.string(),
  capsuleId: z.string(),
  stateVersionId: z.string(),
  outputId: z.string(),
  stateGeneration: Count,
  blueprintsDigest: Digest,
  totalItems: Count,
  nextItemIndex: Count,
  attempts: Count,
  error: z.strictObject({ code: z.string(), detailDigest: Digest, recordedAt: Timestamp }),
  deadLetteredAt: Timestamp,
  failureDigest: Digest,
});
export type MaterializationFailure = z.infer<typeof MaterializationFailure>;
