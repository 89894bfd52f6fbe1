import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { RunGroup, RunGroupGraph } from '#shared/run-groups/contract';
import { isPlanType, type RunRow } from '#shared/runs/contract';
import { firstDiagnosticQuery, runGroupQuery } from '../../api/groups.ts';
import { PageError } from '../../components/page-error.tsx';
import { runStatusText, runTypeText } from '../../components/run-status.ts';
import { runErrorText, runStatusTexts } from '../../components/status-text.ts';
import { type TextId, useText } from '../../i18n/text.ts';
import { ChangeCounts } from '../../ui/change-counts.tsx';
import { rowLinkClass } from '../../ui/data-table.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Card, Note, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { ApplyGroup } from './apply-group.tsx';
import { ApproveGroup } from './approve-group.tsx';

/** Page of a RunGroup: its Runs step by step, and the actions on all of them. */
export function RunGroupPage({ id }: { id: string }) {
  const query = useQuery(runGroupQuery(id));
  if (query.isPending) return <Skeleton lines={6} />;
  if (!query.data) return <PageError error={query.error} onAgain={() => void query.refetch()} />;
  return <GroupView key={id} group={query.data.runGroup} runs={query.data.runs} />;
}

function GroupView({ group, runs }: { group: RunGroup; runs: readonly RunRow[] }) {
  const t = useText();
  const { order } = JSON.parse(group.graphJson) as RunGroupGraph;
  const runOf = new Map(runs.map((run) => [run.capsuleId, run]));
  return (
    <>
      <PageTitle
        title={t(`group.title.${group.type}`)}
        lead={
          <span className="flex flex-wrap items-center gap-2">
            <StatusBadge statusText={runStatusTexts[group.status]} /> {t('group.lead', { count: order.flat().length })}{' '}
            · <Since at={group.createdAt} />
          </span>
        }
        actions={
          <>
            <ApproveGroup group={group} runs={runs} />
            <ApplyGroup group={group} runs={runs} />
          </>
        }
      />
      {order.length > 1 && (
        <div className="mb-4">
          <Note>{t('group.stale')}</Note>
        </div>
      )}
      <div className="flex flex-col gap-4">
        {order.map((layer, at) => (
          <Layer
            key={layer.join()}
            number={order.length > 1 ? at + 1 : undefined}
            runs={layer.flatMap((capsuleId) => runOf.get(capsuleId) ?? [])}
          />
        ))}
      </div>
    </>
  );
}

function Layer({ number, runs }: { number: number | undefined; runs: readonly RunRow[] }) {
  const t = useText();
  const text: TextId = number === 1 ? 'group.layer.first' : 'group.layer.next';
  return (
    <Card>
      {number !== undefined && (
        <h2 className="border-b border-line px-4 py-2.5 font-semibold">
          {t('group.layer', { number })}
          <span className="ml-2 text-xs font-normal text-muted">{t(text)}</span>
        </h2>
      )}
      <ul className="divide-y divide-line">
        {runs.map((run) => (
          <Member key={run.id} run={run} />
        ))}
      </ul>
    </Card>
  );
}

function Member({ run }: { run: RunRow }) {
  const t = useText();
  const { type, summary, driftCount, errorCode } = run;
  return (
    <li className="relative flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 hover:bg-raised">
      <Link to="/runs/$id" params={{ id: run.id }} data-row className={`${rowLinkClass} min-w-48 flex-1 break-words`}>
        {visibleText(run.capsuleName ?? run.capsuleId ?? '')}{' '}
        <span className="font-normal text-muted">{t(runTypeText(run))}</span>
      </Link>
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
