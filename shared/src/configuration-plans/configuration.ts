import { z } from 'zod';
import { dependencyModes } from '../dependencies/contract.ts';
import { VariablePresentation } from '../install-configs/presentation.ts';
import { InterfaceBlueprint } from '../interfaces/blueprint.ts';
import { AnyJson } from '../kernel/any-json.ts';
import { Digest, Timestamp } from '../kernel/scalars.ts';
import { ProviderBinding } from '../provider-bindings/contract.ts';
import { ProviderRequirement } from '../runs/provider-resolution.ts';
import { VariableDeclaration } from '../sources/module-scan.ts';

/** Facts of the installation that the host passes to a module; `operator` is a value that the operator fixed. */
export const hostValueKinds = [
  'workspace_id',
  'capsule_id',
  'capsule_name',
  'workspace_scoped_capsule_name',
  'address',
  'sign_in',
  'operator',
] as const;

/** Request that gave a variable its value. */
export const valueChangeKinds = ['installation', 'configuration_plan', 're_adoption'] as const;

/**
 * Source of the value that the next plan passes to the module. `set` names the account and the time of the change that
 * the value is from; `orEarlier` says that older changes were not searched, and `generated` that the server creates a
 * random value unless a person sets one.
 */
export const ValueOrigin = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('none') }),
  z.strictObject({ kind: z.literal('module_default') }),
  z.strictObject({ kind: z.literal('manifest_default') }),
  z.strictObject({ kind: z.literal('operator_default') }),
  z.strictObject({ kind: z.literal('host'), supplies: z.enum(hostValueKinds) }),
  z.strictObject({
    kind: z.literal('connection_default'),
    connectionId: z.string(),
    connectionName: z.string().optional(),
    recipeId: z.string().optional(),
  }),
  z.strictObject({
    kind: z.literal('dependency'),
    dependencyId: z.string(),
    producerCapsuleId: z.string(),
    /** Absent for a Capsule of another Workspace. */
    producerName: z.string().optional(),
    outputName: z.string(),
    mode: z.enum(dependencyModes),
    required: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal('set'),
    by: z.enum(valueChangeKinds),
    at: Timestamp,
    accountId: z.string().optional(),
    runId: z.string().optional(),
    generated: z.boolean().optional(),
    orEarlier: z.boolean().optional(),
  }),
]);
export type ValueOrigin = z.infer<typeof ValueOrigin>;

/**
 * `hidden` is a value that no reader sees: a secret, a sensitive Output, or a whole state. `unknown` is a default that
 * JSON cannot represent.
 */
export const InputValue = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('shown'), value: AnyJson }),
  z.strictObject({ status: z.literal('hidden') }),
  z.strictObject({ status: z.literal('unknown') }),
  z.strictObject({ status: z.literal('not_set') }),
]);
export type InputValue = z.infer<typeof InputValue>;

/** An input variable of the module that a Capsule runs. */
export const ConfigurationInput = z.strictObject({
  name: z.string(),
  /** Absent when the module does not declare the variable, or was not checked. */
  declaration: VariableDeclaration.optional(),
  presentation: VariablePresentation.optional(),
  required: z.boolean(),
  secret: z.boolean(),
  /** False for a variable that the host or the operator sets. */
  changeable: z.boolean(),
  /** True when the configuration holds a value, also where a Dependency overrides it. */
  configured: z.boolean(),
  value: InputValue,
  origin: ValueOrigin,
});
export type ConfigurationInput = z.infer<typeof ConfigurationInput>;

/** The guard that a change names, and the reason why the server would refuse a change now. */
export const ChangeState = z.strictObject({
  authorityGuard: Digest,
  refusal: z.strictObject({ code: z.string(), message: z.string() }).optional(),
});
export type ChangeState = z.infer<typeof ChangeState>;

/** Inputs of a Capsule with their values and origins, and what a change of them starts from. */
export const CapsuleConfiguration = z.strictObject({
  capsuleId: z.string(),
  installConfigId: z.string(),
  /** The check that declares the inputs; absent when the snapshot of the Capsule was not checked. */
  compatibilityReportId: z.string().optional(),
  inputs: z.array(ConfigurationInput),
  change: ChangeState,
  providerBindings: z.array(ProviderBinding),
  /** Interfaces that the Capsule offers after its next apply. */
  interfaceBlueprints: z.array(InterfaceBlueprint),
  /** Providers of the checked module. */
  providerRequirements: z.array(ProviderRequirement).optional(),
});
export type CapsuleConfiguration = z.infer<typeof CapsuleConfiguration>;
