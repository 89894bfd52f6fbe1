import { useInfiniteQuery } from '@tanstack/react-query';
import { ApiError } from '../../api/client.ts';
import { runnerPoolsQuery } from '../../api/runner-pools.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { More } from '../../components/more.tsx';
import { useText } from '../../i18n/text.ts';
import { Card, EmptyState, Note, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { NewPool } from './new-pool.tsx';
import { PoolCard } from './pool-card.tsx';
import { QueueText } from './queue-text.tsx';

/** Page of the pools of runner machines, for the owner of the installation. */
export function RunnerPoolsPage() {
  const t = useText();
  const pages = useInfiniteQuery({ ...runnerPoolsQuery, retry: false });
  const isRefused = pages.error instanceof ApiError && pages.error.code === 'forbidden';
  const first = pages.data?.pages[0];
  const pools = pages.data?.pages.flatMap(({ runnerPools }) => runnerPools) ?? [];
  return (
    <>
      <PageTitle
        title={t('runners.title')}
        lead={t('runners.lead')}
        actions={first?.isConfigured ? <NewPool /> : undefined}
      />
      <div className="flex max-w-4xl flex-col gap-4">
        {pages.isPending && <Skeleton lines={6} />}
        {isRefused && (
          <Card>
            <EmptyState title={t('runners.forbidden')} text={t('runners.forbidden.text')} />
          </Card>
        )}
        {pages.isLoadingError && !isRefused && <ErrorNote error={pages.error} onAgain={() => void pages.refetch()} />}
        {first && !first.isConfigured && <Note title={t('runners.off')}>{t('runners.off.text')}</Note>}
        {first && (
          <Card className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 px-4 py-3">
            <h2 className="font-semibold">{t('runners.local')}</h2>
            <QueueText queue={first.local} />
          </Card>
        )}
        {first?.isConfigured && pools.length === 0 && (
          <Card>
            <EmptyState title={t('runners.none')} text={t('runners.none.text')} />
          </Card>
        )}
        {pools.map((pool) => (
          <PoolCard key={pool.id} pool={pool} isConfigured={first?.isConfigured ?? false} />
        ))}
        <More pages={pages} />
      </div>
    </>
  );
}
