import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { SourceSnapshot, SourceStatus } from '#shared/sources/contract';
import { CommitText } from '../../components/code/commit-text.tsx';
import { HostLink } from '../../components/code/host-link.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { More } from '../../components/more.tsx';
import { useWho } from '../../components/who.ts';
import { useText } from '../../i18n/text.ts';
import { Lane } from '../../ui/lane.tsx';
import { ShortId } from '../../ui/short-id.tsx';
import { Card, EmptyState, Skeleton } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { ManifestProblems, ManifestStatus } from './manifest.tsx';

type Pages = UseInfiniteQueryResult<{ pages: { snapshots: SourceSnapshot[] }[] }>;

/** Snapshots of a Source, newest first. A commit that is fetched twice is one snapshot. */
export function SourceSnapshots({ pages, sourceStatus }: { pages: Pages; sourceStatus: SourceStatus }) {
  const t = useText();
  const snapshots = pages.data?.pages.flatMap((page) => page.snapshots) ?? [];
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('snapshots.title')}</h2>
      {pages.isPending && <Skeleton />}
      {pages.isLoadingError && (
        <div className="p-4">
          <ErrorNote error={pages.error} onAgain={() => void pages.refetch()} />
        </div>
      )}
      {pages.isSuccess && snapshots.length === 0 && (
        <EmptyState
          title={t('snapshots.none.title')}
          text={t(sourceStatus === 'disabled' ? 'source.disabled.text' : 'snapshots.none.text')}
        />
      )}
      <ol className="divide-y divide-line">
        {snapshots.map((snapshot) => (
          <SnapshotRow key={snapshot.id} snapshot={snapshot} />
        ))}
      </ol>
      <More pages={pages} />
    </Card>
  );
}

function SnapshotRow({ snapshot }: { snapshot: SourceSnapshot }) {
  const t = useText();
  const who = useWho();
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
      <span className="w-32 shrink-0">
        <ShortId id={snapshot.resolvedCommit} what={t('snapshots.commit')} />
      </span>
      <span className="min-w-24 flex-1 text-muted">
        <Lane of={snapshot} />
      </span>
      {snapshot.repositoryManifest && <ManifestStatus manifest={snapshot.repositoryManifest} />}
      <span className="text-muted">
        <Since at={snapshot.fetchedAt} />
        {snapshot.fetchedBy !== undefined && ` · ${who(snapshot.fetchedBy, snapshot.trigger)}`}
      </span>
      <Link
        to="/runs/$id"
        params={{ id: snapshot.fetchedByRunId }}
        aria-label={t('snapshots.run', { commit: snapshot.resolvedCommit.slice(0, 8) })}
        className="text-accent hover:underline"
      >
        Run
      </Link>
      <div className="flex min-w-0 basis-full flex-wrap items-start justify-between gap-x-4 empty:hidden">
        {snapshot.commit && <CommitText commit={snapshot.commit} />}
        <HostLink sourceId={snapshot.sourceId} to={({ commit }) => commit(snapshot.resolvedCommit)} />
      </div>
      <ManifestProblems problems={snapshot.manifestProblems ?? []} />
    </li>
  );
}
