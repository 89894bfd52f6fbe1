import { useQuery } from '@tanstack/react-query';
import type { PlanDocument } from '#shared/plans/document';
import { ApiError, api } from './client.ts';
import { keys } from './queries.ts';
import { runQuery } from './records.ts';
import { hasEnded } from './run-record.ts';

/** The first page is small, so that it arrives soon. */
const firstPage = '1000';
const nextPage = '5000';

/** Loads the whole plan of a Run, page by page. */
async function loadPlan(runId: string): Promise<PlanDocument> {
  const load = async (query: { after?: string; limit: string }) =>
    (await api.getRunPlan({ params: { runId }, query })).body.plan;
  const first = await load({ limit: firstPage });
  const resources = [...first.resources];
  let { nextAfter } = first;
  while (nextAfter !== undefined) {
    const page = await load({ after: String(nextAfter), limit: nextPage });
    resources.push(...page.resources);
    nextAfter = page.nextAfter;
  }
  return { ...first, resources };
}

/** The plan of a Run. A stored plan never changes; until it exists, only the Run is requested. */
export function usePlan(runId: string) {
  const run = useQuery(runQuery(runId));
  const isAwaited = run.data !== undefined && run.data.planDigest === undefined;
  const plan = useQuery({
    queryKey: keys.plan(runId),
    queryFn: () => loadPlan(runId),
    enabled: !run.isPending && !isAwaited,
    staleTime: (query) => (query.state.data === undefined ? 0 : ('static' as const)),
  });
  const isRefused = plan.error instanceof ApiError && plan.error.details['reason'] === 'plan_not_ready';
  return { plan, isNotReady: isAwaited || isRefused, hasEnded: run.data !== undefined && hasEnded(run.data.status) };
}
