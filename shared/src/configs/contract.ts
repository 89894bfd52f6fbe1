import { z } from 'zod';
import { Timestamp } from '../kernel/scalars.ts';
import { PolicyConfig } from '../workspaces/contract.ts';
import { SourceBuild } from './source-build.ts';

/** Stands in a public projection in place of a secret value; submitting it as a value is refused. */
export const redactedSentinel = '[REDACTED]';
/** The built-in configuration of a plain module. */
export const genericInstallConfigId = 'cfg-default-opentofu-capsule';

export const InstallConfig = z.strictObject({
  id: z.string(),
  workspaceId: z.string().optional(),
  name: z.string(),
  modulePath: z.string().optional(),
  sourceSelector: z.strictObject({ url: z.string(), path: z.string() }).optional(),
  sourceBuild: SourceBuild.optional(),
  variableMapping: z.record(z.string(), z.json()),
  policy: PolicyConfig,
  outputAllowlist: z.record(z.string(), z.json()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type InstallConfig = z.infer<typeof InstallConfig>;
