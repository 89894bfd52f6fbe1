import { rowsOfWorkspace } from '#server/domains/backups/index';

/** Rows of a table that belong to a Workspace, as a condition on the parameter `@workspaceId`. */
export type WorkspaceTable = { name: string; where: string /** Rows per transaction. */; rows: number };

const capsulesOf = '(SELECT id FROM capsules WHERE workspace_id = @workspaceId)';
const runsOf = '(SELECT id FROM runs WHERE workspace_id = @workspaceId)';
const connectionsOf = '(SELECT id FROM connections WHERE workspace_id = @workspaceId)';

/** Rows with large values: so few that the ledger is blocked only briefly. */
const largeRows = 25;
const smallRows = 250;

/** Its rows are those that a backup of the Workspace holds, unless a condition says more. */
const table = (name: string, where = rowsOfWorkspace(name), rows = smallRows): WorkspaceTable => ({
  name,
  where,
  rows,
});
const largeTable = (name: string): WorkspaceTable => table(name, undefined, largeRows);

/** Tables whose rows give authority or cause work. They are emptied in the transaction that deletes the Workspace. */
export const actingTables: readonly WorkspaceTable[] = [
  table('access_tokens'),
  table('invitations'),
  table('members'),
  table('oidc_records', 'grant_id IN (SELECT id FROM oidc_grants WHERE workspace_id = @workspaceId)'),
  table('oidc_grants'),
  table('oidc_consents'),
  table('oidc_consent_requests'),
  table('oidc_capsule_clients'),
  table('webhook_deliveries'),
  table('webhooks'),
  table('waiting_mails', `run_id IN ${runsOf} OR workspace_id = @workspaceId`),
  table('form_operations'),
  table('interface_bindings'),
  table(
    'interface_sources',
    `capsule_id IN ${capsulesOf} OR interface_id IN (SELECT id FROM interfaces WHERE workspace_id = @workspaceId)`,
  ),
  table('interface_resource_sources'),
  table('interfaces'),
  table('resource_claims'),
  table('hostname_proofs'),
  table('materialization_intents'),
  table('workspace_runner_pools'),
  table('remote_jobs', 'workspace_id = @workspaceId'),
  table('drift_schedules'),
  table('auto_updates'),
  table('install_plans'),
  table('revision_plans'),
  table('imports'),
  table('late_states'),
  largeTable('copy_revisions'),
  table('run_credentials'),
  table('minted_secrets'),
  table('dependencies', `${rowsOfWorkspace('dependencies')} OR producer_capsule_id IN ${capsulesOf}`),
  table('output_shares'),
  table('provider_bindings'),
  table('provider_binding_sets'),
  table('credential_issuances', `connection_id IN ${connectionsOf} OR run_id IN ${runsOf}`),
  table('connection_uses', `connection_id IN ${connectionsOf} OR run_id IN ${runsOf}`),
  table('connection_materials'),
  table('connections'),
];

/** Tables with the history of a Workspace, in an order that leaves no reference to a missing row. */
export const historyTables: readonly WorkspaceTable[] = [
  table('capsule_favorites'),
  table('drift_marks'),
  table('late_marks'),
  table('lifecycle_actions'),
  table('dependency_snapshots'),
  largeTable('projection_pages'),
  largeTable('state_projections'),
  largeTable('resource_changes'),
  largeTable('outputs'),
  largeTable('state_versions'),
  largeTable('compatibility_reports'),
  largeTable('snapshot_scans'),
  largeTable('snapshot_manifests'),
  table('source_lanes'),
  table('source_snapshots'),
  table('backup_copies'),
  table('backup_schedules'),
  table('backups'),
  table('backup_requests', `run_id IN ${runsOf}`),
  table('backup_keys'),
  largeTable('restore_states'),
  table('restores'),
  table('usage_events'),
  largeTable('plan_artifacts'),
  table('plan_digests'),
  table('run_feed'),
  table('runs'),
  table('run_groups'),
  table('capsules'),
  table('install_configs'),
  table('copies'),
  table('sources'),
  table('projects'),
  largeTable('form_resources'),
  table('receipts', 'scope = @workspaceId'),
  table('workspaces'),
];

/**
 * Tables of the installation. `audit_events` and `workspace_deletions` are what remains of a Workspace; `outbox` holds
 * ids only and is trimmed.
 */
export const installationTables: readonly string[] = [
  'runner_enrolments',
  'nats_authority',
  'runner_machines',
  'runner_pools',
  'accounts',
  'audit_events',
  'audit_head',
  'data_keys',
  'external_identities',
  'form_packages',
  'installation',
  'installation_secrets',
  'key_jobs',
  'master_keys',
  'notification_preferences',
  'oidc_keys',
  'outbox',
  'sessions',
  'sign_in_links',
  'workspace_deletions',
];
