import { Link } from '@tanstack/react-router';
import type { Capsule } from '#shared/capsules/contract';
import type { InstallPlan } from '#shared/install-plans/contract';
import type { RunRow } from '#shared/runs/contract';
import { CapsuleMarks } from '../../components/capsule-marks.tsx';
import { runTypeText } from '../../components/run-status.ts';
import { awaitsTexts } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { addressText } from '../../ui/address.ts';
import { ChangeCounts } from '../../ui/change-counts.tsx';
import { rowLinkClass } from '../../ui/data-table.tsx';
import { Pill } from '../../ui/pill.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { Line, Section } from './section.tsx';

type Props = {
  runs: readonly RunRow[];
  installs: readonly InstallPlan[];
  /** Holds of Capsules by their ids. */
  holds: ReadonlyMap<string | undefined, Capsule['hold']>;
};

/** Runs and installations that wait for the user. */
export function Waiting({ runs, installs, holds }: Props) {
  const t = useText();
  if (runs.length + installs.length === 0) return null;
  return (
    <Section title={t('home.waiting')} count={runs.length + installs.length}>
      {runs.map((run) => (
        <WaitingPlan key={run.id} run={run} hold={holds.get(run.capsuleId) ?? null} />
      ))}
      {installs.map((plan) => (
        <LeftInstall key={plan.id} plan={plan} />
      ))}
    </Section>
  );
}

function WaitingPlan({ run, hold }: { run: RunRow; hold: Capsule['hold'] }) {
  const t = useText();
  return (
    <Line
      aside={
        <>
          {run.summary && <ChangeCounts counts={run.summary} />}
          <CapsuleMarks capsule={{ hold }} />
          {run.awaits && <StatusBadge statusText={awaitsTexts[run.awaits]} />}
          <Since at={run.finishedAt ?? run.createdAt} />
        </>
      }
    >
      <Link to="/runs/$id" params={{ id: run.id }} data-row className={`${rowLinkClass} break-words`}>
        {t('home.plan.of', { type: t(runTypeText(run)), name: visibleText(run.capsuleName ?? '') })}
      </Link>{' '}
      <span className="text-xs text-muted">{run.environment}</span>
    </Line>
  );
}

function LeftInstall({ plan }: { plan: InstallPlan }) {
  const t = useText();
  return (
    <Line
      aside={
        <>
          <Pill tone="accent">{t('home.install.open')}</Pill>
          <Since at={plan.updatedAt} />
        </>
      }
    >
      <Link to="/install-plans/$id" params={{ id: plan.id }} data-row className={`${rowLinkClass} break-words`}>
        {t('home.install.of', { name: visibleText(plan.capsule.name) })}
      </Link>
      <p className="text-xs break-all text-muted">{addressText(plan.source.url)}</p>
    </Line>
  );
}
