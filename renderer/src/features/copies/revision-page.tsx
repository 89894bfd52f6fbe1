import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Copy, CopyRevision } from '#shared/copies/contract';
import { copyQuery, copyRevisionQuery } from '../../api/copies.ts';
import { PageError } from '../../components/page-error.tsx';
import { useText } from '../../i18n/text.ts';
import { addressText } from '../../ui/address.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Lane } from '../../ui/lane.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { PageTitle, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { DecisionBar } from './decision-bar.tsx';
import { Review } from './review.tsx';
import { RevisionProgress } from './revision-progress.tsx';
import { RevisionResult } from './revision-result.tsx';
import { revisionStatusText } from './status.ts';

/** Page of one making of a copy: its progress, what a person approves, and its result. */
export function CopyRevisionPage({ id, revisionId }: { id: string; revisionId: string }) {
  const copy = useQuery(copyQuery(id));
  const revision = useQuery(copyRevisionQuery(id, revisionId));
  if (copy.isPending || revision.isPending) return <Skeleton lines={6} />;
  if (!copy.data) return <PageError error={copy.error} onAgain={() => void copy.refetch()} />;
  if (!revision.data) return <PageError error={revision.error} onAgain={() => void revision.refetch()} />;
  return <RevisionView key={revisionId} copy={copy.data} revision={revision.data} />;
}

function RevisionView({ copy, revision }: { copy: Copy; revision: CopyRevision }) {
  const t = useText();
  const { url, ref, path } = copy.upstream;
  const { status, review } = revision;
  return (
    <>
      <PageTitle
        title={visibleText(copy.name)}
        lead={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="min-w-0 break-all">{t('copies.of', { address: addressText(url) })}</span>
            <Lane of={{ ref, path }} />
            <StatusBadge statusText={revisionStatusText(revision)} />
          </span>
        }
        actions={
          <Link to="/copies/$id" params={{ id: copy.id }} className={buttonClass()}>
            {t('copy.open')}
          </Link>
        }
      />
      <div className="flex flex-col gap-4">
        <RevisionProgress revision={revision} />
        <RevisionResult copy={copy} revision={revision} />
        {review && <Review revision={revision} review={review} />}
        {review && status === 'waiting_approval' && <DecisionBar revision={revision} review={review} />}
      </div>
    </>
  );
}
