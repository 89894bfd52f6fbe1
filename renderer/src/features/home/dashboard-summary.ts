import { queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Capsule } from '#shared/capsules/contract';
import type { InstallPlan } from '#shared/install-plans/contract';
import type { RunRow } from '#shared/runs/contract';
import type { Source } from '#shared/sources/contract';
import { api } from '../../api/client.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { capsulesQuery, driftQuery, installPlansQuery, runsQuery, sourcesQuery } from '../../api/records.ts';
import { isAtWork } from '../../api/run-record.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { waitingQuery } from '../../api/waiting.ts';

const recentMs = 7 * 86_400_000;

const isCancelled = ({ diagnostic }: InstallPlan): boolean => diagnostic?.code === 'install_plan_cancelled';
const isOpen = ({ phase }: InstallPlan): boolean => phase !== 'reviewable' && phase !== 'failed';

/** The newest installation of each (address, name). It replaces older attempts. */
function newestOfEach(plans: readonly InstallPlan[]): InstallPlan[] {
  const seen = new Set<string>();
  return plans.filter(({ source, capsule }) => {
    const key = JSON.stringify([source.url, capsule.name, capsule.environment]);
    return seen.has(key) ? false : seen.add(key);
  });
}

export type DashboardSummary = {
  /** Plans that a colleague asks the user to review. */
  requested: RunRow[];
  /** Other plans that wait for an approval or an apply. */
  waiting: RunRow[];
  /** Installations that continue when their page is opened. */
  left: InstallPlan[];
  running: RunRow[];
  failedCapsules: Capsule[];
  failedSources: Source[];
  failedInstalls: InstallPlan[];
  /** Capsules with drift that no person has acknowledged, or whose newest check failed. */
  drifted: Capsule[];
  hasMoreDrift: boolean;
  applied: Capsule[];
  /** Number of Capsules that are out of date. */
  staleCount: number;
  /** Holds of Capsules by their ids. */
  holds: ReadonlyMap<string | undefined, Capsule['hold']>;
  /** True when nothing was ever installed here. */
  isFirstTime: boolean;
};

/** Capsules that failed without a later attempt. */
const hasFailed = ({ status, latestRun }: Capsule): boolean =>
  status !== 'destroyed' &&
  status !== 'disabled' &&
  (latestRun?.status === 'failed' || (status === 'error' && !latestRun?.awaits && latestRun?.status !== 'running'));

/**
 * The Capsules that are not destroyed, from the overview of the Workspace. Null when the overview does not have all of
 * them: it is a page of a hundred in another order, and it shows an active Workspace instead of an archived one.
 */
const overviewQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keys.overview(workspaceId),
    queryFn: async () => {
      const limits = { capsuleLimit: '100', activityLimit: '1', installConfigLimit: '1' };
      const { body } = await api.getOverview({ query: { workspaceId, includeWorkspaces: 'false', ...limits } });
      if (body.workspace?.id !== workspaceId || body.nextCapsuleCursor !== undefined) return null;
      const capsules = body.capsules.sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
      // The page of the Capsules shows the same ones.
      const { queryKey } = capsulesQuery(workspaceId, { includeDestroyed: '0' });
      queryClient.setQueryData(queryKey, { pages: [{ capsules }], pageParams: [undefined] });
      return capsules;
    },
  });

/** Capsules of the Workspace, newest change first. */
function useCapsules(workspaceId: string) {
  const overview = useQuery(overviewQuery(workspaceId));
  const list = useInfiniteQuery({
    ...capsulesQuery(workspaceId, { includeDestroyed: '0' }),
    enabled: overview.data === null,
  });
  return { queries: [overview, list], capsules: overview.data ?? list.data?.pages.flatMap((page) => page.capsules) };
}

const shownRuns = 20;
const shownDrift = '8';

/** Runs at work and plans that wait. One list has the first two kinds, unless it is longer than a page. */
function useRuns(workspaceId: string) {
  const open = useInfiniteQuery(runsQuery(workspaceId, { status: 'queued,running,waiting_approval', limit: '100' }));
  const limit = String(shownRuns);
  const apply = useInfiniteQuery(runsQuery(workspaceId, { awaits: 'apply', limit }));
  const [firstPage] = open.data?.pages ?? [];
  const enabled = firstPage?.nextCursor !== undefined;
  const running = useInfiniteQuery({ ...runsQuery(workspaceId, { status: 'queued,running', limit }), enabled });
  const approve = useInfiniteQuery({ ...runsQuery(workspaceId, { awaits: 'approve', limit }), enabled });
  const rowsOf = ({ data }: typeof open) => data?.pages.flatMap((page) => page.runs);
  const openRows = enabled ? undefined : firstPage?.runs;
  const [toApprove, toApply] = [
    openRows?.filter(({ awaits }) => awaits === 'approve').slice(0, shownRuns) ?? rowsOf(approve),
    rowsOf(apply),
  ];
  return {
    queries: [open, apply, running, approve],
    running: openRows?.filter(({ status }) => isAtWork(status)).slice(0, shownRuns) ?? rowsOf(running),
    waiting: toApprove && toApply && [...toApprove, ...toApply],
  };
}

/** Returns the content of the home page. */
export function useDashboardSummary() {
  const workspaceId = useWorkspaceId();
  const ofCapsules = useCapsules(workspaceId);
  const ofRuns = useRuns(workspaceId);
  const sources = useInfiniteQuery(sourcesQuery(workspaceId, { limit: '100' }));
  const installs = useQuery(installPlansQuery(workspaceId));
  const drift = useQuery(driftQuery(workspaceId, shownDrift));
  const requests = useQuery(waitingQuery(workspaceId));
  const queries = [...ofCapsules.queries, ...ofRuns.queries, sources, installs, drift, requests];
  const failed = queries.find((query) => query.isLoadingError);
  const again = () => {
    for (const query of queries) if (query.isError) void query.refetch();
  };
  if (failed) return { error: failed.error, again };
  const { capsules } = ofCapsules;
  const { running, waiting } = ofRuns;
  if (!capsules || !sources.data || !running || !waiting || !installs.data || !drift.data || !requests.data) return {};
  const requested = requests.data.requests;
  const plans = newestOfEach(installs.data);
  const since = Date.now() - recentMs;
  const failedInstalls = plans.filter(
    (plan) =>
      plan.phase === 'failed' &&
      !isCancelled(plan) &&
      plan.capsuleId === undefined &&
      Date.parse(plan.updatedAt) > since,
  );
  const reportedSourceIds = new Set(failedInstalls.map(({ sourceId }) => sourceId));
  const summary: DashboardSummary = {
    requested,
    waiting: waiting.filter(({ id }) => !requested.some((run) => run.id === id)),
    left: plans.filter(isOpen),
    running,
    failedCapsules: capsules.filter(hasFailed).slice(0, 8),
    failedSources: sources.data.pages
      .flatMap((page) => page.sources)
      .filter(({ id, status }) => status === 'error' && !reportedSourceIds.has(id)),
    failedInstalls,
    drifted: drift.data.capsules,
    hasMoreDrift: drift.data.nextCursor !== undefined,
    applied: capsules.filter(({ status }) => status === 'active' || status === 'stale').slice(0, 6),
    staleCount: capsules.filter(({ status }) => status === 'stale').length,
    holds: new Map(capsules.map(({ id, hold }) => [id, hold])),
    isFirstTime: capsules.length === 0 && plans.length === 0 && sources.data.pages[0]?.sources.length === 0,
  };
  return { summary };
}
