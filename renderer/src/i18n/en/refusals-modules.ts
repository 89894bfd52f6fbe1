import type { ArgumentReason, PreconditionReason, RunErrorCode } from '#shared/errors';
import type { InstallDiagnosticCode } from '#shared/install-plans/contract';
import type { RevisionDiagnosticCode } from '#shared/revision-plans/revision-plan';
import type { FindingCode } from '#shared/sources/finding-rules';
import { install } from './install.ts';
import { manifestMessages, manifestTexts } from './manifest-codes.ts';

type RevisionCode = Extract<RevisionDiagnosticCode, 'revision_identity_changed' | 'revision_plan_expired'>;
type Code = Exclude<
  FindingCode | InstallDiagnosticCode | RevisionCode,
  ArgumentReason | PreconditionReason | RunErrorCode
>;

/**
 * Findings in a module and reasons why an installation ended. Codes that are also used elsewhere keep their text there.
 */
export const moduleRefusals = {
  'refusal.remote_module_source':
    'The module calls another one from elsewhere. Copy that into the repository and call it by a relative path.',
  'refusal.configuration_invalid': 'The configuration cannot be used. Correct what is named, then sync again.',
  'refusal.module_source_not_static':
    'The source of a called module is computed. Write its path as plain text, then sync again.',
  'refusal.tool_version_unsatisfied':
    'The module asks for another version of the tool. Install that version, or change the constraint in the module.',
  'refusal.provider_not_allowed':
    'A policy does not allow a provider of the module. Replace the provider or change the policy.',
  'refusal.resource_type_not_allowed':
    'A policy does not allow a resource type of the module. Remove the resource or change the policy.',
  'refusal.data_source_type_not_allowed':
    'A policy does not allow a data source type of the module. Remove the data source or change the policy.',
  'refusal.provisioner_not_allowed':
    'A policy does not allow a provisioner of the module. Remove the provisioner or change the policy.',
  'refusal.provider_not_declared':
    'A provider is used but not declared. Add it to required_providers, then sync again.',
  'refusal.provisioner_present':
    'Provisioners of the module run commands during an apply. Read them before you approve.',
  'refusal.external_program_present':
    'The module starts a program of its own, even while planning. Read it before you plan.',
  'refusal.lockfile_missing':
    'The module has no lock file, so the versions of its providers may change. Commit .terraform.lock.hcl.',
  'refusal.lockfile_digest_missing':
    'The lock file lacks the digest of a provider. Run providers lock, then commit the file.',
  'refusal.backend_overridden':
    'The backend of the module is not used: its state is kept in the ledger here. No action is needed.',
  'refusal.cloud_block_present':
    'The cloud block of the module is not used: its state is kept in the ledger here. No action is needed.',
  'refusal.encryption_overridden':
    'The encryption of the module is not used: the ledger has its own. No action is needed.',
  'refusal.tfvars_ignored': 'The .tfvars files of the module are not read. Enter the values as inputs instead.',
  'refusal.source_snapshot_missing': install['progress.failed.source_snapshot_missing'],
  'refusal.source_identity_changed': install['progress.failed.source_identity_changed'],
  'refusal.source_snapshot_not_found': install['progress.failed.source_snapshot_not_found'],
  'refusal.source_snapshot_scope_mismatch': install['progress.failed.source_snapshot_scope_mismatch'],
  'refusal.install_preflight_config_identity_changed':
    install['progress.failed.install_preflight_config_identity_changed'],
  'refusal.compatibility_evidence_identity_conflict':
    install['progress.failed.compatibility_evidence_identity_conflict'],
  'refusal.compatibility_evidence_incomplete': install['progress.failed.compatibility_evidence_incomplete'],
  'refusal.compatibility_not_ready': install['progress.failed.compatibility_not_ready'],
  'refusal.generic_opentofu_compatibility_analysis_failed':
    install['progress.failed.generic_opentofu_compatibility_analysis_failed'],
  'refusal.repository_install_module_selection_required':
    install['progress.failed.repository_install_module_selection_required'],
  'refusal.repository_install_module_not_found': install['progress.failed.repository_install_module_not_found'],
  'refusal.capsule_identity_ambiguous': install['progress.failed.capsule_identity_ambiguous'],
  'refusal.source_sync_scope_mismatch': install['progress.failed.source_sync_scope_mismatch'],
  'refusal.generic_opentofu_variable_declarations_missing':
    install['progress.failed.generic_opentofu_variable_declarations_missing'],
  'refusal.capsule_identity_changed': install['progress.failed.capsule_identity_changed'],
  'refusal.plan_run_identity_conflict': install['progress.failed.plan_run_identity_conflict'],
  'refusal.install_plan_reconcile_retryable': install['progress.failed.install_plan_reconcile_retryable'],
  ...manifestTexts('refusal.', manifestMessages),
  'refusal.install_compilation_identity_changed': install['progress.failed.install_compilation_identity_changed'],
  'refusal.required_interface_missing': install['progress.failed.required_interface_missing'],
  'refusal.required_interface_ambiguous': install['progress.failed.required_interface_ambiguous'],
  'refusal.required_interface_conflict': install['progress.failed.required_interface_conflict'],
  'refusal.plan_run_failed': install['progress.failed.plan_run_failed'],
  'refusal.install_plan_cancelled': install['progress.failed.install_plan_cancelled'],
  'refusal.install_plan_expired': install['progress.failed.install_plan_expired'],
  'refusal.revision_identity_changed':
    'The Capsule, its configuration or its Source has changed while it was planned. Plan again.',
  'refusal.revision_plan_expired': 'This plan was not continued for a week, so it was ended. Plan again.',
  'refusal.install_plan_failed': install['progress.failed.install_plan_failed'],
} as const satisfies Record<`refusal.${Code}`, string>;
