import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { isApplyType, isPlanType, type Run } from '#shared/runs/contract';
import type { Phase } from '#shared/runs/feed';
import { runQuery } from '../../api/records.ts';
import type { RunFeed } from '../../api/run-feed.ts';
import { hasEnded } from '../../api/run-record.ts';
import { useRunFeed } from '../../api/run-stream.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { LateStates } from '../../components/late-states.tsx';
import { isMissingRecord } from '../../components/page-error.tsx';
import { ReturnLater, ReturnOffer } from '../../components/return-offer.tsx';
import { useText } from '../../i18n/text.ts';
import { buttonClass } from '../../ui/button.tsx';
import { EmptyState, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { RunAppSignIn } from './app-sign-in.tsx';
import { ApplyOutputs } from './apply/outcome.tsx';
import { RunBackup } from './backup.tsx';
import { RunBuild } from './build.tsx';
import { CancelRun } from './cancel-run.tsx';
import { RunCredentials } from './credentials.tsx';
import { Diagnostics } from './diagnostics.tsx';
import { RunLifecycleActions } from './lifecycle-actions.tsx';
import { Phases } from './phases.tsx';
import { isSummary } from './reasons.ts';
import { isReportedElsewhere, recoveryOf } from './recovery/recovery.ts';
import { RecoveryPanel } from './recovery/recovery-panel.tsx';
import { Restarts } from './restarts.tsx';
import { RestoreBar } from './restore/restore-bar.tsx';
import { RestoreRun } from './restore/restore-run.tsx';
import { ReviewBar } from './review/review-bar.tsx';
import { RunHeader } from './run-header.tsx';
import { RunTabs } from './run-tabs.tsx';
import type { RunSearch } from './search.ts';
import { NextActions, RunVerdict } from './verdict.tsx';

/** Page of a Run: status, messages, changes and the available actions. */
export function RunPage({ id, search }: { id: string; search: RunSearch }) {
  const t = useText();
  const { data: run, error, refetch } = useQuery(runQuery(id));
  if (run) return <RunView key={run.id} run={run} search={search} />;
  if (isMissingRecord(error)) {
    return (
      <>
        <PageTitle title={t('run.missing.title')} />
        <EmptyState
          title={t('run.missing.what')}
          text={t('run.missing.text')}
          action={
            <Link to="/runs" className={buttonClass()}>
              {t('run.missing.action')}
            </Link>
          }
        />
      </>
    );
  }
  return error ? <ErrorNote error={error} onAgain={() => void refetch()} /> : <Skeleton lines={6} />;
}

function RunView({ run, search }: { run: Run; search: RunSearch }) {
  const t = useText();
  const navigate = useNavigate();
  const feed = useRunFeed(run);
  const { resources, diagnostics, audit } = feed;
  const recovery = useMemo(
    () => recoveryOf(run, { resources, diagnostics, audit }),
    [run, resources, diagnostics, audit],
  );
  const openPhase = (phase: Phase) => {
    const line = feed.log.entries.findIndex((entry) => entry.phase === phase);
    void navigate({
      to: '/runs/$id',
      params: { id: run.id },
      search: { ...search, tab: 'log' },
      ...(line >= 0 && { hash: `L${line + 1}` }),
      replace: true,
      resetScroll: false,
      hashScrollIntoView: false,
    });
  };
  return (
    <>
      <RunHeader run={run} actions={<CancelRun run={run} feed={feed} />} />
      <p role="status" className={feed.isLost ? 'mb-3 text-sm text-warn' : 'sr-only'}>
        {feed.isLost && t('run.lost')}
      </p>
      <Phases run={run} feed={feed} onOpen={openPhase} />
      <Restarts run={run} feed={feed} />
      <RunVerdict run={run} feed={feed} recovery={recovery} />
      <RunBuild run={run} feed={feed} />
      <RunLifecycleActions run={run} />
      <RunCredentials run={run} />
      <RunAppSignIn run={run} />
      <Diagnostics
        run={run}
        items={feed.diagnostics.filter((item) => !isSummary(item, run) && !isReportedElsewhere(item.code))}
        isFailure={run.status === 'failed'}
      />
      {isApplyType(run.type) && run.status === 'failed' && run.capsuleId !== undefined && (
        <LateStates capsuleId={run.capsuleId} runId={run.id} />
      )}
      {recovery && <RecoveryPanel run={run} recovery={recovery} />}
      <Outcome run={run} />
      <RunBackup run={run} />
      {run.type === 'restore' && <RestoreRun run={run} />}
      {hasLog(run, feed) && <RunTabs run={run} feed={feed} search={search} />}
      {run.type === 'apply' && run.status === 'succeeded' && (
        <div className="mt-4 empty:hidden">
          <NextActions run={run} />
        </div>
      )}
      {run.type === 'plan' && run.awaits && run.capsuleId !== undefined && <ReturnLater capsuleId={run.capsuleId} />}
      {run.awaits && isPlanType(run.type) && <ReviewBar run={run} />}
      {run.type === 'restore' && run.status === 'waiting_approval' && <RestoreBar run={run} />}
    </>
  );
}

/** Backups and restores run no tool, so most of them write no line. */
const hasLog = ({ type }: Run, { log }: RunFeed): boolean => (type !== 'backup' && type !== 'restore') || log.count > 0;

/** The Outputs of an apply that runs or has succeeded. */
function Outcome({ run }: { run: Run }) {
  const { capsuleId } = run;
  const hasOutputs = run.status === 'succeeded' || !hasEnded(run.status);
  if (run.type !== 'apply' || !hasOutputs || capsuleId === undefined) return null;
  return (
    <>
      {run.status === 'succeeded' && <ReturnOffer capsuleId={capsuleId} runId={run.id} />}
      <ApplyOutputs run={run} capsuleId={capsuleId} />
    </>
  );
}
