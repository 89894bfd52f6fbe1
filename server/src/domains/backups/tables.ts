/** Rows of a table that belong to one Workspace, and those of one Capsule: conditions over `@workspaceId` and `@capsuleId`. */
type OwnedRows = {
  of: 'workspace' | 'capsule';
  workspace: string;
  /** Absent for a table without rows of a Capsule. */
  capsule?: string;
  /** Columns that are not copied: the states are members of their own. */
  without?: readonly string[];
};
/** A table of the installation, or one that a backup leaves out, with the reason. */
type OtherRows = { of: 'installation'; why: string };
export type TableRows = OwnedRows | OtherRows;

const inWorkspace = 'workspace_id = @workspaceId';
const inCapsule = 'capsule_id = @capsuleId';
const capsules = 'SELECT id FROM capsules WHERE workspace_id = @workspaceId';
const sourceOfCapsule = '(SELECT source_id FROM capsules WHERE id = @capsuleId)';
const runs = 'SELECT id FROM runs WHERE workspace_id = @workspaceId';
const runsOfCapsule = 'SELECT id FROM runs WHERE capsule_id = @capsuleId';
const snapshots = 'SELECT id FROM source_snapshots WHERE workspace_id = @workspaceId';
const snapshotsOfCapsule = `SELECT id FROM source_snapshots WHERE source_id = ${sourceOfCapsule}`;
const interfaces = 'SELECT id FROM interfaces WHERE workspace_id = @workspaceId';
const interfacesOfCapsule = "SELECT id FROM interfaces WHERE owner_kind = 'Capsule' AND owner_id = @capsuleId";

/** Rows that name their Workspace, and none of a Capsule. */
const workspaceOnly: TableRows = { of: 'workspace', workspace: inWorkspace };
/** Rows that name both. */
const both: TableRows = { of: 'capsule', workspace: inWorkspace, capsule: inCapsule };
/** Rows that name only their Capsule. */
const capsuleOnly: TableRows = { of: 'capsule', workspace: `capsule_id IN (${capsules})`, capsule: inCapsule };
/** Rows that name only their Run. */
const ofRun = (column: string): OwnedRows => ({
  of: 'capsule',
  workspace: `${column} IN (${runs})`,
  capsule: `${column} IN (${runsOfCapsule})`,
});
const ofAccount: TableRows = { of: 'installation', why: 'It belongs to an account.' };
const ofVault: TableRows = { of: 'installation', why: 'It belongs to the vault of the installation.' };
const ofSnapshot: TableRows = {
  of: 'capsule',
  workspace: `snapshot_id IN (${snapshots})`,
  capsule: `snapshot_id IN (${snapshotsOfCapsule})`,
};

/** Every table of the ledger, with the rows that a backup of a Workspace or Capsule takes from it. */
export const ledgerTables: Readonly<Record<string, TableRows>> = {
  workspaces: { of: 'capsule', workspace: 'id = @workspaceId', capsule: 'id = @workspaceId' },
  projects: {
    of: 'capsule',
    workspace: inWorkspace,
    capsule: 'id = (SELECT project_id FROM capsules WHERE id = @capsuleId)',
  },
  members: workspaceOnly,
  invitations: workspaceOnly,
  sources: { of: 'capsule', workspace: inWorkspace, capsule: `id = ${sourceOfCapsule}` },
  source_lanes: {
    of: 'capsule',
    workspace: 'source_id IN (SELECT id FROM sources WHERE workspace_id = @workspaceId)',
    capsule: `source_id = ${sourceOfCapsule}`,
  },
  source_snapshots: { of: 'capsule', workspace: inWorkspace, capsule: `source_id = ${sourceOfCapsule}` },
  snapshot_manifests: ofSnapshot,
  snapshot_scans: ofSnapshot,
  compatibility_reports: { of: 'capsule', workspace: inWorkspace, capsule: `source_id = ${sourceOfCapsule}` },
  connections: workspaceOnly,
  connection_materials: workspaceOnly,
  connection_uses: ofRun('run_id'),
  credential_issuances: ofRun('run_id'),
  capsules: { of: 'capsule', workspace: inWorkspace, capsule: 'id = @capsuleId' },
  capsule_favorites: both,
  state_versions: { ...both, without: ['state'] },
  outputs: both,
  state_projections: both,
  projection_pages: {
    of: 'capsule',
    workspace: inWorkspace,
    capsule: `state_version_id IN (SELECT id FROM state_versions WHERE ${inCapsule})`,
  },
  late_marks: both,
  resource_changes: both,
  interfaces: {
    of: 'capsule',
    workspace: inWorkspace,
    capsule: "owner_kind = 'Capsule' AND owner_id = @capsuleId",
  },
  interface_bindings: { of: 'capsule', workspace: inWorkspace, capsule: `interface_id IN (${interfacesOfCapsule})` },
  interface_sources: {
    of: 'capsule',
    workspace: `interface_id IN (${interfaces})`,
    capsule: `interface_id IN (${interfacesOfCapsule})`,
  },
  interface_resource_sources: {
    of: 'capsule',
    workspace: `interface_id IN (${interfaces})`,
    capsule: `interface_id IN (${interfacesOfCapsule})`,
  },
  materialization_intents: both,
  resource_claims: {
    of: 'capsule',
    workspace: inWorkspace,
    capsule: "owner_kind = 'Capsule' AND owner_id = @capsuleId",
  },
  hostname_proofs: {
    of: 'capsule',
    workspace: inWorkspace,
    capsule: "owner_kind = 'Capsule' AND owner_id = @capsuleId",
  },
  output_shares: {
    of: 'capsule',
    workspace: '@workspaceId IN (from_workspace_id, to_workspace_id)',
    capsule: 'producer_capsule_id = @capsuleId',
  },
  dependencies: {
    of: 'capsule',
    workspace: inWorkspace,
    capsule: '@capsuleId IN (producer_capsule_id, consumer_capsule_id)',
  },
  dependency_snapshots: both,
  install_configs: {
    of: 'capsule',
    workspace: inWorkspace,
    capsule: 'id = (SELECT install_config_id FROM capsules WHERE id = @capsuleId)',
  },
  oidc_capsule_clients: both,
  provider_binding_sets: both,
  provider_bindings: {
    of: 'capsule',
    workspace: `set_id IN (SELECT id FROM provider_binding_sets WHERE ${inWorkspace})`,
    capsule: `set_id IN (SELECT id FROM provider_binding_sets WHERE ${inCapsule})`,
  },
  minted_secrets: both,
  runs: both,
  run_feed: ofRun('run_id'),
  run_groups: workspaceOnly,
  run_credentials: { ...ofRun('id'), workspace: inWorkspace },
  plan_artifacts: ofRun('run_id'),
  plan_digests: { ...ofRun('run_id'), workspace: inWorkspace },
  lifecycle_actions: both,
  auto_updates: capsuleOnly,
  drift_marks: both,
  drift_schedules: capsuleOnly,
  install_plans: workspaceOnly,
  revision_plans: both,
  restores: { ...ofRun('run_id'), workspace: inWorkspace },
  restore_states: { ...both, without: ['state'] },
  usage_events: both,
  webhooks: workspaceOnly,
  webhook_deliveries: workspaceOnly,
  audit_events: {
    of: 'capsule',
    workspace: inWorkspace,
    // Names the expression of the index. Metadata that was tampered with belongs to no Capsule.
    capsule:
      "workspace_id = @workspaceId AND (CASE WHEN target_type = 'capsule' THEN target_id WHEN json_valid(metadata) THEN metadata ->> '$.capsuleId' END) = @capsuleId",
  },
  form_resources: workspaceOnly,
  backups: both,
  imports: { ...both, without: ['state'] },
  late_states: { ...both, without: ['state'] },
  copies: { of: 'capsule', workspace: inWorkspace, capsule: `source_id = ${sourceOfCapsule}` },
  copy_revisions: {
    of: 'capsule',
    workspace: inWorkspace,
    capsule: `copy_id IN (SELECT id FROM copies WHERE source_id = ${sourceOfCapsule})`,
  },

  backup_keys: { of: 'installation', why: 'A key does not open the archive that it is in.' },
  backup_schedules: { of: 'installation', why: 'The targets belong to the machine, and a restore starts no schedule.' },
  backup_copies: { of: 'installation', why: 'It lists the files at the targets of this installation.' },
  backup_requests: { of: 'installation', why: 'It answers repeated requests for a day.' },
  form_operations: { of: 'installation', why: 'It answers repeated requests for seven days.' },
  receipts: { of: 'installation', why: 'It answers repeated requests for a day.' },
  outbox: { of: 'installation', why: 'It feeds streams, and its rows repeat what others say.' },
  waiting_mails: { of: 'installation', why: 'It is sent within a day.' },
  installation: { of: 'installation', why: 'It names the installation.' },
  workspace_deletions: { of: 'installation', why: 'It is what remains of deleted Workspaces.' },
  audit_head: { of: 'installation', why: 'It seals the trail of all Workspaces.' },
  accounts: ofAccount,
  sessions: ofAccount,
  sign_in_links: ofAccount,
  external_identities: ofAccount,
  notification_preferences: ofAccount,
  access_tokens: ofAccount,
  oidc_consents: ofAccount,
  oidc_consent_requests: ofAccount,
  oidc_grants: ofAccount,
  oidc_records: { of: 'installation', why: 'It belongs to the issuer.' },
  runner_pools: { of: 'installation', why: 'The machines of its pools belong to the installation.' },
  runner_machines: { of: 'installation', why: 'Its keys open the way to the NATS server of this installation.' },
  runner_enrolments: { of: 'installation', why: 'It can be used for 15 minutes.' },
  remote_jobs: { of: 'installation', why: 'Machines hold them only for the server that gave them away.' },
  nats_authority: { of: 'installation', why: 'Its keys open the way to the NATS server of this installation.' },
  workspace_runner_pools: { of: 'installation', why: 'The pools belong to the installation.' },
  form_packages: { of: 'installation', why: 'It names the forms that the operator installed.' },
  oidc_keys: { of: 'installation', why: 'It belongs to the issuer.' },
  master_keys: ofVault,
  data_keys: ofVault,
  key_jobs: ofVault,
  installation_secrets: ofVault,
};

/** Condition over `@workspaceId` for the rows of a Workspace, in a table that has such rows. */
export function rowsOfWorkspace(table: string): string {
  const rows = ledgerTables[table];
  return rows && rows.of !== 'installation' ? rows.workspace : inWorkspace;
}
