import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import type { Run } from '#shared/runs/contract';
import { type Choice, usePlanAgain } from './plan-again.ts';
import { reportQuery, snapshotQuery, sourceQuery } from './records.ts';

export type Again = ReturnType<typeof useAgain>;

/** The ref and folder that a Capsule follows; null when they cannot be told, undefined while they are looked up. */
function useLane(capsule: Capsule, snapshotId: string | undefined) {
  const adopted = capsule.adoptedSourceRevision;
  const needsSnapshot = adopted === undefined && snapshotId !== undefined;
  const snapshot = useQuery({ ...snapshotQuery(capsule.sourceId, snapshotId ?? ''), enabled: needsSnapshot });
  const lane: { ref: string; path: string } | null | undefined = adopted ?? snapshot.data;
  return { lane, isLoading: snapshot.isLoading };
}

/**
 * Planning a Capsule again: from the newest commit, or from the one of a Run or of the Capsule. It goes on over a reload,
 * and leads to the plan when its page is open.
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
    /** An attempt is under way and waits for nobody. */
    isGoing: attempt !== undefined && !attempt.failure && !attempt.asks,
    /** What was told of the module before, and the address it follows, are known: without them nothing could be asked. */
    isReady: !ofSource.isLoading && !ofReport.isLoading && !ofLane.isLoading,
    /** Another Run has to end first. */
    isBusy: latestRun?.status === 'queued' || latestRun?.status === 'running',
    isPossible: status !== 'destroyed' && status !== 'disabled',
  };
}
