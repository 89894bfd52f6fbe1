import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { RunRow } from '#shared/runs/contract';
import { sourceQuery } from '../../api/records.ts';
import { whenKnown } from '../../api/when-known.ts';
import { runTypeText } from '../../components/run-status.ts';
import { runStatusTexts } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { rowLinkClass } from '../../ui/data-table.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Elapsed } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { Line, Section } from './section.tsx';

/** Active Runs. They continue when this page is closed. */
export function Running({ runs }: { runs: readonly RunRow[] }) {
  const t = useText();
  if (runs.length === 0) return null;
  return (
    <Section title={t('home.running')} count={runs.length}>
      {runs.map((run) => (
        <RunningLine key={run.id} run={run} />
      ))}
    </Section>
  );
}

function RunningLine({ run }: { run: RunRow }) {
  const t = useText();
  const isOfSource = run.capsuleName === undefined && run.sourceId !== undefined;
  const source = useQuery(whenKnown(isOfSource ? run.sourceId : undefined, sourceQuery)).data;
  return (
    <Line
      aside={
        <>
          <StatusBadge statusText={runStatusTexts[run.status]} />
          <Elapsed from={Date.parse(run.startedAt ?? run.createdAt)} />
        </>
      }
    >
      <Link to="/runs/$id" params={{ id: run.id }} data-row className={`${rowLinkClass} break-words`}>
        {t('home.plan.of', {
          type: t(runTypeText(run)),
          name: visibleText(run.capsuleName ?? source?.name ?? ''),
        })}
      </Link>{' '}
      <span className="text-xs text-muted">{run.environment}</span>
    </Line>
  );
}
