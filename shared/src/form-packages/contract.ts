import { z } from 'zod';
import { Digest } from '../kernel/scalars.ts';

export const FormKind = z.string().regex(/^[A-Z][A-Za-z0-9]{0,63}$/);
export const FormApiVersion = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9./_-]{0,127}$/);
const DefinitionVersion = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}$/);

/** Names one version of the definition of a form. */
export const FormRef = z.strictObject({
  apiVersion: FormApiVersion,
  kind: FormKind,
  definitionVersion: DefinitionVersion,
  /** Digest of the JSON Schema of the desired state. */
  schemaDigest: Digest,
});
export type FormRef = z.infer<typeof FormRef>;

/** The exact reference of a form: every member is compared, and none is ever completed. */
export const FormIdentity = z.strictObject({ formRef: FormRef, packageDigest: Digest });
export type FormIdentity = z.infer<typeof FormIdentity>;

/** The exact reference in a query. */
export const identityQuery = { ...FormRef.shape, packageDigest: Digest };

/** Operations that a form can support. */
export const formOperations = ['preview', 'apply', 'import', 'read', 'observe', 'refresh', 'delete'] as const;
export type FormOperation = (typeof formOperations)[number];

/** State of a form for a principal in a space, with reasons. */
export const FormAvailability = z.strictObject({
  identity: FormIdentity,
  /** The host has a definition of this reference, installed or not. */
  definitionKnown: z.boolean(),
  installed: z.boolean(),
  executable: z.boolean(),
  executableReason: z.string().optional(),
  activated: z.boolean(),
  availableToPrincipal: z.boolean(),
  availabilityReason: z.string().optional(),
  operations: z.array(z.enum(formOperations)),
  deprecated: z.boolean(),
});
export type FormAvailability = z.infer<typeof FormAvailability>;

/** A file of `forms/`, or an exact reference that was installed before, as the operator sees it. */
export const FormPackageRecord = z.strictObject({
  /** Name of the file; absent for a reference without one. */
  file: z.string().optional(),
  /** Reference that the file claims; absent when it names none. */
  formRef: FormRef.optional(),
  packageDigest: Digest.optional(),
  installed: z.boolean(),
  /** Reason for which it is not installed. */
  reason: z.string().optional(),
  displayName: z.string().optional(),
  operations: z.array(z.string()).optional(),
  executable: z.boolean().optional(),
  deprecated: z.boolean().optional(),
  activation: z.strictObject({ spaces: z.array(z.string()) }).optional(),
});
export type FormPackageRecord = z.infer<typeof FormPackageRecord>;
