import type { PreconditionReason, RunErrorCode } from '#shared/errors';
import { statusTexts } from './statuses.ts';

type Code = PreconditionReason | RunErrorCode;

/** Unmet preconditions of Capsules and Runs, and reasons why a Run failed. Texts of other pages are reused. */
export const runRefusals = {
  'refusal.installation_not_restored': 'This installation was not restored from a backup, so it has no pause to end.',
  'refusal.workspace_archived': 'This Workspace is archived, so nothing can be changed in it. Unarchive it first.',
  'refusal.handle_taken': 'This handle is in use already. Choose another one.',
  'refusal.last_active_workspace': 'This is your only Workspace. Create another one before you archive or delete it.',
  'refusal.workspace_capsules_changed':
    'The Capsules with resources have changed since you read them. Read the list again, then confirm it.',
  'refusal.workspace_shares_in_use':
    'Another Workspace uses shared Outputs of this one. Tell its owner, then confirm that the shares end.',
  'refusal.workspace_credentials_pending':
    'Credentials of ended Runs are not revoked at their service yet. Try again later; the server tries for a day.',
  'refusal.slug_taken': 'This short name is in use already. Choose another one.',
  'refusal.member_exists': 'This account is a member already. Change its role instead.',
  'refusal.last_owner': 'A Workspace needs at least one owner. Make another member an owner first.',
  'refusal.source_disabled': 'The Source is disabled. Enable it on its page, or plan the existing commit.',
  'refusal.source_in_use': 'The Source has snapshots or Capsules, so its history has to stay. Disable it instead.',
  'refusal.source_sync_required':
    'The files of this Source are not available: it was never synced, or they were deleted. Sync it first.',
  'refusal.stable_tag_missing':
    'The repository has no tag of the form vX.Y.Z or X.Y.Z, so it has no stable version. Name a ref.',
  'refusal.stable_tag_ambiguous':
    'The repository has a version both as vX.Y.Z and as X.Y.Z, so it is not clear which one is meant. Name a ref.',
  'refusal.ref_listing_failed': 'The tags of the repository could not be listed. Check its address and try again.',
  'refusal.capsule_destroyed': 'This Capsule is destroyed. Install the module again to have it back.',
  'refusal.capsule_disabled': 'This Capsule is disabled. Ask the operator of this server to enable it.',
  'refusal.capsule_lifecycle_action_failed':
    'A lifecycle action of this Run did not succeed. Read its lines in the log.',
  'refusal.capsule_held': 'This Capsule is held, so nothing is applied. An owner or admin can release it.',
  'refusal.capsule_never_applied':
    'This Capsule was never applied, so there is nothing here yet. Plan and apply it first.',
  'refusal.capsule_runtime_unsafe':
    'The last apply of this Capsule did not succeed, so its result is uncertain. Plan and apply it first.',
  'refusal.capsule_owned_resources_pending':
    'A provider was asked to create something and no state was saved, so the Capsule cannot be discarded. Plan again to see what exists.',
  'refusal.current_output_inconsistent': 'The Outputs do not belong to the current state. Plan and apply again.',
  'refusal.run_in_progress':
    'A Run of this Capsule is queued or running. Cancel it or wait for its end, then try again.',
  'refusal.favorites_full': 'You already have 100 favorites in this Workspace. Remove one first.',
  'refusal.run_queue_full': 'Too many Runs of this Capsule wait already. Cancel some, then try again.',
  'refusal.compatibility_report_missing': 'The newest snapshot was not checked yet. Plan again from the newest commit.',
  'refusal.compatibility_report_output_metadata_missing':
    'The check was made by an older version of this server. Plan again from the newest commit to check the module again.',
  'refusal.compatibility_not_runnable':
    'The check found something that has to be corrected in the module first. Then sync and plan again.',
  'refusal.capsule_source_revision_lineage_mismatch':
    'That commit belongs to another Source than this Capsule. Choose a commit of its Source.',
  'refusal.dependency_cycle':
    'That Capsule uses this one already, directly or by way of others. Remove that Dependency first.',
  'refusal.output_share_required':
    'That Capsule belongs to another Workspace, which has not shared these Outputs with this one. Ask it to, and accept the offer.',
  'refusal.app_hostname_unavailable':
    'The service has no address, its name is too long, or another service has its hostname. Enter an address, or choose another name.',
  'refusal.custom_domain_not_verified':
    'The server assigns the address of the service, and the hostname of the entered one is not proven. Leave the address empty, or ask the operator to record a proof.',
  'refusal.install_config_selector_taken':
    'Another InstallConfig already has this repository, path and module. Patch or delete that one.',
  'refusal.install_config_in_use':
    'This InstallConfig cannot be changed: it belongs to a Capsule, is built in, is used by an installation in progress, or would bind the installing person.',
  'refusal.migration_fence_moved':
    'The Capsule has changed, or its Outputs do not resolve the Interface. Nothing was made. Reload the list.',
  'refusal.oidc_authority_unavailable':
    'The module signs its users in with Ground Control, and the issuer is disabled, the service has no https address, or no policy allows the scopes. The message says which.',
  'refusal.dependency_output_missing':
    'An Output that this Capsule depends on is missing. Apply the Capsule that produces it, or change the Dependency.',
  'refusal.capsule_name_taken': 'A Capsule of this name already exists in this environment. Choose another name.',
  'refusal.capsule_install_config_rebind_conflict':
    'The Capsule was modified since you opened it. Reload it and try again.',
  'refusal.capsule_install_config_rebind_busy':
    'A Run of this Capsule is queued or running, or the Capsule is disabled or destroyed. Cancel the Run or wait for its end.',
  'refusal.capsule_configuration_generic_authority_invalid':
    'The record that validates the values of this Capsule is missing. Install the module again.',
  'refusal.capsule_configuration_generic_declarations_invalid':
    'The check does not say which variables the module has. Check the snapshot again.',
  'refusal.capsule_configuration_generic_digest_mismatch':
    'The module declares other variables than when this Capsule was configured. Install the module again.',
  'refusal.capsule_configuration_compatibility_not_runnable':
    'The check found something that has to be corrected in the module first. Correct and sync it, then try again.',
  'refusal.capsule_configuration_manifest_authority_unavailable':
    'This snapshot has no manifest for the module of this Capsule. Choose one that has.',
  'refusal.capsule_configuration_identity_conflict':
    'Another record exists where this change would be stored. Try again.',
  'refusal.capsule_configuration_installing_principal_unavailable':
    'An Interface would be bound to you, and you are not a member of this Workspace. Ask an owner or admin to add you.',
  'refusal.nothing_to_update':
    'No Capsule of this Workspace is out of date, so there is nothing to plan. Sync a Source to look for newer commits.',
  'refusal.nothing_to_drift_check':
    'No Capsule of this Workspace is applied, so there is nothing to compare. Apply one first.',
  'refusal.no_drift': 'The newest check of this Capsule found no drift. Check it again.',
  'refusal.drift_changed': 'The drift has changed since this page was loaded. Reload and review it again.',
  'refusal.failure_fence_moved': 'This failure has changed since you loaded it. Reload the list.',
  'refusal.state_version_snapshot_missing':
    'The commit of this state is no longer known. Plan from the newest commit instead.',
  'refusal.nothing_to_approve': 'This Run no longer waits for approval. Reload the page.',
  'refusal.nothing_to_retry': 'No member of this group has failed or was cancelled. Reload the page.',
  'refusal.second_person_required': 'The author of a plan cannot approve it. Another owner or admin must approve it.',
  'refusal.run_terminal': 'This Run has already ended. Reload the page to see its result.',
  'refusal.run_not_cancellable': 'A running backup or restore cannot be cancelled. Wait for its end.',
  'refusal.apply_in_progress':
    'A running apply cannot be cancelled. Interrupt it instead: the state it has reached is kept.',
  'refusal.run_not_appliable': 'Only a plan can be applied. Open a Run with a plan.',
  'refusal.plan_not_succeeded': 'This plan did not succeed, so nothing can be applied. Plan again.',
  'refusal.approval_required': 'This plan is not approved. Approve it first.',
  'refusal.policy_denied': 'A policy of the Workspace denies this plan. Change the module or the policy.',
  'refusal.plan_artifact_missing': 'The sealed plan no longer exists. Plan again.',
  'refusal.plan_digest_mismatch': 'This is not the plan you reviewed. Reload it and read it again.',
  'refusal.plan_expired': 'This plan is too old to be applied. Plan again.',
  'refusal.plan_superseded':
    'The Capsule changed after this plan was created, or there is a newer plan. Open the Capsule and review the newest plan, or plan again.',
  'refusal.state_generation_mismatch': 'The state has changed since this plan was created. Plan again.',
  'refusal.tool_version_changed': statusTexts['run.error.tool_version_changed'],
  'refusal.plan_not_ready': 'The plan is not computed yet. It appears here when it is.',
  'refusal.plan_deleted':
    'The differences of this old scheduled check were deleted. Check again to see those of today.',
  'refusal.plan_not_available': 'This Run ended without a plan. Its messages and its log say why.',
  'refusal.state_not_readable':
    'The stored resources of this state are damaged. The operator can check the data folder with groundctl doctor.',
  'refusal.state_not_comparable':
    'The resources of one of these generations cannot be read. Choose another generation.',
  'refusal.share_revoked': 'This offer was revoked. Ask the other Workspace for a new one.',
  'refusal.connection_revoked': 'The Connection was revoked and its values were erased. Create a new one.',
  'refusal.provider_connection_not_ready':
    'A Connection that is bound here is revoked, expired, failed its test or is gone. Renew it, or bind another.',
  'refusal.provider_connection_setup_required':
    'A provider of the module needs a Connection and has none. Bind one first.',
  'refusal.backup_digest_mismatch': 'This is not the backup you named, or its file was changed. Reload the backups.',
  'refusal.backup_not_readable':
    'The file of this backup is missing, is damaged, or its key no longer exists. Use another backup.',
  'refusal.backup_has_no_state': 'This backup has no such state. Choose another Capsule, generation or backup.',
  'refusal.state_lineage_mismatch':
    'This state belongs to other resources than the current state of the Capsule, so it cannot replace it.',
  'refusal.state_format_unsupported': 'This state is not in format 4, or is incomplete. Choose another one.',
  'refusal.backup_failed': statusTexts['run.error.backup_failed'],
  'refusal.restore_failed': statusTexts['run.error.restore_failed'],
  'refusal.webhook_limit_reached': 'This Workspace has as many webhooks as it can have. Delete one that is not needed.',
  'refusal.delivery_pending': 'This delivery still waits for its next attempt.',
  'refusal.webhook_disabled': 'This webhook is disabled. Enable it, then send the delivery again.',
  'refusal.provider_connection_changed': 'A Connection has changed since this plan was created. Plan again.',
  'refusal.credential_service_unavailable': statusTexts['run.error.credential_service_unavailable'],
  'refusal.credential_mint_failed': statusTexts['run.error.credential_mint_failed'],
  'refusal.credential_policy_failed': statusTexts['run.error.credential_policy_failed'],
  'refusal.plan_failed': statusTexts['run.error.plan_failed'],
  'refusal.init_failed': statusTexts['run.error.init_failed'],
  'refusal.source_build_failed': statusTexts['run.error.source_build_failed'],
  'refusal.plan_seal_mismatch': statusTexts['run.error.plan_seal_mismatch'],
  'refusal.tool_unavailable': statusTexts['run.error.tool_unavailable'],
  'refusal.apply_failed': statusTexts['run.error.apply_failed'],
  'refusal.apply_interrupted': statusTexts['run.error.apply_interrupted'],
  'refusal.oidc_authority_drift': statusTexts['run.error.oidc_authority_drift'],
  'refusal.state_save_failed': statusTexts['run.error.state_save_failed'],
  'refusal.capsule_compatibility_check_failed': statusTexts['run.error.capsule_compatibility_check_failed'],
  'refusal.source_sync_failed': statusTexts['run.error.source_sync_failed'],
  'refusal.source_fetch_refused': statusTexts['run.error.source_fetch_refused'],
  'refusal.source_auth_failed': statusTexts['run.error.source_auth_failed'],
  'refusal.source_unreachable': statusTexts['run.error.source_unreachable'],
  'refusal.source_not_git': statusTexts['run.error.source_not_git'],
  'refusal.source_ref_not_found': statusTexts['run.error.source_ref_not_found'],
  'refusal.source_empty': statusTexts['run.error.source_empty'],
  'refusal.source_path_not_found': statusTexts['run.error.source_path_not_found'],
  'refusal.source_tls_failed': statusTexts['run.error.source_tls_failed'],
  'refusal.source_too_large': statusTexts['run.error.source_too_large'],
  'refusal.source_timed_out': statusTexts['run.error.source_timed_out'],
  'refusal.run_timed_out': statusTexts['run.error.run_timed_out'],
  'refusal.run_execution_lease_lost': statusTexts['run.error.run_execution_lease_lost'],
  'refusal.runner_infrastructure_retry_exhausted': statusTexts['run.error.runner_infrastructure_retry_exhausted'],
  'refusal.import_lineage_taken':
    'A Capsule of this installation already manages these resources. Open that Capsule instead.',
  'refusal.import_provider_missing':
    'The state has resources of a provider that the module does not use. Choose the state or the module that belong together.',
  'refusal.import_requested': 'A Capsule was created from this import. Cancel its restore Run, or delete the Capsule.',
  'refusal.late_state_superseded':
    'The Capsule got another state since this apply was ended. Compare them, then confirm that it is replaced.',
  'refusal.late_state_ended':
    'This late state was adopted, dismissed or has expired, or a restore of it has not ended.',
  'refusal.copy_of_copy': 'This Source is an installable copy already. Install from it, or update the copy.',
  'refusal.copy_in_use':
    'A Capsule was installed from this copy, so its history has to stay. Disable its Source instead.',
  'refusal.copy_not_ready': 'The content of the copy is not ready yet. Wait for the review, then approve it.',
  'refusal.copy_review_changed': 'The review has changed. Read it again and decide.',
  'refusal.copy_revision_ended': 'This revision has ended. Prepare the copy again for a new one.',
  'refusal.copy_revision_open': 'The copy is being made or synced at this moment. Try again when that has ended.',
  'refusal.copy_upstream_unavailable': 'The repository or a registry could not be read. Try again later.',
  'refusal.runners_not_configured':
    'This server has no NATS server for runner machines. Set GROUNDCTL_NATS_URL, start the server again, then try again.',
  'refusal.runner_pool_not_allowed':
    'This Workspace may not use that pool of runner machines. Choose another one, or ask the operator to allow it.',
  'refusal.runner_pool_without_folders':
    'This Capsule may write to folders of the machine of the server, which other machines do not have. Plan it on that machine, or ask the operator to withdraw the folders.',
  'refusal.runner_pool_name_taken': 'Another pool has this name. Choose a different one.',
  'refusal.runner_pool_in_use':
    'Runs, Capsules, Workspaces or machines still use this pool. Move them away, then remove it.',
  'refusal.runner_enrolment_used': 'A machine has used this enrolment. Create a new one.',
  'refusal.runner_enrolment_expired': 'This enrolment has expired. Create a new one.',
  'refusal.runner_enrolment_cancelled': 'This enrolment was cancelled. Create a new one.',
  'refusal.runner_key_enrolled': 'A machine with this key was enrolled already. Make new keys and enrol with them.',
  'refusal.fence_not_held': statusTexts['run.error.fence_not_held'],
  'refusal.disk_full': statusTexts['run.error.disk_full'],
} as const satisfies Record<`refusal.${Code}`, string>;
