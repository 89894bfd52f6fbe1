import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import type { Source } from '#shared/sources/contract';
import type { CompatibilityReport } from '#shared/sources/report';
import { capsuleQuery, reportQuery, snapshotQuery, sourceQuery } from '../../api/records.ts';
import { capsuleWord } from '../../api/words.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { PageTitle, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { WordPill } from '../../ui/word-pill.tsx';
import { AboutCapsule } from './about.tsx';
import { DiscardCapsule } from './discard.tsx';
import { CapsuleHistory } from './history.tsx';
import { NextStep } from './next-step.tsx';
import { CapsuleOutputs } from './outputs.tsx';
import { type Choice, usePlanAgain } from './plan-again.ts';
import { PlanAgainPanel } from './plan-again-panel.tsx';
import { CapsuleStates } from './states.tsx';

/** One Capsule: how it stands, what it asks for, what it gives, and all that was done with it. */
export function CapsulePage({ id }: { id: string }) {
  const capsule = useQuery(capsuleQuery(id));
  if (capsule.isPending) return <Skeleton lines={6} />;
  if (!capsule.data) return <ErrorNote error={capsule.error} onAgain={() => void capsule.refetch()} />;
  return <CapsuleView key={id} capsule={capsule.data} />;
}

/** The report of the commit that is applied, else of the one that was planned. */
const useReport = (capsule: Capsule) => {
  const id = capsule.compatibilityReportId;
  return useQuery({ ...reportQuery(id ?? ''), enabled: id !== undefined }).data;
};

function CapsuleView({ capsule }: { capsule: Capsule }) {
  const t = useText();
  const source = useQuery(sourceQuery(capsule.sourceId)).data;
  const report = useReport(capsule);
  const again = useAgain(capsule, { source, report });
  const hasState = capsule.currentStateVersionId !== undefined;
  return (
    <>
      <PageTitle
        title={visibleText(capsule.name)}
        lead={
          <span className="flex flex-wrap items-center gap-2">
            Capsule <WordPill word={capsuleWord(capsule)} />
          </span>
        }
        actions={<Actions capsule={capsule} again={again} />}
      />
      {again.attempt && (
        <PlanAgainPanel
          attempt={again.attempt}
          commit={capsule.adoptedSourceRevision?.resolvedCommit}
          onAgain={again.start}
          onClose={again.forget}
        />
      )}
      {!again.attempt && (
        <div className="mb-4 empty:hidden">
          <NextStep capsule={capsule} source={source} />
        </div>
      )}
      {!again.followsDefault && <p className="mb-4 text-xs text-muted">{t('again.lane')}</p>}
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_19rem]">
        <div className="flex min-w-0 flex-col gap-4">
          {hasState && <CapsuleOutputs capsuleId={capsule.id} report={report} />}
          <CapsuleHistory capsuleId={capsule.id} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <AboutCapsule capsule={capsule} source={source} report={report} />
          {hasState && <CapsuleStates capsuleId={capsule.id} currentId={capsule.currentStateVersionId} />}
        </div>
      </div>
    </>
  );
}

/** The ref and folder that a Capsule follows; null when they cannot be told, undefined while they are looked up. */
function useLane(capsule: Capsule, snapshotId: string | undefined): { ref: string; path: string } | null | undefined {
  const adopted = capsule.adoptedSourceRevision;
  const isAsked = adopted === undefined && snapshotId !== undefined;
  const snapshot = useQuery({ ...snapshotQuery(capsule.sourceId, snapshotId ?? ''), enabled: isAsked }).data;
  return adopted ?? snapshot;
}

function useAgain(capsule: Capsule, of: { source: Source | undefined; report: CompatibilityReport | undefined }) {
  const navigate = useNavigate();
  const watchPlan = useCallback((id: string) => void navigate({ to: '/runs/$id', params: { id } }), [navigate]);
  const { attempt, begin, forget } = usePlanAgain(capsule.id, watchPlan);
  const snapshotId = capsule.adoptedSourceRevision?.sourceSnapshotId ?? of.report?.sourceSnapshotId;
  const target = { capsuleId: capsule.id, sourceId: capsule.sourceId, modulePath: of.report?.modulePath, snapshotId };
  const lane = useLane(capsule, snapshotId);
  // A sync fetches the default address of the Source; a Capsule that follows another one keeps its commit.
  const followsDefault =
    lane === undefined ||
    !of.source ||
    (lane !== null && lane.ref === of.source.defaultRef && lane.path === of.source.defaultPath);
  const start = (choice: Choice) => begin(target, followsDefault ? choice : 'same');
  return { attempt, start, forget, followsDefault, hasSame: target.snapshotId !== undefined };
}

function Actions({ capsule, again }: { capsule: Capsule; again: ReturnType<typeof useAgain> }) {
  const t = useText();
  const { status, latestRun } = capsule;
  if (status === 'destroyed' || status === 'disabled') return null;
  const isGoing = again.attempt !== undefined && !again.attempt.failure;
  const isBusy = latestRun?.status === 'queued' || latestRun?.status === 'running';
  const isPlanWaiting = latestRun?.awaits !== undefined;
  return (
    <>
      {status === 'pending' && <DiscardCapsule capsule={capsule} />}
      {again.hasSame && again.followsDefault && (
        <Button disabled={isGoing || isBusy} title={t('again.same.title')} onClick={() => again.start('same')}>
          {t('again.same')}
        </Button>
      )}
      <Button
        look={isPlanWaiting ? 'plain' : 'primary'}
        busy={isGoing}
        disabled={isBusy}
        title={t('again.button.title')}
        onClick={() => again.start('newest')}
      >
        {t('again.button')}
      </Button>
    </>
  );
}
