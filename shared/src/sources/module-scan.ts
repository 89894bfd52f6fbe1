import { z } from 'zod';
import { AnyJson } from '../kernel/any-json.ts';
import { compatibilityImpacts, type FindingCode, findingRules, findingSeverities } from './finding-rules.ts';

const findingCodes = Object.keys(findingRules) as [FindingCode, ...FindingCode[]];

/** One finding about a module. `path` is relative to the Source path. */
export const Finding = z.strictObject({
  severity: z.enum(findingSeverities),
  compatibilityImpact: z.enum(compatibilityImpacts),
  code: z.enum(findingCodes),
  message: z.string(),
  path: z.string().optional(),
  suggestion: z.string().optional(),
  context: z.record(z.string(), z.string()).optional(),
});
export type Finding = z.infer<typeof Finding>;

/** A provider the whole module graph needs; `source` is canonical, `version` the constraint texts joined by a comma. */
export const ProviderPackage = z.strictObject({ source: z.string(), version: z.string().optional() });
export type ProviderPackage = z.infer<typeof ProviderPackage>;

/** A provider configuration of the root module, named as the module names it. */
export const RootProviderRequirement = z.strictObject({
  source: z.string(),
  moduleLocalName: z.string(),
  childAlias: z.string().optional(),
  version: z.string().optional(),
});
export type RootProviderRequirement = z.infer<typeof RootProviderRequirement>;

const variableTypeClasses = ['string', 'number', 'boolean', 'json', 'unknown'] as const;
export type VariableTypeClass = (typeof variableTypeClasses)[number];

/**
 * A variable of the root module. `default` is present only when JSON can represent it exactly and it is not sensitive.
 */
export const VariableDeclaration = z.strictObject({
  name: z.string(),
  type: z.enum(variableTypeClasses),
  hasDefault: z.boolean(),
  sensitive: z.boolean().optional(),
  typeText: z.string().optional(),
  description: z.string().optional(),
  nullable: z.boolean().optional(),
  default: AnyJson.optional(),
  ephemeral: z.boolean().optional(),
  deprecated: z.string().optional(),
});
export type VariableDeclaration = z.infer<typeof VariableDeclaration>;

/** An output of the root module; null is a mark that only the tool can evaluate. */
export const OutputDeclaration = z.strictObject({
  name: z.string(),
  sensitive: z.boolean().nullable(),
  ephemeral: z.boolean().nullable(),
});
export type OutputDeclaration = z.infer<typeof OutputDeclaration>;

/** Reasons why a snapshot has no list of modules. */
const installModulesReasons = [
  'scan_unavailable',
  'scan_failed',
  'file_limit_exceeded',
  'file_too_large',
  'total_bytes_exceeded',
  'module_limit_exceeded',
  'configuration_invalid',
] as const;
export type InstallModulesReason = (typeof installModulesReasons)[number];

export const InstallModule = z.strictObject({
  path: z.string(),
  providerPackages: z.array(ProviderPackage),
  rootProviderRequirements: z.array(RootProviderRequirement),
});
export type InstallModule = z.infer<typeof InstallModule>;

/** An obstacle of a scan, at a path relative to the Source path. */
export const ScanProblem = z.strictObject({ path: z.string(), code: z.enum(findingCodes), message: z.string() });
export type ScanProblem = z.infer<typeof ScanProblem>;

/**
 * Modules of a snapshot that can be installed, or the reason why there is no such list. Module paths are relative to
 * `scopePath`; `cleanScopes` are relative to the repository and can be used as the path of a Source.
 */
export const InstallModules = z.union([
  z.strictObject({
    status: z.literal('ready'),
    sourceSnapshotId: z.string(),
    scopePath: z.string(),
    modules: z.array(InstallModule),
  }),
  z.strictObject({
    status: z.literal('invalid'),
    sourceSnapshotId: z.string(),
    scopePath: z.string(),
    reason: z.enum(installModulesReasons),
    modules: z.tuple([]),
    findings: z.array(ScanProblem),
    cleanScopes: z.array(z.string()),
  }),
]);
export type InstallModules = z.infer<typeof InstallModules>;
