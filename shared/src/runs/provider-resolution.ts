import { z } from 'zod';

const requirementOrigins = ['required_providers', 'provider_block', 'generated_root'] as const;
export const requirementPhases = ['init', 'plan', 'apply', 'destroy', 'drift_check'] as const;

/**
 * A provider configuration that the root module needs, by the tuple that a binding must equal: `providerSource`,
 * `providerName` (the local name in the module) and `alias`. `modulePath` is relative to the Source path.
 */
export const ProviderRequirement = z.strictObject({
  providerSource: z.string(),
  providerName: z.string(),
  alias: z.string().optional(),
  versionConstraint: z.string().optional(),
  modulePath: z.string(),
  discoveredFrom: z.enum(requirementOrigins),
  requiredForPhases: z.array(z.enum(requirementPhases)),
});
export type ProviderRequirement = z.infer<typeof ProviderRequirement>;

const resolutionStatuses = ['resolved_provider_connection', 'blocked_missing_connection', 'blocked_policy'] as const;

/** Reasons why no Connection is used for a requirement: there is none, or the bound one cannot be used. */
const missingReasons = [
  'connection_required',
  'connection_missing',
  'connection_foreign',
  'connection_revoked',
  'connection_expired',
  'connection_error',
  'connection_git',
  'connection_registry',
  'connection_storage',
  'connection_managed',
  'connection_material',
] as const;
export type MissingReason = (typeof missingReasons)[number];

/** Reasons why a Connection that fits a requirement cannot be combined with the others of the Run. */
export const policyReasons = [
  'credential_env_conflict',
  'module_input_conflict',
  'connection_not_allowed',
  'connection_not_temporary',
  'connection_ttl_not_enforced',
] as const;
export type PolicyReason = (typeof policyReasons)[number];

const providerBlockReasons = [...missingReasons, ...policyReasons] as const;
export type ProviderBlockReason = (typeof providerBlockReasons)[number];

/**
 * Connection for a requirement, or the reason why there is none; names, never values. A provider that needs no
 * Connection and has none has no resolution.
 */
export const ProviderResolution = z.strictObject({
  requirement: ProviderRequirement,
  status: z.enum(resolutionStatuses),
  connectionId: z.string().optional(),
  blockedReason: z.enum(providerBlockReasons).optional(),
  evidence: z.union([
    z.strictObject({
      kind: z.literal('provider_connection'),
      provider: z.string(),
      connectionId: z.string(),
      requiredEnvNames: z.array(z.string()),
    }),
    z.strictObject({ kind: z.literal('blocked'), provider: z.string(), reason: z.enum(providerBlockReasons) }),
  ]),
});
export type ProviderResolution = z.infer<typeof ProviderResolution>;
