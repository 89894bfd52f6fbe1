import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Capsule } from '#shared/capsules/contract';
import type { InstallPlan } from '#shared/install-plans/contract';
import type { RunRow } from '#shared/runs/contract';
import type { Source } from '#shared/sources/contract';
import { capsulesQuery, installPlansQuery, runsQuery, sourcesQuery } from '../../api/records.ts';
import { useWorkspaceId } from '../../api/session.tsx';

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
  /** Plans that wait for an approval or an apply. */
  waiting: RunRow[];
  /** Installations that continue when their page is opened. */
  left: InstallPlan[];
  running: RunRow[];
  failedCapsules: Capsule[];
  failedSources: Source[];
  failedInstalls: InstallPlan[];
  applied: Capsule[];
  /** True when nothing was ever installed here. */
  isFirstTime: boolean;
};

/** Capsules that failed without a later attempt. */
const hasFailed = ({ status, latestRun }: Capsule): boolean =>
  status !== 'destroyed' &&
  status !== 'disabled' &&
  (latestRun?.status === 'failed' || (status === 'error' && !latestRun?.awaits && latestRun?.status !== 'running'));

/** Returns the content of the home page, from the same lists that the other pages show. */
export function useDashboardSummary() {
  const workspaceId = useWorkspaceId();
  const capsules = useInfiniteQuery(capsulesQuery(workspaceId, { includeDestroyed: '0' }));
  const sources = useInfiniteQuery(sourcesQuery(workspaceId, { limit: '100' }));
  const running = useInfiniteQuery(runsQuery(workspaceId, { status: 'queued,running', limit: '20' }));
  const approve = useInfiniteQuery(runsQuery(workspaceId, { awaits: 'approve', limit: '20' }));
  const apply = useInfiniteQuery(runsQuery(workspaceId, { awaits: 'apply', limit: '20' }));
  const installs = useQuery(installPlansQuery(workspaceId));
  const queries = [capsules, sources, running, approve, apply, installs];
  const failed = queries.find((query) => query.isLoadingError);
  const again = () => {
    for (const query of queries) if (query.isError) void query.refetch();
  };
  if (failed) return { error: failed.error, again };
  if (!capsules.data || !sources.data || !running.data || !approve.data || !apply.data || !installs.data) return {};
  const allCapsules = capsules.data.pages.flatMap((page) => page.capsules);
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
    waiting: [...approve.data.pages, ...apply.data.pages].flatMap((page) => page.runs),
    left: plans.filter(isOpen),
    running: running.data.pages.flatMap((page) => page.runs),
    failedCapsules: allCapsules.filter(hasFailed).slice(0, 8),
    failedSources: sources.data.pages
      .flatMap((page) => page.sources)
      .filter(({ id, status }) => status === 'error' && !reportedSourceIds.has(id)),
    failedInstalls,
    applied: allCapsules.filter(({ status }) => status === 'active' || status === 'stale').slice(0, 6),
    isFirstTime: allCapsules.length === 0 && plans.length === 0 && sources.data.pages[0]?.sources.length === 0,
  };
  return { summary };
}
