import { Link } from '@tanstack/react-router';
import type { Finding } from '#shared/sources/module-scan';
import { runErrorText } from '../../api/words.ts';
import { type TextId, useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { type Step, type StepState, Steps } from '../../ui/steps.tsx';
import { Card, Note } from '../../ui/surface.tsx';
import { Elapsed } from '../../ui/time.tsx';
import { visibleLine, visibleText } from '../../ui/visible-text.ts';
import { type Attempt, type AttemptStep, attemptSteps, type Choice, type Failure } from './plan-again.ts';

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
  return attempt.failure ? 'failed' : 'running';
}

type Props = {
  attempt: Attempt;
  /** The commit that the Capsule has, to say whether the synced one is another. */
  commit: string | undefined;
  onAgain: (choice: Choice) => void;
  onClose: () => void;
};

/** Where planning again is, and what stands in its way. */
export function PlanAgainPanel({ attempt, commit, onAgain, onClose }: Props) {
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
      {attempt.failure && (
        <div className="mt-4 flex flex-wrap gap-2">
          <Button look="primary" onClick={() => onAgain(attempt.choice)}>
            {t('error.again')}
          </Button>
          {attempt.choice === 'newest' && attempt.target.snapshotId !== undefined && (
            <Button onClick={() => onAgain('same')}>{t('again.same')}</Button>
          )}
          <Button look="quiet" onClick={onClose}>
            {t('close')}
          </Button>
        </div>
      )}
    </Card>
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
  if (failure.error !== undefined) return <ErrorNote error={failure.error} />;
  if (failure.findings) return <Findings findings={failure.findings} />;
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

const Findings = ({ findings }: { findings: readonly Finding[] }) => {
  const t = useText();
  return (
    <Note tone="bad" title={t('again.findings', { count: findings.length })}>
      <ul className="flex max-h-60 list-disc flex-col gap-1 overflow-auto pl-5">
        {findings.map(({ code, message, path, suggestion }) => (
          <li key={`${code} ${path} ${message}`} className="break-words">
            <p className="font-medium">{t(`refusal.${code}` satisfies TextId)}</p>
            {path && <code className="mr-1.5 font-mono text-xs">{visibleText(path)}</code>}
            {visibleText(message)} {suggestion && visibleText(suggestion)}
          </li>
        ))}
      </ul>
    </Note>
  );
};
