import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import type { Run } from '#shared/runs/contract';
import { type Choice, usePlanAgain } from './plan-again.ts';
import { reportQuery, snapshotQuery, sourceQuery } from './records.ts';

export type Again = ReturnType<typeof useAgain>;

/** The ref and path that a Capsule follows; null when they are unknown, undefined while they load. */
function useLane(capsule: Capsule, snapshotId: string | undefined) {
  const adopted = capsule.adoptedSourceRevision;
  const needsSnapshot = adopted === undefined && snapshotId !== undefined;
  const snapshot = useQuery({ ...snapshotQuery(capsule.sourceId, snapshotId ?? ''), enabled: needsSnapshot });
  const lane: { ref: string; path: string } | null | undefined = adopted ?? snapshot.data;
  return { lane, isLoading: snapshot.isLoading };
}

/**
 * Plans a Capsule again: from the newest commit, or from the one of a Run or of the Capsule. It continues after a
 * reload, and opens the plan when its page is still shown.
 */
export function useAgain(capsule: Capsule, run?: Pick<Run, 'compatibilityReportId' | 'sourceSnapshotId'>) {
  const navigate = useNavigate();
  const ofSource = useQuery(sourceQuery(capsule.sourceId));
  const source = ofSource.data;
  const reportId = run?.compatibilityReportId ?? capsule.compatibilityReportId;
  const ofReport = useQuery({ ...reportQuery(reportId ?? ''), enabled: reportId !== undefined });
  const report = ofReport.data;
  const watchPlan = useCallback((id: string) => void navigate({ to: '/runs/$id', params: { id } }), [navigate]);
  const { attempt, start, agree, clear } = usePlanAgain(capsule.id, watchPlan);
  const snapshotId =
    run?.sourceSnapshotId ?? capsule.adoptedSourceRevision?.sourceSnapshotId ?? report?.sourceSnapshotId;
  const { id: capsuleId, sourceId, latestRun, status } = capsule;
  const target = { capsuleId, sourceId, modulePath: report?.modulePath, snapshotId, reportId: report?.id };
  const ofLane = useLane(capsule, snapshotId);
  const { lane } = ofLane;
  // A sync fetches the default address of the Source; a Capsule that follows another one keeps its commit.
  const followsDefault =
    lane === undefined ||
    !source ||
    (lane !== null && lane.ref === source.defaultRef && lane.path === source.defaultPath);
  return {
    attempt,
    agree,
    clear,
    start: (choice: Choice) => start(target, followsDefault ? choice : 'same'),
    followsDefault,
    hasSame: snapshotId !== undefined,
    /** True while an attempt is running and does not wait for the user. */
    isGoing: attempt !== undefined && !attempt.failure && !attempt.asks,
    /** True once the confirmed report and the followed ref and path are loaded. Planning again needs both. */
    isReady: !ofSource.isLoading && !ofReport.isLoading && !ofLane.isLoading,
    /** True while another Run has to end first. */
    isBusy: latestRun?.status === 'queued' || latestRun?.status === 'running',
    isPossible: status !== 'destroyed' && status !== 'disabled',
  };
}
