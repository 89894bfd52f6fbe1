import type { RunErrorCode } from '#shared/errors';

const errors = {
  'run.error.plan_failed':
    'The tool could not make a plan. Read its message in the Run, correct what it names and plan again.',
  'run.error.policy_denied':
    'The policy of the Workspace refuses this plan. The Run names the rule; change the module or the policy.',
  'run.error.init_failed':
    'The module could not be prepared: a provider or a module it calls is missing. See the log, then plan again.',
  'run.error.source_build_failed':
    'The build before the plan failed, or did not produce the expected files. The Run shows its output and the reason. Correct it and plan again.',
  'run.error.plan_seal_mismatch': 'The reviewed plan no longer matches its seal. Plan again.',
  'run.error.tool_unavailable': 'OpenTofu or Terraform is missing, or the sandbox does not work. The Run says which.',
  'run.error.tool_version_changed':
    'The tool or its version differs from the one that created the plan or the state. Plan again with the same tool.',
  'run.error.apply_failed':
    'The apply stopped with an error. What was reached is kept in the state. Read the message, then plan again.',
  'run.error.apply_interrupted': 'The apply ended in the middle of its work. What was reached is kept in the state.',
  'run.error.state_save_failed':
    'The tool left no state that can be trusted. The newest good one is kept; check the resources, then plan again.',
  'run.error.plan_superseded': 'The configuration changed after this plan was created. Plan again.',
  'run.error.capsule_lifecycle_action_failed':
    'A lifecycle action did not succeed. Read its lines in the log, then plan again.',
  'run.error.capsule_held': 'The Capsule was held before this apply started. Plan again after it is released.',
  'run.error.state_generation_mismatch': 'The state changed after this plan was created. Plan again.',
  'run.error.provider_connection_not_ready':
    'A Connection that is bound here is revoked, expired, failed its test or is gone. Renew it or bind another, then plan again.',
  'run.error.provider_connection_setup_required':
    'A provider of the module needs a Connection and has none. Bind one, then plan again.',
  'run.error.provider_connection_changed': 'A Connection has changed since this plan was created. Plan again.',
  'run.error.credential_service_unavailable':
    'The service that issues credentials for the Run did not answer. Try again later.',
  'run.error.credential_mint_failed':
    'No usable credentials were issued for the Run. The Run says why. Correct that or bind another Connection, then plan again.',
  'run.error.credential_policy_failed':
    'The bound Connections cannot be used together here, or a policy forbids it. The Run says which. Bind others, then plan again.',
  'run.error.dependency_output_missing':
    'An Output that this Capsule builds on could not be used. The Run says which. Correct that, then plan again.',
  'run.error.oidc_authority_unavailable':
    'The sign-in of this app cannot be provided. The Run says why. Correct that, then plan again.',
  'run.error.oidc_authority_drift':
    'The address of the app or of this server, or the allowed scopes, changed after this plan was created. Plan again.',
  'run.error.capsule_compatibility_check_failed':
    'The module could not be checked. See what was found, correct the module and sync again.',
  'run.error.source_sync_failed': 'The repository could not be fetched. See the log, then sync again.',
  'run.error.source_fetch_refused':
    'The address may not be fetched from: it is private, local or leads elsewhere. Use an address that is allowed.',
  'run.error.source_auth_failed':
    'The repository asks for a sign-in or does not exist. Check the address; for a private one, give its Source an access token.',
  'run.error.source_unreachable': 'The host did not answer. Check the network and the address, then sync again.',
  'run.error.source_not_git': 'This address has no Git repository. Check the address.',
  'run.error.source_ref_not_found': 'The branch, tag or commit is not in the repository. Check the ref of the Source.',
  'run.error.source_empty': 'The repository has no commit yet. Push one, then sync again.',
  'run.error.source_path_not_found': 'The folder is not in this commit. Check the path of the Source.',
  'run.error.source_tls_failed': 'The certificate of the host could not be trusted. Check the address and the clock.',
  'run.error.source_too_large': 'The repository is larger than what may be fetched. Use a smaller one or a subfolder.',
  'run.error.source_timed_out': 'Fetching took too long and was stopped. Sync again later.',
  'run.error.backup_failed':
    'The backup could not be made, and nothing of it was kept. Read its message in the Run, then back up again.',
  'run.error.restore_failed':
    'The restore could not be committed, and no Capsule was changed. Read its message in the Run, then request it again.',
  'run.error.run_timed_out': 'The Run took longer than it may and was stopped. See the log for what it waited for.',
  'run.error.run_execution_lease_lost':
    'The server lost the lease of this Run, for example after a crash. The newest state that was written is kept.',
  'run.error.runner_infrastructure_retry_exhausted':
    'The machine could not run this after several attempts. See the log of the server, then try again.',
  'run.error.fence_not_held':
    'The fence does not name this server, or its bucket did not answer. Nothing was started. Check which server may write, then apply again.',
  'run.error.disk_full': 'The disk of the data folder is nearly full. Free some space, then try again.',
} as const satisfies Record<`run.error.${RunErrorCode}`, string>;

export const statusTexts = {
  'run.status.queued': 'Queued',
  'run.status.running': 'Running',
  'run.status.waiting_approval': 'Waiting for approval',
  'run.status.succeeded': 'Succeeded',
  'run.status.failed': 'Failed',
  'run.status.interrupted': 'Interrupted',
  'run.status.cancelled': 'Cancelled',
  'run.status.expired': 'Expired',
  'run.type.source_sync': 'Sync',
  'run.type.compatibility_check': 'Compatibility check',
  'run.type.plan': 'Plan',
  'run.type.rollback_plan': 'Rollback plan',
  'run.type.apply': 'Apply',
  'run.type.destroy_plan': 'Destroy plan',
  'run.type.destroy_apply': 'Destroy',
  'run.type.drift_check': 'Drift check',
  'run.type.backup': 'Backup',
  'run.type.restore': 'Restore',
  'run.awaits.approve': 'Waits for approval',
  'run.awaits.apply': 'Ready to apply',
  'capsule.status.pending': 'Never applied',
  'capsule.status.active': 'Active',
  'capsule.status.stale': 'Out of date',
  'capsule.status.error': 'Needs attention',
  'capsule.status.disabled': 'Disabled',
  'capsule.status.destroyed': 'Destroyed',
  'capsule.status.discarded': 'Discarded',
  'source.status.active': 'Active',
  'source.status.disabled': 'Disabled',
  'source.status.error': 'Cannot be fetched',
  'compatibility.ready': 'Compatible',
  'compatibility.needs_patch': 'Needs a change',
  'compatibility.unsupported': 'Not supported',
  'who.you': 'you',
  'who.system': 'Ground Control',
  'who.operator': 'the operator',
  'who.schedule': 'the schedule',
  'who.webhook': 'a webhook',
  ...errors,
} as const;
