import { QueryClient, type QueryKey } from '@tanstack/react-query';
import { ApiError } from './client.ts';

/** Nothing polls: what is shown is fetched once and again when the Workspace's stream says that it changed. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: true,
      retry: (count, error) => !(error instanceof ApiError) && count < 3,
    },
  },
});

/** Keys of the cache, one home: the stream of the Workspace forgets by these. */
export const keys = {
  runs: (filter: Record<string, unknown> = {}): QueryKey => ['run', 'list', filter],
  run: (id: string): QueryKey => ['run', 'one', id],
  plan: (runId: string): QueryKey => ['run', 'plan', runId],
  capsules: (filter: Record<string, unknown> = {}): QueryKey => ['capsule', 'list', filter],
  capsule: (id: string): QueryKey => ['capsule', 'one', id],
  outputs: (capsuleId: string): QueryKey => ['state_version', 'outputs', capsuleId],
  states: (capsuleId: string): QueryKey => ['state_version', 'list', capsuleId],
  sources: (filter: Record<string, unknown> = {}): QueryKey => ['source', 'list', filter],
  source: (id: string): QueryKey => ['source', 'one', id],
  snapshots: (sourceId: string): QueryKey => ['source', 'snapshots', sourceId],
  modules: (snapshotId: string): QueryKey => ['modules', snapshotId],
  installPlans: (filter: Record<string, unknown> = {}): QueryKey => ['install_plan', 'list', filter],
  installPlan: (id: string): QueryKey => ['install_plan', 'one', id],
  capabilities: ['runner', 'capabilities'] as QueryKey,
};

/** A record of this kind has changed: its lists, and the one record, are fetched again where they are shown. */
export function forgetChanged({ kind, id }: { kind: string; id: string }): void {
  void queryClient.invalidateQueries({ queryKey: [kind, 'list'] });
  void queryClient.invalidateQueries({ queryKey: [kind, 'one', id] });
  if (kind === 'run' || kind === 'state_version') void queryClient.invalidateQueries({ queryKey: ['capsule'] });
  if (kind === 'state_version') void queryClient.invalidateQueries({ queryKey: ['state_version'] });
  if (kind === 'source') void queryClient.invalidateQueries({ queryKey: ['source', 'snapshots', id] });
  if (kind === 'runner') void queryClient.invalidateQueries({ queryKey: keys.capabilities });
}
