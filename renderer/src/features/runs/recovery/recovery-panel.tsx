import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import type { Run } from '#shared/runs/contract';
import { capsuleQuery } from '../../../api/records.ts';
import { whenKnown } from '../../../api/when-known.ts';
import { useText } from '../../../i18n/text.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { Card } from '../../../ui/surface.tsx';
import { useStateOf } from '../apply/use-state-of.ts';
import { PlanAgain } from '../plan-again.tsx';
import { AddressList } from './address-list.tsx';
import type { Recovery } from './recovery.ts';
import { UncertainList } from './uncertain-list.tsx';

type Props = { run: Run; recovery: Recovery };

/** Recovery steps after an apply that did not succeed: what is known, what is uncertain, and what to do. */
export function RecoveryPanel({ run, recovery }: Props) {
  const t = useText();
  const { capsuleId } = run;
  const capsule = useQuery(whenKnown(capsuleId, capsuleQuery)).data;
  return (
    <Card className="mb-4">
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('recovery.title')}</h2>
      <div className="flex flex-col gap-4 px-4 py-3">
        <div className="max-w-prose">
          <p>{t(`recovery.cause.${recovery.cause}`)}</p>
          <SavedState run={run} />
        </div>
        <Reached recovery={recovery} />
        {capsule?.runtimeSafety === 'safe' ? (
          <p role="status" className="rounded-md border border-good/40 bg-good-soft px-3 py-2">
            {t('recovery.over')}
          </p>
        ) : (
          <Steps run={run} recovery={recovery} capsule={capsule} />
        )}
      </div>
    </Card>
  );
}

/** Generation and size of the state that the apply saved. */
function SavedState({ run }: { run: Run }) {
  const t = useText();
  const { state, isPending } = useStateOf(run, run.capsuleId);
  if (isPending) return null;
  return (
    <p className="mt-1 text-muted">
      {state
        ? t('recovery.kept', { generation: state.generation, count: state.resourceCount })
        : t('recovery.kept.nothing')}
    </p>
  );
}

function Reached({ recovery: { created, changed, destroyed, unsettled } }: { recovery: Recovery }) {
  const t = useText();
  const isEmpty = [created, changed, destroyed, unsettled].every(({ length }) => length === 0);
  return (
    <section aria-label={t('recovery.reached')}>
      <h3 className="mb-1.5 font-semibold">{t('recovery.reached')}</h3>
      {isEmpty ? (
        <p className="text-muted">{t('recovery.reached.nothing')}</p>
      ) : (
        <div className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
          <AddressList title={t('recovery.made')} addresses={created} />
          <AddressList title={t('recovery.changed')} addresses={changed} />
          <AddressList title={t('recovery.destroyed')} addresses={destroyed} />
          <AddressList title={t('recovery.unsettled')} addresses={unsettled} />
        </div>
      )}
      {unsettled.length > 0 && <p className="mt-1.5 text-sm text-muted">{t('recovery.unsettled.text')}</p>}
    </section>
  );
}

type StepsProps = Props & { capsule: Capsule | undefined };

function Steps({ run, recovery, capsule }: StepsProps) {
  const t = useText();
  const { uncertain, unnamed } = recovery;
  const isCertain = uncertain.length + unnamed === 0;
  return (
    <section aria-label={t('recovery.steps')}>
      <h3 className="mb-1.5 font-semibold">{t('recovery.steps')}</h3>
      {isCertain && <p className="mb-2 max-w-prose">{t('recovery.certain')}</p>}
      <ol className="flex flex-col gap-3">
        {!isCertain && (
          <Step number={1} title={t('recovery.look')} text={t('recovery.look.text')}>
            <UncertainList items={uncertain} unnamed={unnamed} />
          </Step>
        )}
        {!isCertain && (
          <Step number={2} title={t('recovery.take')} text={t('recovery.take.text')}>
            <p className="mt-1 max-w-prose text-muted">{t('recovery.take.none')}</p>
          </Step>
        )}
        <Step
          number={isCertain ? 1 : 3}
          title={t('recovery.plan')}
          text={t(recovery.cause === 'failed' ? 'recovery.plan.cause' : 'recovery.plan.text')}
        >
          {capsule && <PlanAgain capsule={capsule} run={run} />}
        </Step>
        <Step number={isCertain ? 2 : 4} title={t('recovery.review')} text={t('recovery.review.text')}>
          <WaitingPlan capsule={capsule} />
        </Step>
      </ol>
    </section>
  );
}

function Step(props: { number: number; title: string; text: string; children?: ReactNode }) {
  return (
    <li className="flex gap-3">
      <span
        aria-hidden="true"
        className="flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-soft text-sm font-semibold text-accent"
      >
        {props.number}
      </span>
      <div className="min-w-0 flex-1">
        <p className="font-medium">{props.title}</p>
        <p className="max-w-prose text-muted">{props.text}</p>
        {props.children}
      </div>
    </li>
  );
}

/** The newer plan that waits for a decision. */
function WaitingPlan({ capsule }: { capsule: Capsule | undefined }) {
  const t = useText();
  const { latestRun } = capsule ?? {};
  if (latestRun?.awaits === undefined) return null;
  return (
    <Link to="/runs/$id" params={{ id: latestRun.id }} className={`${buttonClass('primary')} mt-2`}>
      {t('next.review')}
    </Link>
  );
}
