import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Run, RunRow } from '#shared/runs/contract';
import type { Source } from '#shared/sources/contract';
import { runQuery } from '../../api/records.ts';
import type { RunProgress } from '../../api/run-progress.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { runErrorText } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { RefName } from '../../ui/lane.tsx';
import { Steps } from '../../ui/steps.tsx';
import { Card, Note } from '../../ui/surface.tsx';
import { Elapsed, Since } from '../../ui/time.tsx';
import { visibleLine, visibleText } from '../../ui/visible-text.ts';
import type { useSync } from './use-sync.ts';

type Props = { source: Source; sync: ReturnType<typeof useSync> };

/** Progress of the sync, or the result of the last one when it needs attention. */
export function SyncPanel({ source, sync }: Props) {
  const { runId, progress, error, newest } = sync;
  if (error !== undefined) return <ErrorNote error={error} />;
  if (runId !== undefined && progress && !progress.isOver) return <SyncLive runId={runId} progress={progress} />;
  if (runId !== undefined && progress) return <SyncEnd runId={runId} progress={progress} newest={newest} />;
  if (newest?.status === 'failed' && source.status !== 'disabled') return <SyncFailed run={newest} />;
  return null;
}

function SyncLive({ runId, progress }: { runId: string; progress: RunProgress }) {
  const t = useText();
  const { data: run } = useQuery(runQuery(runId));
  const isQueued = progress.status === 'queued';
  return (
    <Card className="p-4">
      <Steps
        label={t('sync.title')}
        steps={[
          {
            id: 'sync',
            title: t(isQueued ? 'sync.queued' : 'sync.running'),
            state: 'running',
            aside: run && <Elapsed from={Date.parse(run.startedAt ?? run.createdAt)} />,
            children: progress.lastLine && (
              <p aria-live="off" className="truncate font-mono text-xs text-muted">
                {visibleLine(progress.lastLine)}
              </p>
            ),
          },
        ]}
      />
    </Card>
  );
}

/** Reports whether a later sync of the same ref has ended. */
const isOutdated = (run: Run, newest: RunRow | undefined): newest is RunRow =>
  newest?.ref === run.ref && newest?.finishedAt !== undefined && newest.createdAt > run.createdAt;

type EndProps = { runId: string; progress: RunProgress; newest: RunRow | undefined };

/** Result of the sync followed here, until a later one has another result. */
function SyncEnd(props: EndProps) {
  const t = useText();
  const { data: run } = useQuery({ ...runQuery(props.runId), refetchOnMount: 'always' });
  if (run && isOutdated(run, props.newest) && props.newest.resolvedCommit !== run.resolvedCommit)
    return props.newest.status === 'failed' ? <SyncFailed run={props.newest} /> : null;
  if (props.progress.status === 'failed')
    return run?.errorCode ? <SyncFailed run={run} problem={props.progress.problem} /> : null;
  if (props.progress.status === 'cancelled') return <Note tone="warn" title={t('sync.cancelled')} />;
  if (!run?.resolvedCommit) return null;
  const commit = run.resolvedCommit.slice(0, 8);
  return <Note>{t('sync.done', { commit })}</Note>;
}

function SyncFailed({ run, problem }: { run: Run | RunRow; problem?: string | undefined }) {
  const t = useText();
  return (
    <Note tone="bad" title={t('sync.failed')}>
      {run.errorCode && <p>{t(runErrorText(run.errorCode))}</p>}
      {problem && run.errorCode === 'source_sync_failed' && (
        <p lang="en" className="mt-1 font-mono text-xs break-words text-muted">
          {visibleText(problem)}
        </p>
      )}
      <p className="mt-2 flex flex-wrap gap-3 text-xs text-muted">
        <Since at={run.finishedAt ?? run.createdAt} />
        {run.ref !== undefined && <RefName name={run.ref} />}
        <Link to="/runs/$id" params={{ id: run.id }} className="text-accent hover:underline">
          {t('sync.see')}
        </Link>
      </p>
    </Note>
  );
}
