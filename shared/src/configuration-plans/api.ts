import { z } from 'zod';
import { Capsule } from '../capsules/contract.ts';
import { BlueprintRequest } from '../install-configs/patch.ts';
import { AnyJson } from '../kernel/any-json.ts';
import { type BodyOf, defineApi } from '../kernel/endpoint.ts';
import { boundedJson, findOutOfBounds, type Json, type JsonObject } from '../kernel/json.ts';
import { Digest, VariableName } from '../kernel/scalars.ts';
import { limits } from '../limits.ts';
import { ProviderBinding } from '../provider-bindings/contract.ts';
import { CapsuleConfiguration } from './configuration.ts';

const maxNames = 256;
const maxBindings = 64;

type Patch = { set: JsonObject; remove: readonly string[] };

/** Returns the JSON Pointer tokens of the first problem of a patch as a whole, or undefined. */
function findPatchFault({ set, remove }: Patch): string[] | undefined {
  const repeated = remove.findIndex((name, index) => Object.hasOwn(set, name) || remove.indexOf(name) < index);
  if (repeated >= 0) return ['remove', String(repeated)];
  const names = Object.keys(set).length + remove.length;
  const bytes = new TextEncoder().encode(JSON.stringify({ set, remove })).length;
  if (names > maxNames || bytes > limits.variablesBytes) return [];
  const large = findOutOfBounds(set, boundedJson);
  return large === undefined ? undefined : ['set', ...large.split('/').slice(1)];
}

/**
 * Changes of variables: names that get a value, and names that fall back to the module's default. No name is in both.
 */
export const VariablePatch = z
  .strictObject({ set: z.record(VariableName, AnyJson), remove: z.array(VariableName) })
  .superRefine((patch, context) => {
    const path = findPatchFault(patch as Patch);
    if (path) context.addIssue({ code: 'custom', path, message: 'The patch repeats a name or is too large.' });
  });
export type VariablePatch = { set: { [name: string]: Json }; remove: string[] };

const PlanConfiguration = z.strictObject({
  variablePatch: VariablePatch,
  providerBindings: z.array(ProviderBinding).max(maxBindings),
  /** Replaces those of the Capsule. */
  interfaceBlueprints: z.array(BlueprintRequest).max(maxBindings),
  expected: z.strictObject({ authorityGuard: Digest }),
});

/** The Capsule with its new configuration, and the plan to review. */
export const ConfigurationPlanAnswer = z.strictObject({
  capsule: Capsule,
  configurationPlan: z.strictObject({
    replayed: z.boolean(),
    previousInstallConfigId: z.string(),
    targetInstallConfigId: z.string(),
    sourceSnapshotId: z.string(),
    planRunId: z.string(),
  }),
  links: z.strictObject({ run: z.string() }),
});
export type ConfigurationPlanAnswer = z.infer<typeof ConfigurationPlanAnswer>;

export const configurationPlansApi = defineApi({
  getConfiguration: {
    method: 'GET',
    path: '/capsules/:capsuleId/configuration',
    summary: 'Inputs of a Capsule with their values and origins; secret values are left out',
    class: 'R',
    params: z.strictObject({ capsuleId: z.string() }),
    replies: { 200: z.strictObject({ configuration: CapsuleConfiguration }) },
    errors: ['failed_precondition'],
  },
  planConfiguration: {
    method: 'POST',
    path: '/capsules/:capsuleId/configuration-plans',
    summary: 'Change the variables and provider bindings of a Capsule; it stops at a reviewable plan Run',
    class: 'W',
    descriptor: 39,
    idempotency: 'required',
    params: z.strictObject({ capsuleId: z.string() }),
    body: PlanConfiguration,
    maxBodyBytes: limits.configurationRequestBytes,
    replies: { 200: ConfigurationPlanAnswer, 201: ConfigurationPlanAnswer },
    errors: ['not_found', 'invalid_argument', 'failed_precondition', 'runner_unavailable'],
  },
});

export type PlanConfiguration = BodyOf<typeof configurationPlansApi.planConfiguration>;
