import { z } from 'zod';
import { InstallingPrincipal, InterfaceBlueprint } from '../interfaces/blueprint.ts';
import { SubjectRef } from '../interfaces/contract.ts';
import { InterfaceName, Permission, tokenOf } from '../interfaces/scalars.ts';
import { withExactlyOne } from '../kernel/alternatives.ts';
import { AnyJson } from '../kernel/any-json.ts';
import { id } from '../kernel/id.ts';
import { DisplayName, VariableName } from '../kernel/scalars.ts';
import { manifestLimits as most } from '../limits.ts';
import { RelativePath } from '../sources/git-scalars.ts';
import { PolicyConfig } from '../workspaces/contract.ts';
import {
  InstallContextVariableMapping,
  ManagedPublicHostname,
  OutputAllowlist,
  SourceSelector,
  StoreEntry,
} from './contract.ts';
import { LifecycleActionRequest } from './lifecycle.ts';
import { InstallExperience, VariablePresentation } from './presentation.ts';
import { SourceBuild } from './source-build.ts';

export const installConfigPatchKind = 'svc.install-config-patch@v1';

/** Names that a scan, the tool and a manifest accept. */
const OutputName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,127}$/);
const FeatureId = z
  .string()
  .max(96)
  .regex(/^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/);
const named = <T extends z.ZodType>(item: T, max: number) => z.array(item).max(max);
/** Unpaired surrogates cannot be displayed or digested. */
const textOf = (max: number) =>
  z
    .string()
    .min(1)
    .max(2 * max)
    .refine((text) => [...text].length <= max && /\S/.test(text) && !/(?![\t\n\r])\p{Cc}/u.test(text));
const localizedOf = (max: number) => z.strictObject({ ja: textOf(max), en: textOf(max) });

/**
 * Only variables that a person sets can be presented; variables that the host supplies are compiled from a manifest.
 */
const Presented = VariablePresentation.omit({ source: true, generated: true }).extend({
  name: VariableName,
  format: tokenOf(64).optional(),
  label: localizedOf(most.labelLength),
  helper: localizedOf(most.helperLength).optional(),
  placeholder: textOf(most.placeholderLength).optional(),
});

/** An operator cannot mark a manifest as accepted, so `repositoryInstallUx` is not among these. */
const Experience = z.strictObject({
  projections: InstallExperience.shape.projections.unwrap().max(32).optional(),
  features: named(
    z.strictObject({
      id: FeatureId,
      label: localizedOf(most.labelLength),
      optional: z.boolean(),
      inputs: named(VariableName, most.inputs),
    }),
    most.features,
  ).optional(),
});

const Binding = withExactlyOne(
  z.strictObject({
    key: tokenOf(128),
    permissions: named(Permission, most.permissions).min(1),
    delivery: z.strictObject({ type: tokenOf(128) }),
    subject: InstallingPrincipal.optional(),
    subjectRef: SubjectRef.optional(),
  }),
  ['subject', 'subjectRef'],
  ['subject'],
);

const spec = InterfaceBlueprint.shape.spec;
/** An Interface that a request adds to a configuration. */
export const BlueprintRequest = InterfaceBlueprint.extend({
  key: tokenOf(128),
  name: InterfaceName,
  labels: z.record(tokenOf(128), textOf(most.labelLength)).optional(),
  spec: spec.extend({
    type: tokenOf(256),
    version: tokenOf(256),
    inputs: z.record(InterfaceName, spec.shape.inputs.unwrap().valueType).optional(),
  }),
  bindings: named(Binding, most.permissions).optional(),
});

const replaceable = {
  variableMapping: z.record(VariableName, AnyJson),
  variablePresentation: named(Presented, most.inputs),
  installExperience: Experience,
  outputAllowlist: z.record(OutputName, OutputAllowlist.valueType.extend({ from: OutputName })),
  interfaceBlueprints: named(BlueprintRequest, most.interfaces),
  lifecycleActions: named(LifecycleActionRequest, 20),
  /** null removes the policy: then no action is allowed. */
  lifecycleActionPolicy: PolicyConfig.shape.lifecycleActions.unwrap().nullable(),
};

/** Replaces whole members of an InstallConfig. At least one is required; unknown members are refused. */
export const InstallConfigPatch = z
  .strictObject({ kind: z.literal(installConfigPatchKind), ...z.object(replaceable).partial().shape })
  .refine((patch) => Object.keys(replaceable).some((name) => patch[name as keyof typeof patch] !== undefined))
  .meta({ minProperties: 2 });
export type InstallConfigPatch = z.infer<typeof InstallConfigPatch>;

const { lifecycleActionPolicy: _policy, ...creatable } = replaceable;

/** A configuration that the operator creates before installations; without a Workspace it is shared. */
export const CreateInstallConfig = z.strictObject({
  workspaceId: id('workspace').optional(),
  name: DisplayName,
  sourceSelector: SourceSelector.extend({ url: z.string().min(1).max(2_048), path: RelativePath }).optional(),
  modulePath: RelativePath.optional(),
  sourceBuild: SourceBuild.optional(),
  installContextVariableMapping: z.record(VariableName, InstallContextVariableMapping.valueType).optional(),
  ...z.object(creatable).partial().shape,
  policy: PolicyConfig.optional(),
  managedPublicHostname: ManagedPublicHostname.optional(),
  store: StoreEntry.extend({ title: textOf(120), description: textOf(1_024).optional() }).optional(),
});
export type CreateInstallConfig = z.infer<typeof CreateInstallConfig>;
