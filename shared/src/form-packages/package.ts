import { z } from 'zod';
import { InstallingPrincipal } from '../interfaces/blueprint.ts';
import { SubjectRef } from '../interfaces/contract.ts';
import { BoundedJson, Labels, OutputName, Pointer, specRequestOf } from '../interfaces/requests.ts';
import { InterfaceName, Permissions, tokenOf } from '../interfaces/scalars.ts';
import { withExactlyOne } from '../kernel/alternatives.ts';
import { AnyJson } from '../kernel/any-json.ts';
import { isId } from '../kernel/id.ts';
import { Digest, DisplayName } from '../kernel/scalars.ts';
import { formPackageLimits, manifestLimits } from '../limits.ts';
import { vendor } from '../vendor.ts';
import { FormRef, formOperations } from './contract.ts';

export const formPackageKind = `${vendor}.form-package@v1`;

const isUnique = (values: readonly string[]): boolean => new Set(values).size === values.length;
const listedTwice = 'One of its members is listed twice.';

/** In a package the Resource is not known; it is the one that the Interface is published for. */
const PackageInput = z.discriminatedUnion('source', [
  z.strictObject({ source: z.literal('literal'), value: BoundedJson }),
  z.strictObject({
    source: z.literal('resource_output'),
    outputName: OutputName.optional(),
    pointer: Pointer.optional(),
  }),
]);

const PackageBinding = withExactlyOne(
  z.strictObject({
    key: tokenOf(128),
    permissions: Permissions,
    delivery: z.strictObject({ type: tokenOf(128) }),
    subject: InstallingPrincipal.optional(),
    subjectRef: SubjectRef.optional(),
  }),
  ['subject', 'subjectRef'],
  ['subject'],
);

/** The name of a Resource and a dash stand before it in the name of the Interface. */
const BlueprintName = InterfaceName.max(manifestLimits.publishedNameLength);

/** An Interface that is published for each Resource of the form. */
export const PackageInterface = z.strictObject({
  key: tokenOf(128),
  name: BlueprintName,
  labels: Labels.optional(),
  spec: specRequestOf(PackageInput),
  bindings: z
    .array(PackageBinding)
    .max(manifestLimits.permissions)
    .refine((bindings) => isUnique(bindings.map(({ key }) => key)), 'Two bindings have one key.')
    .optional(),
});
export type PackageInterface = z.infer<typeof PackageInterface>;

/** `*` alone for every Workspace, or the ids of some; empty for none. */
const Spaces = z
  .array(
    z.string().refine((space) => space === '*' || isId('workspace', space), 'It must be * or the id of a Workspace.'),
  )
  .max(formPackageLimits.spaces)
  .refine((spaces) => spaces.length <= 1 || !spaces.includes('*'), 'The star stands alone.')
  .refine(isUnique, listedTwice);

const Description = z
  .string()
  .min(1)
  .max(formPackageLimits.descriptionLength)
  .refine((text) => /\S/.test(text) && !/(?![\t\n\r])\p{Cc}/u.test(text));

/** File of an operator that defines one form. */
export const FormPackage = z.strictObject({
  kind: z.literal(formPackageKind),
  formRef: FormRef,
  packageDigest: Digest,
  displayName: DisplayName.optional(),
  description: Description.optional(),
  /** JSON Schema 2020-12; its own rules are checked by the server. */
  desiredSchema: AnyJson,
  operations: z.array(z.enum(formOperations)).max(formOperations.length).refine(isUnique, listedTwice),
  executable: z.boolean(),
  deprecated: z.boolean(),
  activation: z.strictObject({ spaces: Spaces }),
  interfaces: z
    .array(PackageInterface)
    .max(manifestLimits.interfaces)
    .refine((interfaces) => isUnique(interfaces.map(({ key }) => key)), 'Two Interfaces have one key.')
    .refine((interfaces) => isUnique(interfaces.map(({ name }) => name)), 'Two Interfaces have one name.')
    .optional(),
});
export type FormPackage = z.infer<typeof FormPackage>;

/** Name of a file in `forms/`, which cannot leave that folder. */
export const FormPackageFileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,119}\.json$/);
