import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RunRow } from '#shared/runs/contract';
import type { Source } from '#shared/sources/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { keys } from '../../api/queries.ts';
import { type RunProgress, useRunProgress } from '../../api/run-progress.ts';
import { isAtWork } from '../../api/run-record.ts';
import { useWorkspaceId } from '../../api/session.tsx';

const filter = { type: 'source_sync', limit: '100' } as const;

/** Newest sync of a Source, requested here or elsewhere. */
function useNewestSync(sourceId: string): RunRow | undefined {
  const workspaceId = useWorkspaceId();
  const { data } = useQuery({
    queryKey: keys.runs(filter),
    queryFn: async () => (await api.listRuns({ params: { workspaceId }, query: filter })).body.runs,
  });
  return data?.find((run) => run.sourceId === sourceId);
}

/** Syncs a Source, one sync at a time, and follows the running one live. */
export function useSync(source: Source) {
  const newest = useNewestSync(source.id);
  const [startedId, setStartedId] = useState<string>();
  const {
    run: start,
    isBusy,
    error,
  } = useIntent(async (keyOf) => {
    const { run } = (await api.syncSource({ params: { sourceId: source.id }, body: {} }, keyOf('sync'))).body;
    setStartedId(run.id);
  });
  const runId = newest && isAtWork(newest.status) ? newest.id : startedId;
  const progress: RunProgress | undefined = useRunProgress(runId);
  return { start, isBusy, error, newest, runId, progress, isRunning: progress !== undefined && !progress.isOver };
}
