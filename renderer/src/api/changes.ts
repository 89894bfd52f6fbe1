import { infiniteQueryOptions } from '@tanstack/react-query';
import type { GroupChange, RunChange, RunTrigger } from '#shared/runs/changes';
import type { RunRow, RunStatus, RunType } from '#shared/runs/contract';
import { api } from './client.ts';
import { keys } from './queries.ts';

/** A row of the list of changes, with the Runs that it names. */
export type ListedChange =
  | { kind: 'run'; id: string; change: RunChange; run: RunRow; apply: RunRow | undefined }
  | { kind: 'group'; id: string; change: GroupChange };

type ChangeFilter = {
  q?: string;
  capsuleId?: string;
  type?: RunType;
  status?: RunStatus;
  awaits?: 'approve' | 'apply';
  createdBy?: string;
  commit?: string;
  trigger?: RunTrigger;
};

/** Changes of the Workspace or of a Capsule, newest first. */
export const changesQuery = (workspaceId: string, filter: ChangeFilter) =>
  infiniteQueryOptions({
    queryKey: [...keys.runs(filter), 'changes'],
    queryFn: async ({ pageParam }) => {
      const page = pageParam === undefined ? {} : { cursor: pageParam };
      const query = { ...filter, view: 'changes' as const, limit: '50', ...page };
      const { runs, changes = [], nextCursor } = (await api.listRuns({ params: { workspaceId }, query })).body;
      const runById = new Map(runs.map((run) => [run.id, run]));
      const rows = changes.flatMap((change): ListedChange[] => {
        if (change.kind === 'group') return [{ kind: 'group', id: change.runGroupId, change }];
        const run = runById.get(change.runId);
        const apply = change.applyRunId === undefined ? undefined : runById.get(change.applyRunId);
        return run ? [{ kind: 'run', id: run.id, change, run, apply }] : [];
      });
      return { rows, nextCursor };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
  });
