import { z } from 'zod';
import { SubjectRef } from './contract.ts';

/** JSON that was validated before; it is passed on unchanged. */
const PublicJson = z.unknown();

const BlueprintInput = z.union([
  z.strictObject({ source: z.literal('literal'), value: PublicJson }),
  /** Of the Capsule that the Interface is created for. */
  z.strictObject({ source: z.literal('capsule_output'), outputName: z.string(), pointer: z.string().optional() }),
]);

export const InstallingPrincipal = z.strictObject({ source: z.literal('installing_principal') });

/** An Interface that is created after the Capsule is applied. */
export const InterfaceBlueprint = z.strictObject({
  key: z.string(),
  name: z.string(),
  labels: z.record(z.string(), z.string()).optional(),
  spec: z.strictObject({
    type: z.string(),
    version: z.string(),
    document: PublicJson,
    documentSchema: PublicJson.optional(),
    inputs: z.record(z.string(), BlueprintInput).optional(),
    access: z.strictObject({ visibility: z.literal('workspace'), resourceUriInput: z.string().optional() }),
  }),
  bindings: z
    .array(
      z.strictObject({
        key: z.string(),
        permissions: z.array(z.string()),
        delivery: z.strictObject({ type: z.string() }),
        /** Either the installing account, or a named one. */
        subject: InstallingPrincipal.optional(),
        subjectRef: SubjectRef.optional(),
      }),
    )
    .optional(),
});
export type InterfaceBlueprint = z.infer<typeof InterfaceBlueprint>;
