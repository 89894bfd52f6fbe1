import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { SearchResult } from '#shared/search/contract';
import { api } from '../../api/client.ts';
import { appsQuery } from '../../api/interfaces.ts';
import { keys } from '../../api/queries.ts';
import { useWorkspaceId } from '../../api/session.tsx';

const limit = '4';

/** Returns the Capsules and Runs of the Workspace that changed last, and apps that the person may open. */
export function useRecentRecords(): readonly SearchResult[] {
  const workspaceId = useWorkspaceId();
  const params = { workspaceId };
  const place = { workspaceId, workspaceName: '' };
  const capsules = useQuery({
    queryKey: keys.capsules({ recent: limit }),
    queryFn: async () =>
      (await api.listCapsules({ params, query: { order: 'updated_desc', includeDestroyed: '0', limit } })).body
        .capsules,
    retry: false,
  }).data;
  const runs = useQuery({
    queryKey: keys.runs({ recent: limit }),
    queryFn: async () => (await api.listRuns({ params, query: { limit } })).body.runs,
    retry: false,
  }).data;
  const apps = useInfiniteQuery({ ...appsQuery(workspaceId, { limit }), retry: false }).data?.pages[0]?.interfaces;
  return [
    ...(capsules ?? []).map(
      ({ id, name, environment, status }): SearchResult => ({
        kind: 'capsule',
        id,
        ...place,
        name,
        environment,
        status,
      }),
    ),
    ...(apps ?? []).map(
      ({ id, name, spec, status }): SearchResult => ({
        kind: 'interface',
        id,
        ...place,
        name,
        type: spec.type,
        phase: status.phase,
      }),
    ),
    ...(runs ?? []).map(
      ({ id, type, status, createdAt, ...run }): SearchResult => ({
        kind: 'run',
        id,
        ...place,
        type,
        status,
        createdAt,
        ...('capsuleName' in run && typeof run.capsuleName === 'string' && { capsuleName: run.capsuleName }),
        ...('resolvedCommit' in run &&
          typeof run.resolvedCommit === 'string' && { resolvedCommit: run.resolvedCommit }),
      }),
    ),
  ];
}
