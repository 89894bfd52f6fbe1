import { isDeepStrictEqual } from 'node:util';
import type { CurrentPublicOutputs } from '#server/domains/state-versions/index';
import type { InterfaceInput, InterfaceSpec, Provenance } from '#shared/interfaces/contract';
import type { InterfaceReason } from '#shared/interfaces/reasons';
import type { Json, JsonObject } from '#shared/kernel/json';
import { findAtPointer } from '#shared/kernel/json-pointer';
import { interfaceLimits } from '#shared/limits';
import { findSecretLike } from '#shared/secret-like';
import type { ReadFormResource } from './form-resource-reader.ts';
import { resourceUriOf } from './resource-uri.ts';

type Values = { inputs: JsonObject; provenance: Record<string, Provenance> };
export type Resolution =
  | (Values & { event: 'resolve'; resourceUri: string | null })
  | { event: 'refuse'; reason: InterfaceReason; message: string }
  | { event: 'lose'; reason: 'ResolverUnavailable'; message: string };

/** Returns the public Outputs of the current state of a Capsule; `unreadable` when they do not belong to it. */
export type FindOutputs = (capsuleId: string) => CurrentPublicOutputs | 'unreadable' | undefined;

/** Readers of the Outputs that inputs select from. */
type OutputReaders = {
  findOutputs: FindOutputs;
  /** Returns a Resource of the Workspace of the Interface. */
  findResource: (resourceId: string) => Pick<ReadFormResource, 'generation' | 'outputs'> | undefined;
};

type Versioned = { spec: InterfaceSpec; generation: number };
type Unresolved = Exclude<Resolution, { event: 'resolve' }>;
type Selected = { value: Json; provenance: Provenance };

/** Reads the inputs of an Interface from literals and current Outputs. */
export function resolveInputs({ spec, generation }: Versioned, readers: OutputReaders): Resolution {
  const inputs: Record<string, Json> = {};
  const provenance: Record<string, Provenance> = {};
  for (const [name, input] of Object.entries(spec.inputs ?? {})) {
    const selected = select(input, generation, readers);
    if ('event' in selected) return { ...selected, message: `Input "${name}": ${selected.message}` };
    if (findSecretLike(selected.value))
      return invalid(`Input "${name}": the value looks like a credential, and an Interface is public.`);
    inputs[name] = selected.value;
    provenance[name] = selected.provenance;
  }
  if (Buffer.byteLength(JSON.stringify(inputs)) > interfaceLimits.resolvedBytes)
    return invalid(`The values of all inputs have more than ${interfaceLimits.resolvedBytes} bytes together.`);
  return withUri(spec, { inputs, provenance });
}

const invalid = (message: string) => ({ event: 'refuse', reason: 'InvalidResolvedInputs', message }) as const;

function withUri({ access }: InterfaceSpec, values: Values): Resolution {
  const { resourceUriInput } = access;
  if (resourceUriInput === undefined) return { event: 'resolve', ...values, resourceUri: null };
  const resourceUri = resourceUriOf(values.inputs[resourceUriInput]);
  if (resourceUri !== undefined) return { event: 'resolve', ...values, resourceUri };
  return {
    event: 'refuse',
    reason: 'InvalidResourceUri',
    message: `Input "${resourceUriInput}": the value is not an absolute HTTP or HTTPS URL without credentials.`,
  };
}

function select(input: InterfaceInput, generation: number, readers: OutputReaders): Selected | Unresolved {
  if (input.source === 'literal')
    return { value: input.value, provenance: { source: 'literal', specGeneration: generation } };
  return input.source === 'resource_output' ? selectOfResource(input, readers) : selectOfCapsule(input, readers);
}

type InputOf<Source> = Extract<InterfaceInput, { source: Source }>;

function selectOfCapsule(
  { capsuleId, outputName, pointer }: InputOf<'capsule_output'>,
  { findOutputs }: OutputReaders,
): Selected | Unresolved {
  const found = findOutputs(capsuleId);
  if (found === 'unreadable')
    return {
      event: 'lose',
      reason: 'ResolverUnavailable',
      message: 'the Outputs do not belong to the current state. Plan and apply the Capsule again.',
    };
  if (!found) return invalid(`the Capsule was not applied yet, so there is no Output "${outputName}".`);
  const whole = memberOf(found.values, outputName);
  if (whole === undefined) return missing(outputName, found.partial);
  const value = pointer === undefined ? whole : findAtPointer(whole, pointer);
  if (value === undefined) return invalid(`the JSON Pointer does not match the Output "${outputName}".`);
  const { runId, stateVersionId, outputId, outputDigest } = found;
  const provenance = { source: 'capsule_output' as const, runId, stateVersionId, outputId, outputDigest, outputName };
  return { value, provenance: { ...provenance, ...(pointer !== undefined && { pointer }) } };
}

/** Without a name the whole Output of the Resource is selected from. */
function selectOfResource(
  { resourceId, outputName, pointer }: InputOf<'resource_output'>,
  { findResource }: OutputReaders,
): Selected | Unresolved {
  const found = findResource(resourceId);
  if (!found) return invalid('the Resource does not exist.');
  const { outputs, generation: resourceGeneration } = found;
  if (!outputs) return invalid('the native object of the Resource is missing. Apply the Resource again.');
  const whole = outputName === undefined ? outputs : memberOf(outputs, outputName);
  if (whole === undefined) return invalid(`the Output of the Resource has no member "${outputName}".`);
  const value = pointer === undefined ? whole : findAtPointer(whole, pointer);
  if (value === undefined) return invalid('the JSON Pointer does not match the Output of the Resource.');
  const selector = { ...(outputName !== undefined && { outputName }), ...(pointer !== undefined && { pointer }) };
  return { value, provenance: { source: 'resource_output', resourceId, resourceGeneration, ...selector } };
}

const memberOf = (values: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

const missing = (outputName: string, partial: boolean): Unresolved =>
  partial
    ? {
        event: 'refuse',
        reason: 'RunFailed',
        message: `the last apply failed before the Output "${outputName}" existed.`,
      }
    : invalid(`the Output "${outputName}" does not exist, is sensitive, or is not public.`);

type Resolved = { resolvedInputs: JsonObject | null; provenance: Record<string, Provenance> | null };

/**
 * Returns the values to store when a resolved Interface is resolved again; undefined when no value differs. The
 * provenance of a value that is equal stays, because its state holds it too.
 */
export function changedValues(before: Resolved, after: Values): Values | undefined {
  const stored = before.resolvedInputs ?? {};
  const known = before.provenance ?? {};
  const names = Object.keys(after.inputs);
  const isSame = (name: string) =>
    Object.hasOwn(stored, name) && isDeepStrictEqual(stored[name], after.inputs[name]) && known[name] !== undefined;
  if (names.length === Object.keys(stored).length && names.every(isSame)) return undefined;
  const provenance = names.map((name) => [name, isSame(name) ? known[name] : after.provenance[name]]);
  return { inputs: after.inputs, provenance: Object.fromEntries(provenance) };
}
