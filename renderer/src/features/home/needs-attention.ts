import type { DashboardSummary } from './dashboard-summary.ts';

/** Reports whether anything waits for the user, is running or has failed. */
export const needsAttention = (
  {
    requested,
    waiting,
    left,
    running,
    failedCapsules,
    failedSources,
    failedInstalls,
    drifted,
  }: Pick<
    DashboardSummary,
    'requested' | 'waiting' | 'left' | 'running' | 'failedCapsules' | 'failedSources' | 'failedInstalls' | 'drifted'
  >,
  offers: number,
): boolean =>
  offers > 0 ||
  [requested, waiting, left, running, failedCapsules, failedSources, failedInstalls, drifted].some(
    (list) => list.length > 0,
  );
