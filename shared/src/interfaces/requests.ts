import { z } from 'zod';
import { AnyJson } from '../kernel/any-json.ts';
import { boundedJson, findOutOfBounds, type Json } from '../kernel/json.ts';
import { isJsonPointer } from '../kernel/json-pointer.ts';
import { interfaceLimits, manifestLimits } from '../limits.ts';
import { ownerKinds, SubjectRef } from './contract.ts';
import { InterfaceName, Permissions, tokenOf } from './scalars.ts';

/** JSON of bounded depth and size; whether it may be public is decided by the server. */
export const BoundedJson = AnyJson.refine((value) => findOutOfBounds(value as Json, boundedJson) === undefined, {
  message: `It is nested deeper than ${boundedJson.depth} levels, or too large.`,
}) as unknown as typeof AnyJson;

const RecordId = z.string().min(1).max(128);
export const Pointer = z
  .string()
  .max(interfaceLimits.pointerLength)
  .refine(isJsonPointer, 'It is not a valid JSON Pointer.');
export const OutputName = z.string().min(1).max(128);

export const InputRequest = z.discriminatedUnion('source', [
  z.strictObject({ source: z.literal('literal'), value: BoundedJson }),
  z.strictObject({
    source: z.literal('capsule_output'),
    capsuleId: RecordId,
    outputName: OutputName,
    pointer: Pointer.optional(),
  }),
  z.strictObject({
    source: z.literal('resource_output'),
    resourceId: RecordId,
    outputName: OutputName.optional(),
    pointer: Pointer.optional(),
  }),
]);

/** Spec of an Interface whose inputs have one of these shapes. */
export const specRequestOf = <I extends z.ZodType>(Input: I) =>
  z
    .strictObject({
      type: tokenOf(256),
      version: tokenOf(256),
      document: BoundedJson,
      documentSchema: BoundedJson.optional(),
      inputs: z
        .record(InterfaceName, Input)
        .refine((inputs) => Object.keys(inputs).length <= manifestLimits.interfaceInputs)
        .optional(),
      access: z.strictObject({
        visibility: z.literal('workspace'),
        resourceUriInput: InterfaceName.optional(),
      }),
    })
    .refine(
      ({ inputs = {}, access }) =>
        access.resourceUriInput === undefined || Object.hasOwn(inputs, access.resourceUriInput),
      { path: ['access', 'resourceUriInput'], message: 'It must name an input of this spec.' },
    );

export const SpecRequest = specRequestOf(InputRequest);
export type SpecRequest = z.infer<typeof SpecRequest>;

/** Characters of a label: no control characters. */
const LabelText = z
  .string()
  .min(1)
  .max(256)
  .refine((text) => !/\p{Cc}/u.test(text));
export const Labels = z
  .record(tokenOf(128), LabelText)
  .refine((labels) => Object.keys(labels).length <= interfaceLimits.labels);

export const OwnerRequest = z.strictObject({ kind: z.enum(ownerKinds), id: RecordId });

export const ConditionRequest = z.strictObject({
  type: z
    .string()
    .regex(/^[A-Z][A-Za-z0-9]{0,63}$/)
    .refine((type) => type !== 'Resolved' && type !== 'Ready', 'The server keeps this condition.'),
  status: z.enum(['true', 'false', 'unknown']),
  reason: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,127}$/)
    .optional(),
  message: z
    .string()
    .min(1)
    .max(1_024)
    .refine((text) => !/(?!\n)\p{Cc}/u.test(text))
    .optional(),
});

const hasUniqueTypes = (conditions: readonly { type: string }[]): boolean =>
  new Set(conditions.map(({ type }) => type)).size === conditions.length;
export const Conditions = z
  .array(ConditionRequest)
  .min(1)
  .max(interfaceLimits.conditions)
  .refine(hasUniqueTypes, 'A type is listed twice.');

export const BindingRequest = z.strictObject({
  subjectRef: SubjectRef,
  permissions: Permissions,
  delivery: z.strictObject({
    type: tokenOf(128),
    credentialRef: z.string().min(1).max(256).optional(),
    options: z
      .record(z.string().min(1).max(128), AnyJson)
      .refine((options) => findOutOfBounds(options as Json, boundedJson) === undefined)
      .optional(),
  }),
});
