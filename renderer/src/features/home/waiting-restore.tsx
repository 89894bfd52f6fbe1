import { Link } from '@tanstack/react-router';
import type { RunRow } from '#shared/runs/contract';
import { runStatusText } from '../../components/run-status.ts';
import { useText } from '../../i18n/text.ts';
import { rowLinkClass } from '../../ui/data-table.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { Line } from './section.tsx';

/** A restore that waits for an approval. */
export function WaitingRestore({ run }: { run: RunRow }) {
  const t = useText();
  const { id, capsuleName, createdAt } = run;
  const type = t('run.type.restore');
  const name = capsuleName === undefined ? t('restore.several') : visibleText(capsuleName);
  return (
    <Line
      aside={
        <>
          <StatusBadge statusText={runStatusText(run)} />
          <Since at={createdAt} />
        </>
      }
    >
      <Link to="/runs/$id" params={{ id }} data-row className={`${rowLinkClass} break-words`}>
        {t('home.plan.of', { type, name })}
      </Link>
    </Line>
  );
}
