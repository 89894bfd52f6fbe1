import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { LateState } from '#shared/late-states/contract';
import { api } from '../api/client.ts';
import { useIntent } from '../api/intent.ts';
import { lateStatesOfRunQuery, undecidedLateStatesQuery } from '../api/late-states.ts';
import { invalidateRecord } from '../api/queries.ts';
import { useText } from '../i18n/text.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/surface.tsx';
import { dateTimeText, Since } from '../ui/time.tsx';
import { Addresses } from './addresses.tsx';
import { Allowed } from './allowed.tsx';
import { Confirm } from './confirm.tsx';
import { ErrorNote } from './error-note.tsx';

type Props = {
  capsuleId: string;
  /** Shows those of one apply, also when they are decided. Without it only those that wait for a decision. */
  runId?: string;
};

/** States that arrived after an apply was ended, and the decision about each. Renders nothing when there is none. */
export function LateStates({ capsuleId, runId }: Props) {
  const { data, isLoadingError, error, refetch } = useQuery(
    runId === undefined ? undecidedLateStatesQuery(capsuleId) : lateStatesOfRunQuery(capsuleId, runId),
  );
  if (isLoadingError) return <ErrorNote error={error} onAgain={() => void refetch()} />;
  return data?.map((late) => <LateStateCard key={late.id} late={late} isOnRun={runId !== undefined} />);
}

function LateStateCard({ late, isOnRun }: { late: LateState; isOnRun: boolean }) {
  const t = useText();
  const { phase, serial, resourceCount: count, restoreRunId } = late;
  const isUndecided = phase === 'waiting' || phase === 'requested';
  return (
    <Card className="mb-4">
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('lateState.title')}</h2>
      <div className="flex min-w-0 flex-col gap-2 px-4 py-3">
        {isUndecided && <p className="max-w-prose">{t('lateState.text')}</p>}
        <p className="text-sm text-muted">
          {t('lateState.facts', { at: dateTimeText(late.arrivedAt), serial, count })}{' '}
          {!isOnRun && (
            <Link to="/runs/$id" params={{ id: late.runId }} className="text-accent underline">
              {t('lateState.run')}
            </Link>
          )}
        </p>
        <Differences late={late} />
        {phase === 'waiting' ? <Decision late={late} /> : <p className="text-sm">{t(`lateState.phase.${phase}`)}</p>}
        {restoreRunId !== undefined && (
          <Link to="/runs/$id" params={{ id: restoreRunId }} className="text-sm text-accent underline">
            {t('lateState.restore')}
          </Link>
        )}
      </div>
    </Card>
  );
}

const kinds = ['added', 'removed', 'changed'] as const;

function Differences({ late: { differences, currentGeneration: generation } }: { late: LateState }) {
  const t = useText();
  if (!differences) return null;
  const shown = kinds.filter((kind) => differences[kind].total > 0);
  if (shown.length === 0) return <p className="text-sm text-muted">{t('lateState.same', { generation })}</p>;
  return shown.map((kind) => (
    <details key={kind} className="min-w-0 text-sm" open={differences[kind].total <= 5}>
      <summary className="cursor-pointer py-0.5">
        {t(`lateState.${kind}`, { count: differences[kind].total, generation })}
      </summary>
      <div className="pl-5">
        <Addresses list={differences[kind]} />
      </div>
    </details>
  ));
}

/** Adopts a late state, which leads to the review of its restore, or dismisses it. */
function Decision({ late }: { late: LateState }) {
  const t = useText();
  const navigate = useNavigate();
  const [isDismissing, setIsDismissing] = useState(false);
  const params = { lateStateId: late.id };
  const reread = () => invalidateRecord({ kind: 'capsule', id: late.capsuleId });
  const adopt = useIntent(async (keyOf) => {
    const replacing = late.isSuperseded ? { replaceNewer: true } : {};
    const body = { expectedGeneration: late.currentGeneration, ...replacing };
    const { run } = (await api.adoptLateState({ params, body }, keyOf('adopt'))).body;
    reread();
    await navigate({ to: '/runs/$id', params: { id: run.id } });
  });
  const dismiss = useIntent(async (keyOf) => {
    await api.dismissLateState({ params }, keyOf('dismiss'));
    setIsDismissing(false);
    reread();
  });
  const closeDismissal = () => {
    dismiss.reset();
    setIsDismissing(false);
  };
  return (
    <Allowed to="adoptLateState">
      {late.isSuperseded && <p className="text-sm text-warn">{t('lateState.superseded')}</p>}
      {adopt.error !== undefined && <ErrorNote error={adopt.error} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button variant={late.isSuperseded ? 'plain' : 'primary'} busy={adopt.isBusy} onClick={() => void adopt.run()}>
          {t(late.isSuperseded ? 'lateState.replace' : 'lateState.adopt')}
        </Button>
        <Button onClick={() => setIsDismissing(true)}>{t('lateState.dismiss')}</Button>
        {late.expiresAt !== undefined && (
          <span className="text-sm text-muted">
            {t('lateState.expires')} <Since at={late.expiresAt} />
          </span>
        )}
      </div>
      <Confirm
        isOpen={isDismissing}
        onClose={closeDismissal}
        title={t('lateState.dismiss.title')}
        action={t('lateState.dismiss')}
        onConfirm={() => void dismiss.run()}
        busy={dismiss.isBusy}
        error={dismiss.error}
      >
        {t('lateState.dismiss.text')}
      </Confirm>
    </Allowed>
  );
}
