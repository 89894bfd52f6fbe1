import { z } from 'zod';
import { Count, Timestamp } from '../kernel/scalars.ts';
import { ProviderRequirement, ProviderResolution } from '../runs/provider-resolution.ts';
import {
  Finding,
  OutputDeclaration,
  ProviderPackage,
  RootProviderRequirement,
  VariableDeclaration,
} from './module-scan.ts';

export const compatibilityLevels = ['ready', 'needs_patch', 'unsupported'] as const;
export type CompatibilityLevel = (typeof compatibilityLevels)[number];

const usedType = z.strictObject({ type: z.string(), count: Count.optional(), allowed: z.boolean() });

/** Requirements and declarations of one module of one snapshot, found without running any tool. */
export const CompatibilityReport = z.strictObject({
  id: z.string(),
  sourceId: z.string(),
  sourceSnapshotId: z.string(),
  capsuleId: z.string().optional(),
  modulePath: z.string(),
  level: z.enum(compatibilityLevels),
  findings: z.array(Finding),
  providerPackages: z.array(ProviderPackage),
  rootProviderRequirements: z.array(RootProviderRequirement),
  resources: z.array(usedType),
  dataSources: z.array(usedType),
  provisioners: z.array(usedType),
  rootModuleVariables: z.array(z.string()).optional(),
  rootModuleVariableDeclarations: z.array(VariableDeclaration).optional(),
  rootModuleOutputs: z.array(OutputDeclaration).optional(),
  providerRequirements: z.array(ProviderRequirement).optional(),
  /** Providers that need a Connection, before any is bound. */
  providerResolutions: z.array(ProviderResolution).optional(),
  createdAt: Timestamp,
});
export type CompatibilityReport = z.infer<typeof CompatibilityReport>;
