import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import type { Run } from '#shared/runs/contract';
import { type Choice, type Target, useAttempt } from './attempts.ts';
import { adoptRevision, closeAttempt, confirmAttempt, startAttempt, watchAttempt } from './plan-attempts.ts';
import { reportQuery, snapshotQuery, sourceQuery } from './records.ts';
import { openRevisionQuery } from './revision-attempt.ts';
import { useMay } from './role.ts';
import { useSession, useWorkspaceId } from './session.tsx';
import { whenKnown } from './when-known.ts';

export type Again = ReturnType<typeof useAgain>;

/** The ref and path that a Capsule follows; null when they are unknown, undefined while they load. */
function useLane(capsule: Capsule, snapshotId: string | undefined) {
  const adopted = capsule.adoptedSourceRevision;
  const needsSnapshot = adopted === undefined && snapshotId !== undefined;
  const snapshot = useQuery(
    whenKnown(needsSnapshot ? snapshotId : undefined, (id) => snapshotQuery(capsule.sourceId, id)),
  );
  const lane: { ref: string; path: string } | null | undefined = adopted ?? (snapshot.isError ? null : snapshot.data);
  return { lane, isLoading: snapshot.isLoading };
}

/** Opens and follows the revision plan of a Capsule that the same account has started in another tab or browser. */
function useOpenRevision(target: Target, isEnabled: boolean): void {
  const workspaceId = useWorkspaceId();
  const actorId = useSession().data?.session.subject;
  const may = useMay();
  const mayExist = isEnabled && target.ref !== undefined && may('createRevisionPlan');
  const queryOf = (id: string) => openRevisionQuery({ workspaceId, capsuleId: target.capsuleId, actorId: id });
  const plan = useQuery(whenKnown(mayExist ? actorId : undefined, queryOf)).data;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the target is a new object on every render
  useEffect(() => {
    if (plan !== undefined) adoptRevision(target, plan);
  }, [plan]);
}

/**
 * Plans a Capsule again: from the newest commit, or from the one of a Run or of the Capsule. It continues after a
 * reload, and opens the plan when its page is still shown.
 */
export function useAgain(capsule: Capsule, run?: Pick<Run, 'compatibilityReportId' | 'sourceSnapshotId'>) {
  const navigate = useNavigate();
  const { id: capsuleId, sourceId, latestRun, status } = capsule;
  const ofSource = useQuery(sourceQuery(sourceId));
  const source = ofSource.data;
  const reportId = run?.compatibilityReportId ?? capsule.compatibilityReportId;
  const ofReport = useQuery(whenKnown(reportId, reportQuery));
  const report = ofReport.data;
  const snapshotId =
    run?.sourceSnapshotId ?? capsule.adoptedSourceRevision?.sourceSnapshotId ?? report?.sourceSnapshotId;
  const ofLane = useLane(capsule, snapshotId);
  const { lane } = ofLane;
  const isApplied = capsule.currentStateVersionId !== undefined;
  // Before the first apply the Source fetches its default address; a Capsule that follows another one keeps its commit.
  const canFetch =
    isApplied ||
    lane === undefined ||
    !source ||
    (lane !== null && lane.ref === source.defaultRef && lane.path === source.defaultPath);
  const ref = isApplied ? (lane?.ref ?? source?.defaultRef) : undefined;
  const target = { capsuleId, sourceId, ref, modulePath: report?.modulePath, snapshotId, reportId: report?.id };
  const isReady = !ofSource.isLoading && !ofReport.isLoading && !ofLane.isLoading;
  const isPossible = status !== 'destroyed' && status !== 'disabled';
  const attempt = useAttempt(capsuleId);
  useEffect(
    () => watchAttempt(capsuleId, (id) => void navigate({ to: '/runs/$id', params: { id } })),
    [capsuleId, navigate],
  );
  useOpenRevision(target, isReady && isPossible);
  return {
    attempt,
    agree: () => confirmAttempt(capsuleId),
    clear: () => closeAttempt(capsuleId),
    start: (choice: Choice) => startAttempt(target, canFetch ? choice : 'same', report),
    /** Plans the newest commit of another ref, which the Capsule follows once that plan is applied. */
    moveTo: (to: string) => startAttempt({ ...target, ref: to }, 'newest', report),
    /** Starts the attempt that failed again, with the same ref. */
    retry: () => attempt && startAttempt(attempt.target, attempt.choice, report),
    /** Ref of the attempt when it is not the followed one. */
    movesTo: attempt?.choice === 'newest' && attempt.target.ref !== ref ? attempt.target.ref : undefined,
    /** Ref that the Capsule follows; undefined before its first apply. */
    ref,
    canFetch,
    hasSame: snapshotId !== undefined,
    /** True while an attempt is running and does not wait for the user. */
    isGoing: attempt !== undefined && !attempt.failure && !attempt.asks,
    /** True once the confirmed report and the followed ref and path are loaded. Planning again needs both. */
    isReady,
    /** True while another Run has to end first. */
    isBusy: latestRun?.status === 'queued' || latestRun?.status === 'running',
    isPossible,
  };
}
