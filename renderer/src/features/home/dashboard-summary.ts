import { queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Capsule } from '#shared/capsules/contract';
import type { InstallPlan } from '#shared/install-plans/contract';
import type { RequestedPlan } from '#shared/notifications/contract';
import type { RunRow } from '#shared/runs/contract';
import { attentionQuery } from '../../api/attention.ts';
import { api } from '../../api/client.ts';
import { favoritesQuery } from '../../api/favorites.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { capsulesQuery, driftQuery, installPlansQuery, runsQuery } from '../../api/records.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { waitingQuery } from '../../api/waiting.ts';
import { type RemainingAttention, withoutRequested } from './without-requested.ts';

const shownRuns = 20;
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
  requested: readonly RequestedPlan[];
  attention: RemainingAttention;
  /** Installations that continue when their page is opened. */
  left: InstallPlan[];
  running: RunRow[];
  failedInstalls: InstallPlan[];
  /** Capsules with drift that no person has acknowledged, or whose newest check failed. */
  drifted: Capsule[];
  hasMoreDrift: boolean;
  favorites: readonly Capsule[];
  applied: Capsule[];
  /** True when nothing was ever installed here. */
  isFirstTime: boolean;
};

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

const shownDrift = '8';

/** Returns the content of the home page. */
export function useDashboardSummary() {
  const workspaceId = useWorkspaceId();
  const ofCapsules = useCapsules(workspaceId);
  const running = useInfiniteQuery(runsQuery(workspaceId, { status: 'queued,running', limit: String(shownRuns) }));
  const attention = useQuery(attentionQuery(workspaceId));
  const favorites = useQuery(favoritesQuery(workspaceId));
  const installs = useQuery(installPlansQuery(workspaceId));
  const drift = useQuery(driftQuery(workspaceId, shownDrift));
  const requests = useQuery(waitingQuery(workspaceId));
  const queries = [...ofCapsules.queries, running, attention, favorites, installs, drift, requests];
  const failed = queries.find((query) => query.isLoadingError);
  const again = () => {
    for (const query of queries) if (query.isError) void query.refetch();
  };
  if (failed) return { error: failed.error, again };
  const { capsules } = ofCapsules;
  const isKnown = running.data && attention.data && favorites.data && installs.data && drift.data && requests.data;
  if (!capsules || !isKnown) return {};
  const plans = newestOfEach(installs.data);
  const since = Date.now() - recentMs;
  const failedInstalls = plans.filter(
    (plan) =>
      plan.phase === 'failed' &&
      !isCancelled(plan) &&
      plan.capsuleId === undefined &&
      Date.parse(plan.updatedAt) > since,
  );
  const summary: DashboardSummary = {
    requested: requests.data.requests,
    attention: withoutRequested(attention.data, requests.data.requests),
    left: plans.filter(isOpen),
    running: running.data.pages.flatMap((page) => page.runs),
    failedInstalls,
    drifted: drift.data.capsules,
    hasMoreDrift: drift.data.nextCursor !== undefined,
    favorites: favorites.data,
    applied: capsules.filter(({ status }) => status === 'active' || status === 'stale').slice(0, 6),
    isFirstTime: capsules.length === 0 && plans.length === 0,
  };
  return { summary };
}
