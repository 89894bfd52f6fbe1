import { QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query';
import { ApiError } from './client.ts';
import { isSealed } from './sealed.ts';

/**
 * Invalidates the session query when the server restarted and cannot open its vault, so that the locked page is shown.
 */
const refetchSession = (error: Error, { queryKey }: { queryKey: QueryKey }): void => {
  if (!isSealed(error) || queryKey[0] === keys.session[0]) return;
  void queryClient.invalidateQueries({ queryKey: keys.session });
};

/** No query polls: data is fetched once, and again when the Workspace's stream reports a change. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, query) => refetchSession(error, query) }),
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: true,
      retry: (count, error) => !(error instanceof ApiError) && count < 3,
    },
  },
});

/** Keys of the query cache. The stream of the Workspace invalidates by these keys. */
export const keys = {
  runs: (filter: Record<string, unknown> = {}): QueryKey => ['run', 'list', filter],
  run: (id: string): QueryKey => ['run', 'one', id],
  waiting: (workspaceId: string): QueryKey => ['run', 'list', 'waiting', workspaceId],
  notificationPreferences: ['account', 'notifications'] as QueryKey,
  // Nested under the Runs, because the status of a group follows its Runs.
  runGroup: (id: string): QueryKey => ['run', 'list', 'group', id],
  runGroups: (filter: Record<string, unknown> = {}): QueryKey => ['run', 'list', 'groups', filter],
  usage: (workspaceId: string): QueryKey => ['run', 'list', 'usage', workspaceId],
  // Nested under the Runs, because a Run makes each backup.
  backups: (workspaceId: string): QueryKey => ['run', 'list', 'backups', workspaceId],
  // Nested under the Runs, because a backup of the schedule is a Run.
  backupSchedule: (workspaceId: string): QueryKey => ['run', 'list', 'backup-schedule', workspaceId],
  restore: (runId: string): QueryKey => ['run', 'one', runId, 'restore'],
  lateStates: (capsuleId: string): QueryKey => ['capsule', 'late', capsuleId],
  usageOf: (capsuleId: string): QueryKey => ['capsule', 'usage', capsuleId],
  plan: (runId: string): QueryKey => ['run', 'plan', runId],
  planComparison: (runId: string, otherId: string): QueryKey => ['run', 'comparison', runId, otherId],
  inputChanges: (runId: string): QueryKey => ['run', 'inputs', runId],
  capsules: (filter: Record<string, unknown> = {}): QueryKey => ['capsule', 'list', filter],
  overview: (workspaceId: string): QueryKey => ['capsule', 'list', 'overview', workspaceId],
  capsule: (id: string): QueryKey => ['capsule', 'one', id],
  outputs: (capsuleId: string): QueryKey => ['state_version', 'outputs', capsuleId],
  states: (capsuleId: string): QueryKey => ['state_version', 'list', capsuleId],
  dependencies: (capsuleId: string): QueryKey => ['dependency', 'list', capsuleId],
  shares: (workspaceId: string): QueryKey => ['output_share', 'list', workspaceId],
  connections: (filter: Record<string, unknown> = {}): QueryKey => ['connection', 'list', filter],
  connection: (id: string): QueryKey => ['connection', 'one', id],
  connectionUses: (id: string): QueryKey => ['connection', 'uses', id],
  boundCapsules: (connectionId: string): QueryKey => ['connection', 'capsules', connectionId],
  bindings: (capsuleId: string): QueryKey => ['capsule', 'bindings', capsuleId],
  configuration: (capsuleId: string): QueryKey => ['capsule', 'configuration', capsuleId],
  bindingsPreview: ['bindings_preview'] as QueryKey,
  connectionTest: (id: string): QueryKey => ['connection', 'test', id],
  recipes: ['recipes'] as QueryKey,
  sources: (filter: Record<string, unknown> = {}): QueryKey => ['source', 'list', filter],
  source: (id: string): QueryKey => ['source', 'one', id],
  snapshots: (sourceId: string): QueryKey => ['source', 'snapshots', sourceId],
  copies: (workspaceId: string): QueryKey => ['copy', 'list', workspaceId],
  copy: (id: string): QueryKey => ['copy', 'one', id],
  // Nested under the copy, because the stream reports its revisions as changes of it.
  copyRevision: (copyId: string, id: string): QueryKey => ['copy', 'one', copyId, 'revision', id],
  comparison: (from: string, to: string): QueryKey => ['comparison', from, to],
  code: (snapshotId: string, path: string, lines: string): QueryKey => ['code', snapshotId, path, lines],
  subjects: (snapshotIds: string): QueryKey => ['subjects', snapshotIds],
  modules: (snapshotId: string): QueryKey => ['modules', snapshotId],
  installPlans: (filter: Record<string, unknown> = {}): QueryKey => ['install_plan', 'list', filter],
  // Nested under the installations, because the stream reports both by one kind.
  openRevision: (capsuleId: string): QueryKey => ['install_plan', 'list', 'revision', capsuleId],
  installPlan: (id: string): QueryKey => ['install_plan', 'one', id],
  activity: (filter: Record<string, unknown> = {}): QueryKey => ['activity', 'list', filter],
  attention: (workspaceId: string): QueryKey => ['attention', workspaceId],
  favorites: (workspaceId: string): QueryKey => ['capsule', 'list', 'favorites', workspaceId],
  graph: (workspaceId: string): QueryKey => ['dependency', 'list', 'graph', workspaceId],
  search: (workspaceId: string, q: string): QueryKey => ['search', workspaceId, q],
  members: (workspaceId: string): QueryKey => ['member', 'list', workspaceId],
  capabilities: ['runner', 'capabilities'] as QueryKey,
  runnerPools: ['runner', 'list', 'pools'] as QueryKey,
  runnerMachines: (poolId: string): QueryKey => ['runner', 'list', 'machines', poolId],
  runnerEnrolments: (poolId: string): QueryKey => ['runner', 'list', 'enrolments', poolId],
  workspacePools: (workspaceId: string): QueryKey => ['runner', 'list', 'workspace', workspaceId],
  vault: ['vault', 'status'] as QueryKey,
  recoveryKit: ['vault', 'recovery_kit'] as QueryKey,
  pause: ['installation', 'pause'] as QueryKey,
  installation: ['installation', 'one'] as QueryKey,
  reviewedMembers: ['installation', 'members'] as QueryKey,
  reviewedConnections: ['installation', 'connections'] as QueryKey,
  session: ['session'] as QueryKey,
  sessions: ['account', 'sessions'] as QueryKey,
  consents: ['account', 'consents'] as QueryKey,
  tokens: ['tokens'] as QueryKey,
  interfaces: (filter: Record<string, unknown> = {}): QueryKey => ['interface', 'list', filter],
  apps: (workspaceId: string): QueryKey => ['interface', 'list', 'apps', workspaceId],
  interfaceFailures: (workspaceId: string): QueryKey => ['interface', 'list', 'failures', workspaceId],
  interface: (id: string): QueryKey => ['interface', 'one', id],
  interfaceBindings: (id: string): QueryKey => ['interface', 'one', id, 'bindings'],
  formResources: (workspaceId: string): QueryKey => ['form_resource', 'list', workspaceId],
  formResource: (id: string): QueryKey => ['form_resource', 'one', id],
  webhooks: (workspaceId: string): QueryKey => ['webhook', 'list', workspaceId],
  webhook: (id: string): QueryKey => ['webhook', 'one', id],
  deliveries: (id: string, filter: Record<string, unknown>): QueryKey => ['webhook', 'one', id, 'deliveries', filter],
  workspaces: ['workspace', 'list'] as QueryKey,
  workspace: (id: string): QueryKey => ['workspace', 'one', id],
  projects: (workspaceId: string): QueryKey => ['workspace', 'projects', workspaceId],
};

/**
 * Invalidates the lists and the record of a kind after a change, so that they are fetched again where they are shown.
 */
export function invalidateRecord({ kind, id }: { kind: string; id: string }): void {
  void queryClient.invalidateQueries({ queryKey: [kind, 'list'] });
  void queryClient.invalidateQueries({ queryKey: [kind, 'one', id] });
  // Every change also appears in the history.
  void queryClient.invalidateQueries({ queryKey: ['activity'] });
  void queryClient.invalidateQueries({ queryKey: ['attention'] });
  // Pools show what waits in them.
  if (kind === 'run') void queryClient.invalidateQueries({ queryKey: ['runner', 'list'] });
  if (kind === 'run' || kind === 'state_version') void queryClient.invalidateQueries({ queryKey: ['capsule'] });
  if (kind === 'state_version') void queryClient.invalidateQueries({ queryKey: ['state_version'] });
  if (kind === 'backup_schedule') void queryClient.invalidateQueries({ queryKey: keys.backupSchedule(id) });
  if (kind === 'dependency' || kind === 'connection')
    void queryClient.invalidateQueries({ queryKey: ['capsule', 'configuration'] });
  if (kind === 'source') void queryClient.invalidateQueries({ queryKey: ['source', 'snapshots', id] });
  if (kind === 'connection') {
    void queryClient.invalidateQueries({ queryKey: keys.connectionUses(id) });
    // A Connection that expires or fails its test blocks the Capsules it is bound to.
    void queryClient.invalidateQueries({ queryKey: ['capsule', 'bindings'] });
    void queryClient.invalidateQueries({ queryKey: keys.bindingsPreview });
  }
  if (kind === 'capsule') {
    // The graph shows the status of each Capsule.
    void queryClient.invalidateQueries({ queryKey: ['dependency', 'list', 'graph'] });
    void queryClient.invalidateQueries({ queryKey: keys.bindings(id) });
    void queryClient.invalidateQueries({ queryKey: keys.lateStates(id) });
    void queryClient.invalidateQueries({ queryKey: keys.configuration(id) });
    void queryClient.invalidateQueries({ queryKey: ['interface', 'list', 'failures'] });
    void queryClient.invalidateQueries({ queryKey: ['connection', 'capsules'] });
    // Requests for an approval show the hold of their Capsule.
    void queryClient.invalidateQueries({ queryKey: ['run', 'list', 'waiting'] });
  }
  if (kind === 'workspace') void queryClient.invalidateQueries({ queryKey: keys.session });
  if (kind === 'backup') void queryClient.invalidateQueries({ queryKey: ['run', 'list'] });
  if (kind === 'runner') void queryClient.invalidateQueries({ queryKey: keys.capabilities });
}
