import { z } from 'zod';
import { FormApiVersion, FormIdentity, FormKind } from '../form-packages/contract.ts';
import { AnyJson } from '../kernel/any-json.ts';
import type { JsonObject } from '../kernel/json.ts';
import { Timestamp } from '../kernel/scalars.ts';

export const ResourceName = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/);
/** Id or handle of a Workspace. */
export const Space = z.string().min(1).max(128);
/** Generation of a Resource, as canonical decimal digits from `1` to 2^63 - 1. */
export const ResourceVersion = z
  .string()
  .regex(/^[1-9][0-9]{0,18}$/, { abort: true })
  .refine((text) => BigInt(text) < 2n ** 63n);
/** Name of the object of a Resource in the host: a ULID, or the name that an import gives. */
export const NativeId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/);

/** Any JSON object, with its exact numbers. */
export const SpecObject = z.record(z.string(), AnyJson) as unknown as z.ZodType<JsonObject>;

const metadata = { name: ResourceName, space: Space };

const FormResourceStatus = z.strictObject({
  observed: z.strictObject({
    id: z.string(),
    /** The native object exists. */
    ready: z.boolean(),
    generation: ResourceVersion,
    imported: z.boolean(),
    portability: z.literal('portable'),
    /** JSON Pointers at which the native object differs from the desired state. */
    driftedFields: z.array(z.string()),
  }),
  output: z.strictObject({ id: z.string() }),
});

/** A Resource as the protocol writes it. `space` is spelled as in the request. */
export const FormResource = z.strictObject({
  apiVersion: FormApiVersion,
  kind: FormKind,
  form: FormIdentity,
  metadata: z.strictObject({ ...metadata, resourceVersion: ResourceVersion }),
  spec: SpecObject,
  /** Absent in a preview. */
  status: FormResourceStatus.optional(),
});
export type FormResource = z.infer<typeof FormResource>;

export const DesiredMetadata = z.strictObject({ ...metadata, resourceVersion: ResourceVersion.optional() });

const resourceEventActions = [
  'resource.apply.succeeded',
  'resource.import.succeeded',
  'resource.observe.succeeded',
  'resource.refresh.succeeded',
  'resource.delete.succeeded',
] as const;

export const FormResourceEvent = z.strictObject({
  id: z.string(),
  action: z.enum(resourceEventActions),
  resourceVersion: ResourceVersion,
  /** Absent for the system. */
  actorId: z.string().optional(),
  createdAt: Timestamp,
});
export type FormResourceEvent = z.infer<typeof FormResourceEvent>;

/** States of a native object as last compared: equal to the desired state, different from it, or gone. */
export const formResourceStatuses = ['ready', 'drifted', 'missing'] as const;
export type FormResourceStatusName = (typeof formResourceStatuses)[number];

/** A Resource as the dashboard shows it. */
export const FormResourceRecord = z.strictObject({
  id: z.string(),
  workspaceId: z.string(),
  kind: z.string(),
  name: z.string(),
  form: FormIdentity,
  /** Name of the form in its package, where it is installed and has one. */
  formDisplayName: z.string().optional(),
  formInstalled: z.boolean(),
  resourceVersion: ResourceVersion,
  ready: z.boolean(),
  imported: z.boolean(),
  driftedFields: z.array(z.string()),
  /** Time at which the native object was last compared. */
  observedAt: Timestamp.optional(),
  createdBy: z.string(),
  createdAt: Timestamp,
  /** Account that applied or imported the current version; absent where it is not known. */
  updatedBy: z.string().optional(),
  updatedAt: Timestamp,
});
export type FormResourceRecord = z.infer<typeof FormResourceRecord>;

export const FormResourceDetail = z.strictObject({ ...FormResourceRecord.shape, spec: SpecObject });
export type FormResourceDetail = z.infer<typeof FormResourceDetail>;
