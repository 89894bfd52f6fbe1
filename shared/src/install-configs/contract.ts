import { z } from 'zod';
import { InterfaceBlueprint } from '../interfaces/blueprint.ts';
import { AnyJson } from '../kernel/any-json.ts';
import { isContainer, type Json } from '../kernel/json.ts';
import { Timestamp } from '../kernel/scalars.ts';
import { OutputType } from '../state-versions/contract.ts';
import { PolicyConfig } from '../workspaces/contract.ts';
import { LifecycleActions } from './lifecycle.ts';
import { InstallExperience, VariablePresentation } from './presentation.ts';
import { SourceBuild } from './source-build.ts';

/** Replaces a secret value in a public projection; submitting it as a value is refused. */
export const redactedSentinel = '[REDACTED]';

/** Reports whether a value is that text or contains it. */
export const holdsSentinel = (value: Json): boolean =>
  value === redactedSentinel ||
  (isContainer(value) && Object.values(value).some((child) => holdsSentinel(child as Json)));

/** The built-in configuration of a plain module. */
export const genericInstallConfigId = 'cfg-default-opentofu-capsule';

/** Public Outputs by name: the root Output that each is read from, and its required type. */
export const OutputAllowlist = z.record(
  z.string(),
  z.strictObject({
    from: z.string(),
    type: OutputType,
    required: z.boolean().optional(),
    sensitive: z.boolean().optional(),
  }),
);
export type OutputAllowlist = z.infer<typeof OutputAllowlist>;

/** The exact Git URL and Source path that a configuration is the base of. */
export const SourceSelector = z.strictObject({ url: z.string(), path: z.string() });

/** Variables that receive an id of the installation. */
export const InstallContextVariableMapping = z.record(z.string(), z.enum(['workspace_id', 'capsule_id']));

/** Settings by which a service gets its public hostname. */
export const ManagedPublicHostname = z.strictObject({ mode: z.enum(['scoped', 'vanity']) });

/** Display text of a configuration that a store offers. */
export const StoreEntry = z.strictObject({ title: z.string(), description: z.string().optional() });

export const InstallConfig = z.strictObject({
  id: z.string(),
  workspaceId: z.string().optional(),
  name: z.string(),
  modulePath: z.string().optional(),
  sourceSelector: SourceSelector.optional(),
  sourceBuild: SourceBuild.optional(),
  variableMapping: z.record(z.string(), AnyJson),
  installContextVariableMapping: InstallContextVariableMapping.optional(),
  variablePresentation: z.array(VariablePresentation).optional(),
  installExperience: InstallExperience.optional(),
  policy: PolicyConfig,
  outputAllowlist: OutputAllowlist,
  managedPublicHostname: ManagedPublicHostname.optional(),
  store: StoreEntry.optional(),
  interfaceBlueprints: z.array(InterfaceBlueprint).optional(),
  lifecycleActions: LifecycleActions.optional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type InstallConfig = z.infer<typeof InstallConfig>;
