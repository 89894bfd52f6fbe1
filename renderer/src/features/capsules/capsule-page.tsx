import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Capsule } from '#shared/capsules/contract';
import { capsuleQuery, reportQuery, runsQuery, sourceQuery } from '../../api/records.ts';
import { findReturn } from '../../api/returns.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { type Again, useAgain } from '../../api/use-again.ts';
import { whenKnown } from '../../api/when-known.ts';
import { Allowed } from '../../components/allowed.tsx';
import { DiscardCapsule } from '../../components/discard-capsule.tsx';
import { PageError } from '../../components/page-error.tsx';
import { PlanAgainButtons } from '../../components/plan-again-buttons.tsx';
import { PlanAgainPanel } from '../../components/plan-again-panel.tsx';
import { useStopped } from '../../components/provider-bindings/stopped.tsx';
import { ReturnOffer } from '../../components/return-offer.tsx';
import { capsuleStatusText } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { PageTitle, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { AboutCapsule } from './about.tsx';
import { CheckDrift } from './check-drift.tsx';
import { CapsuleCredentials, CredentialsNeeded } from './credentials.tsx';
import { DestroyCapsule } from './destroy-capsule.tsx';
import { CapsuleHistory } from './history.tsx';
import { InputLinks } from './links/inputs.tsx';
import { OutputShares } from './links/shares.tsx';
import { NextStep } from './next-step.tsx';
import { CapsuleOutputs } from './outputs.tsx';
import { CapsuleStates } from './states.tsx';
import { CapsuleUsage } from './usage.tsx';

/** Page of a Capsule: status, next step, Outputs and history. */
export function CapsulePage({ id }: { id: string }) {
  const capsule = useQuery(capsuleQuery(id));
  if (capsule.isPending) return <Skeleton lines={6} />;
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
  const source = useQuery(sourceQuery(capsule.sourceId)).data;
  const report = useReport(capsule);
  const again = useAgain(capsule);
  const isStopped = useStopped(capsule.id);
  const hasState = capsule.currentStateVersionId !== undefined;
  return (
    <>
      <PageTitle
        title={visibleText(capsule.name)}
        lead={
          <span className="flex flex-wrap items-center gap-2">
            Capsule <StatusBadge statusText={capsuleStatusText(capsule)} />
          </span>
        }
        actions={<Actions capsule={capsule} again={again} />}
      />
      {again.attempt && (
        <PlanAgainPanel attempt={again.attempt} commit={capsule.adoptedSourceRevision?.resolvedCommit} again={again} />
      )}
      <CredentialsNeeded capsule={capsule} />
      <WayBack capsule={capsule} />
      {!again.attempt && !(isStopped && capsule.latestRun?.awaits) && (
        <div className="mb-4 empty:hidden">
          <NextStep capsule={capsule} />
        </div>
      )}
      {!again.followsDefault && <p className="mb-4 text-xs text-muted">{t('again.lane')}</p>}
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_19rem]">
        <div className="flex min-w-0 flex-col gap-4">
          {hasState && <CapsuleOutputs capsuleId={capsule.id} report={report} />}
          <InputLinks capsule={capsule} report={report} />
          <OutputShares capsule={capsule} report={report} />
          <CapsuleHistory capsuleId={capsule.id} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <AboutCapsule capsule={capsule} source={source} report={report} />
          <CapsuleCredentials capsule={capsule} />
          <CapsuleUsage capsuleId={capsule.id} />
          {hasState && (
            <CapsuleStates
              capsuleId={capsule.id}
              currentId={capsule.currentStateVersionId}
              canReturn={isLiving(capsule)}
            />
          )}
        </div>
      </div>
    </>
  );
}

const isLiving = ({ status }: Capsule) => status !== 'destroyed' && status !== 'disabled';
/** True when the Capsule has resources that can be compared and destroyed. */
const isApplied = (capsule: Capsule) => isLiving(capsule) && capsule.currentStateVersionId !== undefined;

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
      <PlanAgainButtons again={again} isMain={capsule.latestRun?.awaits === undefined} />
    </>
  );
}
