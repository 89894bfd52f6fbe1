import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import { isAwaited } from '../../api/awaited.ts';
import { capsuleBindingsQuery } from '../../api/bindings.ts';
import { capsuleQuery, reportQuery, runsQuery } from '../../api/records.ts';
import { findReturn } from '../../api/returns.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { type Again, useAgain } from '../../api/use-again.ts';
import { whenKnown } from '../../api/when-known.ts';
import { Allowed } from '../../components/allowed.tsx';
import { CapsuleMarks } from '../../components/capsule-marks.tsx';
import { DiscardCapsule } from '../../components/discard-capsule.tsx';
import { FavoriteStar } from '../../components/favorite-star.tsx';
import { Labels } from '../../components/labels.tsx';
import { LateStates } from '../../components/late-states.tsx';
import { PageError } from '../../components/page-error.tsx';
import { PlanAgainButtons } from '../../components/plan-again-buttons.tsx';
import { PlanAgainPanel } from '../../components/plan-again-panel.tsx';
import { useStopped } from '../../components/provider-bindings/stopped.tsx';
import { ReturnOffer } from '../../components/return-offer.tsx';
import { capsuleStatusText } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { pageActionsMark } from '../../ui/page-actions.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { PageTitle, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { CapsuleContext } from './capsule-context.ts';
import { CapsuleTabs } from './capsule-tabs.tsx';
import { CheckDrift } from './check-drift.tsx';
import { CredentialsNeeded } from './configuration/credentials.tsx';
import { DestroyCapsule } from './destroy-capsule.tsx';
import { HeldNote } from './hold/held-note.tsx';
import { HoldCapsule } from './hold/hold-capsule.tsx';
import { isApplied } from './living.ts';
import { MoveVersion } from './move-version.tsx';
import { NextStep } from './next-step.tsx';

/** Frame of the pages of a Capsule: status, actions, what it needs, and the tabs. */
export function CapsulePage({ id }: { id: string }) {
  const capsule = useQuery(capsuleQuery(id));
  // A Connection that cannot be used is reported above everything else.
  const bindings = useQuery(capsuleBindingsQuery(id));
  if (capsule.isPending || (capsule.data && isAwaited(bindings))) return <Skeleton lines={6} />;
  if (!capsule.data) return <PageError error={capsule.error} onAgain={() => void capsule.refetch()} />;
  return <CapsuleView key={id} capsule={capsule.data} />;
}

/** Compatibility report of the applied commit, or of the planned one. */
const useReport = (capsule: Capsule) => {
  const id = capsule.compatibilityReportId;
  return useQuery(whenKnown(id, reportQuery)).data;
};

function CapsuleView({ capsule }: { capsule: Capsule }) {
  const t = useText();
  const report = useReport(capsule);
  const again = useAgain(capsule);
  const isStopped = useStopped(capsule.id);
  return (
    <>
      <PageTitle
        title={visibleText(capsule.name)}
        lead={
          <span className="flex flex-wrap items-center gap-2">
            Capsule <StatusBadge statusText={capsuleStatusText(capsule)} />
            <CapsuleMarks capsule={capsule} />
            <FavoriteStar capsule={capsule} />
            <Labels labels={capsule.labels} />
          </span>
        }
        actions={<Actions capsule={capsule} again={again} />}
      />
      {again.attempt && (
        <PlanAgainPanel
          attempt={again.attempt}
          commit={capsule.adoptedSourceRevision?.resolvedCommit}
          again={again}
          other={<MoveVersion capsule={capsule} again={again} />}
        />
      )}
      {capsule.hold && <HeldNote capsule={capsule} hold={capsule.hold} />}
      <LateStates capsuleId={capsule.id} />
      <CredentialsNeeded capsule={capsule} />
      <WayBack capsule={capsule} />
      {!again.attempt && !(isStopped && capsule.latestRun?.awaits) && (
        <div {...pageActionsMark} className="mb-4 empty:hidden">
          <NextStep capsule={capsule} />
        </div>
      )}
      {!again.canFetch && <p className="mb-4 text-xs text-muted">{t('again.lane')}</p>}
      <CapsuleTabs id={capsule.id} />
      <CapsuleContext value={{ capsule, report, again }}>
        <Suspense fallback={<Skeleton lines={6} />}>
          <Outlet />
        </Suspense>
      </CapsuleContext>
    </>
  );
}

/** Return link to the client, shown here until the user follows it. */
function WayBack({ capsule }: { capsule: Capsule }) {
  const storedReturn = findReturn(capsule.id);
  const workspaceId = useWorkspaceId();
  const filter = { capsuleId: capsule.id, type: 'apply', status: 'succeeded', limit: '100' } as const;
  const isOffered = storedReturn !== undefined && !storedReturn.isFollowed && capsule.status !== 'destroyed';
  const runs = useInfiniteQuery({ ...runsQuery(workspaceId, filter), enabled: isOffered }).data;
  const runId = storedReturn?.runId ?? runs?.pages[0]?.runs.at(-1)?.id;
  return isOffered && runId !== undefined ? <ReturnOffer capsuleId={capsule.id} runId={runId} /> : null;
}

function Actions({ capsule, again }: { capsule: Capsule; again: Again }) {
  return (
    <>
      {capsule.status === 'pending' && <DiscardCapsule capsule={capsule} />}
      {isApplied(capsule) && (
        <Allowed to="planDestroy">
          <DestroyCapsule capsule={capsule} />
        </Allowed>
      )}
      {isApplied(capsule) && (
        <Allowed to="checkDrift">
          <CheckDrift capsule={capsule} />
        </Allowed>
      )}
      {!capsule.hold && capsule.status !== 'destroyed' && (
        <Allowed to="holdCapsule">
          <HoldCapsule capsule={capsule} />
        </Allowed>
      )}
      <PlanAgainButtons capsule={capsule} again={again} />
    </>
  );
}
