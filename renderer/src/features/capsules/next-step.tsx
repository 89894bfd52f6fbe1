import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import { isApplyType } from '#shared/runs/contract';
import { runQuery, runsQuery } from '../../api/records.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { BackToForm } from '../../components/back-to-form.tsx';
import { runErrorText, runTypeTexts } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { buttonClass } from '../../ui/button.tsx';
import { ChangeCounts } from '../../ui/change-counts.tsx';
import { Note } from '../../ui/surface.tsx';
import { Elapsed } from '../../ui/time.tsx';

type LatestRun = NonNullable<Capsule['latestRun']>;

/** Most urgent note about what the Capsule needs from the user. Renders nothing when nothing needs attention. */
export function NextStep({ capsule }: { capsule: Capsule }) {
  const { latestRun: run, status } = capsule;
  if (status === 'destroyed' || status === 'disabled') return <AtRest capsule={capsule} />;
  if (run?.awaits) return <PlanWaits run={run} />;
  if (run?.type === 'restore' && run.status === 'waiting_approval') return <RestoreWaits run={run} />;
  if (run?.type === 'drift_check' && status !== 'error') return <AfterDriftCheck capsule={capsule} run={run} />;
  return <AfterRun capsule={capsule} run={run} />;
}

function AfterRun({ capsule, run }: { capsule: Capsule; run: LatestRun | undefined }) {
  if (run?.status === 'queued' || run?.status === 'running') return <AtWork run={run} />;
  if (run?.status === 'failed') return <LastFailed capsule={capsule} run={run} />;
  return <AtRest capsule={capsule} />;
}

/** A drift check does not replace the plan that was created before it. */
function AfterDriftCheck({ capsule, run }: { capsule: Capsule; run: LatestRun }) {
  const workspaceId = useWorkspaceId();
  const approve = useInfiniteQuery(runsQuery(workspaceId, { capsuleId: capsule.id, awaits: 'approve', limit: '1' }));
  const apply = useInfiniteQuery(runsQuery(workspaceId, { capsuleId: capsule.id, awaits: 'apply', limit: '1' }));
  const [open] = [approve, apply].flatMap(({ data }) => data?.pages.flatMap((page) => page.runs) ?? []);
  if (open) return <PlanWaits run={open} />;
  return run.status === 'succeeded' && capsule.status === 'active' ? (
    <DriftSummary runId={run.id} drift={capsule.drift} />
  ) : (
    <AfterRun capsule={capsule} run={run} />
  );
}

/** Until the check is loaded, the Capsule has its numbers. */
function DriftSummary({ runId, drift }: { runId: string } & Pick<Capsule, 'drift'>) {
  const t = useText();
  const { changed, deleted } = (drift?.runId === runId && drift.resources) || { changed: 0, deleted: 0 };
  const { driftCount = changed + deleted } = useQuery(runQuery(runId)).data ?? {};
  if (driftCount === 0) return null;
  return (
    <Note tone="warn" title={t('drift.found', { count: driftCount })}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-72">{t('drift.foundText')}</p>
        <RunLink id={runId}>{t('next.differences')}</RunLink>
      </div>
    </Note>
  );
}

const RunLink = ({ id, children, isPrimary }: { id: string; children: ReactNode; isPrimary?: boolean }) => (
  <Link to="/runs/$id" params={{ id }} className={buttonClass(isPrimary ? 'primary' : 'plain')}>
    {children}
  </Link>
);

function PlanWaits({ run }: { run: Pick<LatestRun, 'id' | 'awaits' | 'summary'> }) {
  const t = useText();
  const isApproval = run.awaits === 'approve';
  return (
    <Note tone={isApproval ? 'warn' : 'info'} title={t(isApproval ? 'next.approve.title' : 'next.apply.title')}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-72">
          {t(isApproval ? 'next.approve.text' : 'next.apply.text')}{' '}
          {run.summary && <ChangeCounts counts={run.summary} />}
        </p>
        <RunLink id={run.id} isPrimary>
          {t('next.review')}
        </RunLink>
      </div>
    </Note>
  );
}

function RestoreWaits({ run }: { run: Pick<LatestRun, 'id'> }) {
  const t = useText();
  return (
    <Note tone="warn" title={t('next.restore.title')}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-72">{t('next.restore.text')}</p>
        <RunLink id={run.id} isPrimary>
          {t('next.restore.review')}
        </RunLink>
      </div>
    </Note>
  );
}

function AtWork({ run }: { run: LatestRun }) {
  const t = useText();
  return (
    <Note>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p>
          <span className="font-semibold">
            {t(run.status === 'queued' ? 'next.queued' : 'next.running', { type: t(runTypeTexts[run.type]) })}
          </span>{' '}
          <span aria-live="off">
            <Elapsed from={Date.parse(run.createdAt)} />
          </span>
        </p>
        <RunLink id={run.id}>{t('next.watch')}</RunLink>
      </div>
    </Note>
  );
}

function LastFailed({ capsule, run }: { capsule: Capsule; run: LatestRun }) {
  const t = useText();
  const isFirst = capsule.status === 'pending';
  const isInterrupted = run.errorCode === 'apply_interrupted';
  const title = isInterrupted
    ? t('run.verdict.interrupted')
    : t('next.failed.title', { type: t(runTypeTexts[run.type]) });
  return (
    <Note tone={isInterrupted ? 'warn' : 'bad'} title={title}>
      <p>{t(run.errorCode ? runErrorText(run.errorCode) : 'next.error.text')}</p>
      {isFirst && <p className="mt-1">{t('next.first.text')}</p>}
      <div className="mt-3 flex flex-wrap gap-2">
        <RunLink id={run.id}>{t(isApplyType(run.type) && !isFirst ? 'next.recover' : 'next.see')}</RunLink>
        {isFirst && <BackToForm capsule={capsule} />}
      </div>
    </Note>
  );
}

/** Link to the failed apply, because newer Runs may exist. */
function BrokenApply({ capsuleId }: { capsuleId: string }) {
  const t = useText();
  const filter = { capsuleId, status: 'failed', limit: '20' } as const;
  const runs = useInfiniteQuery(runsQuery(useWorkspaceId(), filter)).data?.pages.flatMap((page) => page.runs);
  const broken = runs?.find(({ type }) => isApplyType(type));
  if (!broken) return null;
  return (
    <div className="mt-3">
      <RunLink id={broken.id}>{t('next.recover')}</RunLink>
    </div>
  );
}

function AtRest({ capsule }: { capsule: Capsule }) {
  const t = useText();
  const { status, currentStateGeneration, latestRun } = capsule;
  const isRestored = latestRun?.type === 'restore' && latestRun.status === 'succeeded';
  if (status === 'stale')
    return (
      <Note tone="warn" title={t(isRestored ? 'next.restored.title' : 'next.stale.title')}>
        {t(isRestored ? 'next.restored.text' : 'next.stale.text')}
      </Note>
    );
  if (status === 'error')
    return (
      <Note tone="bad" title={t('next.error.title')}>
        {t('next.error.text')}
        <BrokenApply capsuleId={capsule.id} />
      </Note>
    );
  if (status === 'disabled') return <Note title={t('next.disabled.title')}>{t('next.disabled.text')}</Note>;
  if (status === 'destroyed') {
    const isDiscarded = currentStateGeneration === 0;
    return (
      <Note title={t(isDiscarded ? 'next.discarded.title' : 'next.destroyed.title')}>
        {t(isDiscarded ? 'next.discarded.text' : 'next.destroyed.text')}
      </Note>
    );
  }
  if (status === 'pending' && latestRun) return <Note title={t('next.pending.title')}>{t('next.pending.text')}</Note>;
  return null;
}
