import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Attempt, type AttemptStep, attemptSteps, type Failure } from '../api/plan-again.ts';
import { reportQuery } from '../api/records.ts';
import { useRunner } from '../api/runner.ts';
import type { Again } from '../api/use-again.ts';
import { type TextId, useText } from '../i18n/text.ts';
import { Button } from '../ui/button.tsx';
import { Findings } from '../ui/findings.tsx';
import { type Step, type StepState, Steps } from '../ui/steps.tsx';
import { Card, Note } from '../ui/surface.tsx';
import { Elapsed } from '../ui/time.tsx';
import { visibleLine, visibleText } from '../ui/visible-text.ts';
import { ErrorNote } from './error-note.tsx';
import { RunsWarning } from './how-it-runs.tsx';
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
  again: Pick<Again, 'start' | 'agree' | 'clear'>;
};

/** Progress of planning again, what the user has to confirm before it continues, and what blocks it. */
export function PlanAgainPanel({ attempt, commit, again }: Props) {
  const t = useText();
  const steps = attemptSteps
    .filter((step) => step !== 'sync' || attempt.choice === 'newest')
    .map((step): Step => {
      const state = stateOf(attempt, step);
      return {
        id: step,
        title: t(titles[step]),
        state,
        ...(state === 'running' && { aside: <Elapsed from={attempt.since} /> }),
        children: <StepText attempt={attempt} step={step} state={state} commit={commit} />,
      };
    });
  return (
    <Card className="mb-4 p-4">
      <h2 className="mb-3 font-semibold">{t('again.title')}</h2>
      <Steps label={t('again.title')} steps={steps} />
      {attempt.asks && !attempt.failure && <ConfirmPlan attempt={attempt} again={again} />}
      {attempt.failure && (
        <div className="mt-4 flex flex-wrap gap-2">
          <Button variant="primary" onClick={() => again.start(attempt.choice)}>
            {t('error.again')}
          </Button>
          {attempt.choice === 'newest' && attempt.target.snapshotId !== undefined && (
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

/** Asks for confirmation before a plan runs code that was not there before. */
function ConfirmPlan({ attempt, again }: Pick<Props, 'attempt' | 'again'>) {
  const t = useText();
  const { reportId } = attempt;
  const report = useQuery({ ...reportQuery(reportId ?? ''), enabled: reportId !== undefined }).data;
  const runner = useRunner();
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
  const t = useText();
  if (state === 'failed' && attempt.failure) return <FailureNote attempt={attempt} failure={attempt.failure} />;
  if (step !== 'sync') return null;
  if (state === 'running' && attempt.progress?.lastLine)
    return <p className="truncate font-mono text-xs text-muted">{visibleLine(attempt.progress.lastLine)}</p>;
  if (state !== 'done' || attempt.commit === undefined) return null;
  const short = attempt.commit.slice(0, 8);
  return (
    <p className="text-xs text-muted">
      {t(attempt.commit === commit ? 'again.commit.same' : 'again.commit.new', { commit: short })}
    </p>
  );
}

function FailureNote({ attempt, failure }: { attempt: Attempt; failure: Failure }) {
  const t = useText();
  if (failure.error !== undefined)
    return (
      <div className="flex flex-col items-start gap-2">
        <ErrorNote error={failure.error} />
        {isCredentialRefusal(failure.error) && (
          <ChooseConnections capsuleId={attempt.target.capsuleId} isMain={false} />
        )}
      </div>
    );
  if (failure.findings)
    return (
      <Note tone="bad" title={t('again.findings', { count: failure.findings.length })}>
        <div className="max-h-60 overflow-auto">
          <Findings findings={failure.findings} />
        </div>
      </Note>
    );
  return (
    <Note tone="bad" title={t(failure.isCancelled ? 'again.sync.cancelled' : 'again.sync.failed')}>
      <p>{failure.code && t(runErrorText(failure.code))}</p>
      {failure.problem && (failure.code === undefined || failure.code === 'source_sync_failed') && (
        <p className="mt-1 font-mono text-xs break-words text-muted">{visibleText(failure.problem)}</p>
      )}
      {attempt.syncRunId && (
        <Link
          to="/runs/$id"
          params={{ id: attempt.syncRunId }}
          className="mt-1 inline-block text-accent hover:underline"
        >
          {t('again.sync.see')}
        </Link>
      )}
    </Note>
  );
}
