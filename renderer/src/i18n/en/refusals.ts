import type { ArgumentReason, ErrorCode, PreconditionReason } from '#shared/errors';

type Reason = ArgumentReason | ErrorCode | PreconditionReason;

/** What the server refuses and what to do here. What is not in this list is told in the server's own sentence. */
export const refusals = {
  'refusal.workspace_archived': 'This Workspace is archived, so nothing can be changed in it.',
  'refusal.source_disabled':
    'The Source is switched off. Switch it on again on its page, or plan the commit that is there.',
  'refusal.source_in_use': 'The Source has snapshots or Capsules, so its history has to stay. Switch it off instead.',
  'refusal.source_sync_required': 'The Source was never synced. Sync it first.',
  'refusal.capsule_destroyed': 'This Capsule is gone. Install the module again to have it back.',
  'refusal.capsule_disabled': 'This Capsule is switched off by the operator of this server.',
  'refusal.capsule_name_taken': 'There is a Capsule of this name in this environment already. Choose another name.',
  'refusal.capsule_owned_resources_pending':
    'A provider was asked to make something and no state was kept, so it cannot just be discarded. Plan again to see what is there.',
  'refusal.current_output_inconsistent': 'The Outputs do not belong to the current state. Plan and apply again.',
  'refusal.run_in_progress':
    'A Run of this Capsule is queued or running. Cancel it or wait for its end, then try again.',
  'refusal.run_queue_full': 'Too many Runs of this Capsule wait already. Cancel some, then try again.',
  'refusal.run_terminal': 'This Run has ended already.',
  'refusal.run_not_cancellable': 'A running backup or restore cannot be cancelled. Wait for its end.',
  'refusal.run_not_appliable': 'Only a plan can be applied.',
  'refusal.compatibility_report_missing': 'The newest snapshot was not checked yet. Plan again from the newest commit.',
  'refusal.compatibility_report_output_metadata_missing':
    'The check is older than this server. Plan again from the newest commit to check the module anew.',
  'refusal.compatibility_not_runnable':
    'The check found something that has to be corrected in the module first. Then sync and plan again.',
  'refusal.capsule_source_revision_lineage_mismatch': 'That commit belongs to another Source than this Capsule.',
  'refusal.nothing_to_approve': 'This Run does not wait for an approval any more.',
  'refusal.second_person_required': 'Whoever made this plan cannot approve it: a second person has to.',
  'refusal.apply_in_progress': 'An apply is running. It can only be interrupted, which keeps what it has reached.',
  'refusal.plan_not_succeeded': 'This plan did not end well, so there is nothing to apply. Plan again.',
  'refusal.approval_required': 'This plan has to be approved before it is applied.',
  'refusal.policy_denied': 'A policy of the Workspace denies this plan. Change the module or the policy.',
  'refusal.plan_artifact_missing': 'The sealed plan is not there any more. Plan again.',
  'refusal.plan_digest_mismatch': 'This is not the plan you reviewed. Reload it and read it again.',
  'refusal.plan_expired': 'This plan is too old to be applied. Plan again.',
  'refusal.plan_superseded': 'The Capsule has changed since this plan was made. Plan again.',
  'refusal.state_generation_mismatch': 'The state has moved on since this plan was made. Plan again.',
  'refusal.plan_not_ready': 'The plan is not computed yet. It appears here when it is.',
  'refusal.not_found': 'It is not here, or not any more.',
  'refusal.forbidden': 'Your role in this Workspace does not allow this. Ask its owner.',
  'refusal.rate_limited': 'That was too much at once. Wait a moment, then try again.',
  'refusal.runner_unavailable': 'There is no OpenTofu or Terraform to run. Install the tool, then try again.',
  'refusal.ledger_read_only': 'The server takes no changes at the moment, as when its disk is full. Try again later.',
  'refusal.internal_error': 'The server met a mistake of its own. Its log tells more. Try again.',
} as const satisfies Partial<Record<`refusal.${Reason}`, string>>;
