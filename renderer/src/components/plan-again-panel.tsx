import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Attempt, type AttemptStep, attemptSteps, type Failure } from '../api/attempts.ts';
import { usePlanRunner } from '../api/plan-runner.ts';
import { reportQuery, runQuery } from '../api/records.ts';
import { useRunProgress } from '../api/run-progress.ts';
import type { Again } from '../api/use-again.ts';
import { whenKnown } from '../api/when-known.ts';
import { type TextId, useText } from '../i18n/text.ts';
import { Button } from '../ui/button.tsx';
import { Findings } from '../ui/findings.tsx';
import { type Step, type StepState, Steps } from '../ui/steps.tsx';
import { Card, Note } from '../ui/surface.tsx';
import { Elapsed } from '../ui/time.tsx';
import { visibleLine, visibleText } from '../ui/visible-text.ts';
import { SnapshotCommitText } from './code/commit-text.tsx';
import { ErrorNote } from './error-note.tsx';
import { RunsWarning } from './how-it-runs.tsx';
import { MissingValues } from './missing-values.tsx';
import { ChooseConnections, isCredentialRefusal } from './provider-bindings/stopped.tsx';
import { runErrorText } from './status-text.ts';

const titles: Record<AttemptStep, TextId> = {
  sync: 'again.sync',
  check: 'again.check',
  plan: 'again.plan',
};

function stateOf(attempt: Attempt, step: AttemptStep): StepState {
  const at = attemptSteps.indexOf(attempt.step);
  const index = attemptSteps.indexOf(step);
  if (index < at) return 'done';
  if (index > at) return 'waiting';
  if (attempt.failure) return 'failed';
  return attempt.asks ? 'waiting' : 'running';
}

type Props = {
  attempt: Attempt;
  /** The commit of the Capsule, to show whether the synced one differs. */
  commit: string | undefined;
  again: Pick<Again, 'start' | 'retry' | 'agree' | 'clear' | 'movesTo'>;
  /** Another way on, offered after a move to another version has failed. */
  other?: ReactNode;
};

/** Progress of planning again, what the user has to confirm before it continues, and what blocks it. */
export function PlanAgainPanel({ attempt, commit, again, other }: Props) {
  const t = useText();
  const movesTo = again.movesTo === undefined ? undefined : visibleText(again.movesTo);
  const title = movesTo === undefined ? t('again.title') : t('move.title', { ref: movesTo });
  const steps = attemptSteps
    .filter((step) => step !== 'sync' || attempt.choice === 'newest')
    .map((step): Step => {
      const state = stateOf(attempt, step);
      return {
        id: step,
        title: step === 'sync' && movesTo !== undefined ? t('move.sync', { ref: movesTo }) : t(titles[step]),
        state,
        ...(state === 'running' && { aside: <Elapsed from={attempt.since} /> }),
        children: <StepText attempt={attempt} step={step} state={state} commit={commit} />,
      };
    });
  return (
    <Card className="mb-4 p-4">
      <h2 className="mb-3 font-semibold break-words">{title}</h2>
      <Steps label={title} steps={steps} />
      {attempt.asks && !attempt.failure && <Question attempt={attempt} again={again} />}
      {attempt.failure && (
        <div className="mt-4 flex flex-wrap gap-2">
          <Button variant="primary" onClick={again.retry}>
            {t('error.again')}
          </Button>
          {movesTo !== undefined && other}
          {movesTo === undefined && attempt.choice === 'newest' && attempt.target.snapshotId !== undefined && (
            <Button onClick={() => again.start('same')}>{t('again.same')}</Button>
          )}
          <Button variant="quiet" onClick={again.clear}>
            {t('close')}
          </Button>
        </div>
      )}
    </Card>
  );
}

function Question({ attempt, again }: Pick<Props, 'attempt' | 'again'>) {
  if (attempt.missing) return <MissingValues attempt={attempt} missing={attempt.missing} again={again} />;
  return <ConfirmPlan attempt={attempt} again={again} />;
}

/** Asks for confirmation before a plan runs code that was not there before. */
function ConfirmPlan({ attempt, again }: Pick<Props, 'attempt' | 'again'>) {
  const t = useText();
  const { reportId } = attempt;
  const report = useQuery(whenKnown(reportId, reportQuery)).data;
  const runner = usePlanRunner({ capsuleId: attempt.target.capsuleId });
  return (
    <div className="mt-4 flex flex-col gap-3">
      <p>{t(attempt.target.reportId === undefined ? 'again.asks.first' : 'again.asks.new')}</p>
      {report && runner && <RunsWarning report={report} runner={runner} />}
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" onClick={again.agree}>
          {t('install.plan')}
        </Button>
        <Button variant="quiet" onClick={again.clear}>
          {t('cancel')}
        </Button>
      </div>
    </div>
  );
}

type StepProps = { attempt: Attempt; step: AttemptStep; state: StepState; commit: string | undefined };

function StepText({ attempt, step, state, commit }: StepProps) {
  if (state === 'failed' && attempt.failure) return <FailureNote attempt={attempt} failure={attempt.failure} />;
  if (step !== 'sync') return null;
  // Two lines from the start, so that the commit and its subject move nothing when they are known.
  return (
    <div className="min-h-8 text-xs text-muted">
      {attempt.syncRunId !== undefined && state === 'running' && <SyncLine runId={attempt.syncRunId} />}
      {attempt.syncRunId !== undefined && state === 'done' && (
        <SyncedCommit runId={attempt.syncRunId} commit={commit} />
      )}
    </div>
  );
}

/** Last line of the running sync. */
function SyncLine({ runId }: { runId: string }) {
  const progress = useRunProgress(runId);
  if (progress?.lastLine === undefined) return null;
  return <p className="truncate font-mono">{visibleLine(progress.lastLine)}</p>;
}

function SyncedCommit({ runId, commit }: { runId: string; commit: string | undefined }) {
  const t = useText();
  const run = useQuery(runQuery(runId)).data;
  const synced = run?.resolvedCommit;
  if (synced === undefined) return null;
  const { sourceId, sourceSnapshotId } = run ?? {};
  return (
    <>
      <p>{t(synced === commit ? 'again.commit.same' : 'again.commit.new', { commit: synced.slice(0, 8) })}</p>
      {sourceId !== undefined && sourceSnapshotId !== undefined && (
        <SnapshotCommitText sourceId={sourceId} snapshotId={sourceSnapshotId} />
      )}
    </>
  );
}

function FailureNote({ attempt, failure }: { attempt: Attempt; failure: Failure }) {
  const { syncRunId, reportId } = attempt;
  if (failure.kind === 'sync')
    return syncRunId === undefined ? null : <SyncFailure runId={syncRunId} message={failure.message} />;
  if (failure.kind === 'findings') return reportId === undefined ? null : <BlockingFindings reportId={reportId} />;
  return (
    <div className="flex flex-col items-start gap-2">
      <ErrorNote error={failure.error} />
      {isCredentialRefusal(failure.error) && <ChooseConnections capsuleId={attempt.target.capsuleId} isMain={false} />}
    </div>
  );
}

function BlockingFindings({ reportId }: { reportId: string }) {
  const t = useText();
  const report = useQuery(reportQuery(reportId)).data;
  if (!report) return null;
  const findings = report.findings.filter(({ compatibilityImpact }) => compatibilityImpact !== 'none');
  return (
    <Note tone="bad" title={t('again.findings', { count: findings.length })}>
      <div className="max-h-60 overflow-auto">
        <Findings findings={findings} />
      </div>
    </Note>
  );
}

function SyncFailure({ runId, message }: { runId: string; message: string | undefined }) {
  const t = useText();
  const run = useQuery(runQuery(runId)).data;
  const isCancelled = run?.status === 'cancelled';
  const code = run?.errorCode;
  return (
    <Note tone="bad" title={t(isCancelled ? 'again.sync.cancelled' : 'again.sync.failed')}>
      <p>{code && t(runErrorText(code))}</p>
      {message !== undefined && !isCancelled && (code === undefined || code === 'source_sync_failed') && (
        <p className="mt-1 font-mono text-xs break-words text-muted">{visibleText(message)}</p>
      )}
      <Link to="/runs/$id" params={{ id: runId }} className="mt-1 inline-block text-accent hover:underline">
        {t('again.sync.see')}
      </Link>
    </Note>
  );
}
