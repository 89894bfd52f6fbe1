import { z } from 'zod';
import { SourceBuild } from '../install-configs/source-build.ts';
import { requiredInterfaceFaults } from '../interfaces/required.ts';
import { id } from '../kernel/id.ts';
import { CapsuleName, Count, Digest, DisplayName, Environment, Timestamp } from '../kernel/scalars.ts';
import { manifestCodes } from '../manifest/contract.ts';
import { ProviderBinding } from '../provider-bindings/contract.ts';

export const installPhases = [
  'syncing_source',
  'compiling_install',
  'analyzing_compatibility',
  'creating_capsule',
  'planning',
  'reviewable',
  'failed',
] as const;
export type InstallPhase = (typeof installPhases)[number];

export const installDiagnosticCodes = [
  'source_sync_failed',
  'source_sync_scope_mismatch',
  'source_snapshot_missing',
  'source_snapshot_not_found',
  'source_snapshot_scope_mismatch',
  'source_identity_changed',
  'install_preflight_config_identity_changed',
  'compatibility_evidence_identity_conflict',
  'compatibility_evidence_incomplete',
  'compatibility_not_ready',
  'generic_opentofu_compatibility_analysis_failed',
  'generic_opentofu_variable_declarations_missing',
  'install_variable_invalid',
  'install_variable_required',
  'provider_binding_mismatch',
  'repository_install_module_selection_required',
  'repository_install_module_not_found',
  'capsule_identity_ambiguous',
  'capsule_identity_changed',
  'install_compilation_identity_changed',
  'oidc_authority_unavailable',
  ...requiredInterfaceFaults,
  ...manifestCodes,
  'plan_run_failed',
  'plan_run_identity_conflict',
  'install_plan_reconcile_retryable',
  'install_plan_cancelled',
  'install_plan_expired',
  'install_plan_failed',
] as const;
export type InstallDiagnosticCode = (typeof installDiagnosticCodes)[number];

export const InstallDiagnostic = z.strictObject({
  code: z.enum(installDiagnosticCodes),
  message: z.string().max(256),
  planCreationStage: z.enum(['source', 'preparation', 'create']).optional(),
  controllerCode: z.string().optional(),
  reason: z.string().optional(),
});
export type InstallDiagnostic = z.infer<typeof InstallDiagnostic>;

export const InstallSource = z.strictObject({
  name: DisplayName,
  url: z.string().min(1).max(2_048),
  ref: z.string(),
  path: z.string(),
  authConnectionId: id('connection').optional(),
});
export const InstallCapsule = z.strictObject({ name: CapsuleName, environment: Environment });
export const InstallOptions = z.strictObject({
  modulePath: z.string().max(1_024).optional(),
  /** Accepted with `preflight`, or with a full commit id as `source.ref`. */
  providerBindings: z.array(ProviderBinding).max(32).optional(),
  /** An install link led to the installation: it is the cause of its plan. */
  installLink: z.literal(true).optional(),
});

/** Approvals of a person for the Capsule beyond its variables. */
export const InitialConfiguration = z.strictObject({ sourceBuild: SourceBuild.optional() });

/** Records that a person has reviewed before installing: the installation plans exactly these. */
export const InstallPreflight = z.strictObject({
  sourceId: id('source'),
  sourceSnapshotId: id('snapshot'),
  compatibilityCheckRunId: id('compatibility'),
  compatibilityReportId: id('report'),
  installConfigId: z.string().min(1).max(64),
});
export type InstallPreflight = z.infer<typeof InstallPreflight>;

/** A step-by-step installation: its input, its progress, and bounded references to the records it created. */
export const InstallPlan = z.strictObject({
  id: z.string(),
  workspaceId: z.string(),
  createdBy: z.string(),
  operation: z.literal('install'),
  requestDigest: Digest,
  source: InstallSource,
  capsule: InstallCapsule,
  options: InstallOptions,
  preflight: InstallPreflight.optional(),
  sourceId: z.string().optional(),
  sourceSyncRunId: z.string().optional(),
  sourceSnapshotId: z.string().optional(),
  installConfigBaseId: z.string().optional(),
  installConfigBaseDigest: z.string().optional(),
  installModulePath: z.string().optional(),
  compatibilityCheckRunId: z.string().optional(),
  compatibilityReportId: z.string().optional(),
  installConfigId: z.string().optional(),
  capsuleId: z.string().optional(),
  planRunId: z.string().optional(),
  phase: z.enum(installPhases),
  generation: Count,
  diagnostic: InstallDiagnostic.optional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  completedAt: Timestamp.optional(),
});
export type InstallPlan = z.infer<typeof InstallPlan>;

/** Next step of a step-by-step plan, and the addresses of its records. */
export const nextStep = {
  nextAction: z.enum(['reconcile', 'review_run', 'none']),
  links: z.strictObject({ self: z.string(), reconcile: z.string().optional(), run: z.string().optional() }),
};
