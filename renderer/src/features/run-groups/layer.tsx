import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import type { CapsuleHold } from '#shared/capsules/contract';
import { isPlanType, type RunRow } from '#shared/runs/contract';
import { firstDiagnosticQuery } from '../../api/groups.ts';
import { CapsuleMarks } from '../../components/capsule-marks.tsx';
import { runStatusText, runTypeText } from '../../components/run-status.ts';
import { runErrorText } from '../../components/status-text.ts';
import { type TextId, useText } from '../../i18n/text.ts';
import { ChangeCounts } from '../../ui/change-counts.tsx';
import { rowLinkClass } from '../../ui/data-table.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Card } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import type { Selection } from './use-selection.ts';

type Props = {
  number: number | undefined;
  runs: readonly RunRow[];
  selection: Selection;
  holds: ReadonlyMap<string | undefined, CapsuleHold | null>;
};

/** Members of a group that do not depend on each other. */
export function Layer({ number, runs, selection, holds }: Props) {
  const t = useText();
  const text: TextId = number === 1 ? 'group.layer.first' : 'group.layer.next';
  const offered = runs.filter(selection.isOffered);
  return (
    <Card>
      {(number !== undefined || offered.length > 1) && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2.5">
          {number !== undefined && (
            <h2 className="min-w-0 flex-1 basis-60 font-semibold">
              {t('group.layer', { number })}
              <span className="ml-2 text-xs font-normal text-muted">{t(text)}</span>
            </h2>
          )}
          {offered.length > 1 && <SelectAll runs={offered} selection={selection} number={number} />}
        </div>
      )}
      <ul className="divide-y divide-line">
        {runs.map((run) => (
          <Member key={run.id} run={run} selection={selection} hold={holds.get(run.capsuleId) ?? null} />
        ))}
      </ul>
    </Card>
  );
}

type AllProps = { runs: readonly RunRow[]; selection: Selection; number: number | undefined };

function SelectAll({ runs, selection, number }: AllProps) {
  const t = useText();
  const selected = runs.filter(selection.isSelected).length;
  return (
    <label className="flex items-center gap-2 text-sm">
      <input
        type="checkbox"
        className="size-4 accent-accent"
        checked={selected === runs.length}
        ref={(box) => {
          if (box) box.indeterminate = selected > 0 && selected < runs.length;
        }}
        onChange={({ target }) => selection.select(runs, target.checked)}
      />
      {number === undefined ? t('group.select.all') : t('group.select.layer', { number })}
    </label>
  );
}

function Member({ run, selection, hold }: { run: RunRow; selection: Selection; hold: CapsuleHold | null }) {
  const t = useText();
  const linkId = useId();
  const { type, summary, driftCount, errorCode } = run;
  return (
    <li className="relative flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 hover:bg-raised">
      {selection.isOffered(run) && (
        <input
          type="checkbox"
          aria-labelledby={linkId}
          className="relative z-10 size-4 accent-accent"
          checked={selection.isSelected(run)}
          onChange={({ target }) => selection.select([run], target.checked)}
        />
      )}
      <Link
        id={linkId}
        to="/runs/$id"
        params={{ id: run.id }}
        data-row
        className={`${rowLinkClass} min-w-40 flex-1 break-words`}
      >
        {visibleText(run.capsuleName ?? run.capsuleId ?? '')}{' '}
        <span className="font-normal text-muted">{t(runTypeText(run))}</span>
      </Link>
      <CapsuleMarks capsule={{ hold }} />
      {type !== 'drift_check' && summary && isPlanType(type) && <ChangeCounts counts={summary} />}
      {driftCount !== undefined && (
        <span className={driftCount > 0 ? 'text-warn' : 'text-muted'}>
          {driftCount > 0 ? t('drift.count', { count: driftCount }) : t('drift.clean')}
        </span>
      )}
      <StatusBadge statusText={runStatusText(run)} />
      {run.startedAt === undefined && run.finishedAt !== undefined ? (
        <NotStarted runId={run.id} />
      ) : (
        errorCode && <p className="w-full text-sm text-muted">{t(runErrorText(errorCode))}</p>
      )}
    </li>
  );
}

/** Shows the diagnostic of a Run that ended before it started. */
function NotStarted({ runId }: { runId: string }) {
  const { data } = useQuery(firstDiagnosticQuery(runId));
  return data ? <p className="w-full text-sm text-muted">{visibleText(data)}</p> : null;
}
