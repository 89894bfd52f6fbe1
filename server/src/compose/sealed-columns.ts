import type { SealedColumn } from '../domains/keys/index.ts';

/**
 * All columns of sealed values. A key is deleted when all of these have moved off it, so a column missing here would
 * lose its values. A test compares this list with the tables.
 */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'sources', column: 'hook_secret' },
  { table: 'connection_materials', column: 'sealed' },
  { table: 'state_versions', column: 'state' },
  { table: 'state_projections', column: 'secrets', id: 'state_version_id' },
  { table: 'state_projections', column: 'head', id: 'state_version_id' },
  { table: 'projection_pages', column: 'page' },
  { table: 'late_marks', column: 'marks', id: 'capsule_id' },
  { table: 'resource_changes', column: 'addresses' },
  { table: 'dependency_snapshots', column: 'sealed' },
  { table: 'install_configs', column: 'secrets' },
  { table: 'oidc_records', column: 'payload', workspace: null },
  { table: 'oidc_keys', column: 'secret', id: 'kid', workspace: null },
  { table: 'install_plans', column: 'variables' },
  { table: 'plan_digests', column: 'sealed', id: 'run_id' },
  { table: 'webhooks', column: 'url' },
  { table: 'webhooks', column: 'secret' },
  { table: 'webhooks', column: 'previous_secret' },
  { table: 'run_credentials', column: 'sealed' },
  { table: 'minted_secrets', column: 'sealed' },
  { table: 'imports', column: 'state' },
  { table: 'late_states', column: 'state' },
  { table: 'restore_states', column: 'state' },
  { table: 'remote_jobs', column: 'run_key' },
  { table: 'nats_authority', column: 'sealed', workspace: null, isNumbered: true },
  { table: 'backup_keys', column: 'identity', id: 'workspace_id' },
];
