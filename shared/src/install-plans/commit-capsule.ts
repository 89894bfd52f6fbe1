import { z } from 'zod';
import { SourceBuild } from '../install-configs/source-build.ts';
import { AnyJson } from '../kernel/any-json.ts';
import { id } from '../kernel/id.ts';
import { CapsuleName, Environment, VariableName } from '../kernel/scalars.ts';
import { ProviderBinding } from '../provider-bindings/contract.ts';

/** Creates a Capsule with its authority in one call, from a snapshot that was synced and checked before. */
export const CommitCapsule = z.strictObject({
  workspaceId: id('workspace'),
  projectId: z.string().min(1).max(128).optional(),
  name: CapsuleName,
  environment: Environment,
  sourceId: id('source'),
  sourceSnapshotId: id('snapshot'),
  compatibilityReportId: id('report'),
  installConfigId: z.string().min(1).max(64),
  modulePath: z.string().max(1_024).optional(),
  providerBindings: z.array(ProviderBinding).max(32).optional(),
  variables: z.record(VariableName, AnyJson).optional(),
  sourceBuild: SourceBuild.optional(),
});
export type CommitCapsule = z.infer<typeof CommitCapsule>;
