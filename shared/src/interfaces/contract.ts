import { z } from 'zod';
import { AnyJson } from '../kernel/any-json.ts';
import { Count, Digest, Timestamp } from '../kernel/scalars.ts';
import { apiVersion } from '../vendor.ts';
import { bindingPhases, interfacePhases } from './machine.ts';
import { materializationErrors } from './reasons.ts';

export const ownerKinds = ['Workspace', 'Capsule', 'Resource'] as const;
export type OwnerKind = (typeof ownerKinds)[number];
export const subjectKinds = ['Principal', 'ServiceAccount', 'Capsule', 'Resource'] as const;
export type SubjectKind = (typeof subjectKinds)[number];

export const OwnerRef = z.strictObject({ kind: z.enum(ownerKinds), id: z.string() });
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
/** Origin of a resolved value. */
export const Provenance = z.discriminatedUnion('source', [
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
export const Condition = z.strictObject({
  type: z.string(),
  status: z.enum(['true', 'false', 'unknown']),
  reason: z.string().optional(),
  message: z.string().optional(),
  observedGeneration: Count.optional(),
  lastTransitionAt: Timestamp.optional(),
});

/** A runtime surface that a Capsule, a Resource or the Workspace declares. */
export const Interface = z.strictObject({
  apiVersion: z.literal(apiVersion),
  kind: z.literal('Interface'),
  id: z.string(),
  workspaceId: z.string(),
  name: z.string(),
  ownerRef: OwnerRef,
  /** For a launcher that a Resource owns: the Capsule whose Output holds its address. */
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
    phase: z.enum(interfacePhases),
    observedGeneration: Count,
    resolvedRevision: Count,
    resolvedInputs: z.record(z.string(), AnyJson).optional(),
    resourceUri: z.string().optional(),
    provenance: z.record(z.string(), Provenance).optional(),
    conditions: z.array(Condition).optional(),
  }),
});
export type Interface = z.infer<typeof Interface>;
export type OwnerRef = z.infer<typeof OwnerRef>;
export type InterfaceSpec = Interface['spec'];
export type InterfaceInput = z.infer<typeof Input>;
export type Provenance = z.infer<typeof Provenance>;
export type Condition = z.infer<typeof Condition>;

export const SubjectRef = z.strictObject({ kind: z.enum(subjectKinds), id: z.string().min(1).max(128) });
export type SubjectRef = z.infer<typeof SubjectRef>;

const Delivery = z.strictObject({
  type: z.string(),
  credentialRef: z.string().optional(),
  options: z.record(z.string(), AnyJson).optional(),
});

/** Origin of a binding that was made after an apply, or after the plan of a Capsule that uses the Interface. */
const BindingOrigin = z.discriminatedUnion('source', [
  z.strictObject({ source: z.literal('capsule_blueprint'), interfaceKey: z.string(), key: z.string() }),
  z.strictObject({
    source: z.literal('capsule_required_interface'),
    capsuleId: z.string(),
    requirementKey: z.string(),
    interfaceType: z.string(),
    interfaceVersion: z.string(),
  }),
]);
export type BindingOrigin = z.infer<typeof BindingOrigin>;

/** Allows an account, a Capsule or a Resource to use an Interface. It never holds a credential. */
export const InterfaceBinding = z.strictObject({
  apiVersion: z.literal(apiVersion),
  kind: z.literal('InterfaceBinding'),
  metadata: z.strictObject({
    id: z.string(),
    workspaceId: z.string(),
    generation: Count,
    materializedFrom: BindingOrigin.optional(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
  spec: z.strictObject({
    interfaceId: z.string(),
    subjectRef: SubjectRef,
    permissions: z.array(z.string()),
    delivery: Delivery,
  }),
  status: z.strictObject({
    phase: z.enum(bindingPhases),
    observedInterfaceRevision: Count,
    conditions: z.array(Condition).optional(),
  }),
});
export type InterfaceBinding = z.infer<typeof InterfaceBinding>;

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
  error: z.strictObject({ code: z.enum(materializationErrors), detailDigest: Digest, recordedAt: Timestamp }),
  deadLetteredAt: Timestamp,
  failureDigest: Digest,
});
export type MaterializationFailure = z.infer<typeof MaterializationFailure>;
