import {
  type InfiniteData,
  keepPreviousData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect } from 'react';
import { type ResourcePage, stateResourcesQuery } from '../../../api/state-resources.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { type TextId, useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { Card, EmptyState, Skeleton } from '../../../ui/surface.tsx';
import { useCapsule } from '../capsule-context.ts';
import { GenerationChoice } from '../states/generation-choice.tsx';
import { ModuleTree } from './module-tree.tsx';
import { Checks, ProjectionNote } from './notes.tsx';
import { ResourceList } from './resource-list.tsx';
import type { ResourcesSearch } from './search.ts';

/** Resources of a Capsule at any generation. Filters and the generation are stored in the URL. */
export function ResourcesPage({ search }: { search: ResourcesSearch }) {
  const { capsule } = useCapsule();
  const stateVersionId = search.state ?? capsule.currentStateVersionId;
  if (stateVersionId === undefined) return <Nothing title="resources.none" text="resources.none.text" />;
  return <Resources key={stateVersionId} stateVersionId={stateVersionId} search={search} />;
}

const Nothing = ({ title, text }: { title: TextId; text: TextId }) => {
  const t = useText();
  return (
    <Card>
      <EmptyState title={t(title)} text={t(text)} />
    </Card>
  );
};

function Resources({ stateVersionId, search }: { stateVersionId: string; search: ResourcesSearch }) {
  const t = useText();
  const navigate = useNavigate();
  const { id } = useCapsule().capsule;
  const { state, ...filter } = search;
  const pages = useInfiniteQuery({ ...stateResourcesQuery(stateVersionId, filter), placeholderData: keepPreviousData });
  const first = pages.data?.pages[0];
  const show = (change: { [K in keyof ResourcesSearch]: ResourcesSearch[K] | undefined }) => {
    const next = Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined);
    const to = { to: '/capsules/$id/resources', params: { id }, replace: true, resetScroll: false } as const;
    void navigate({ ...to, search: Object.fromEntries(next) as ResourcesSearch });
  };
  const modules = first?.modules ?? [];
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <SearchField
          label={t('resources.search')}
          value={search.q ?? ''}
          onSearch={(q) => show({ q: q || undefined })}
        />
        <GenerationChoice value={state} onChange={(next) => show({ state: next })} />
        {Object.keys(filter).length > 0 && (
          <Button onClick={() => show({ q: undefined, module: undefined, address: undefined })}>
            {t('resources.showAll')}
          </Button>
        )}
      </div>
      {first && <ProjectionNote projection={first.projection} />}
      {first && <Checks checks={first.checks ?? []} />}
      {pages.isPending && (
        <Card>
          <Skeleton lines={6} />
        </Card>
      )}
      {pages.isLoadingError && <ErrorNote error={pages.error} onAgain={() => void pages.refetch()} />}
      {first && (
        <div className={modules.length > 1 ? 'grid items-start gap-4 lg:grid-cols-[16rem_minmax(0,1fr)]' : ''}>
          {modules.length > 1 && (
            <ModuleTree modules={modules} chosen={search.module} onChoose={(module) => show({ module })} />
          )}
          <MatchingResources pages={pages} search={search} />
        </div>
      )}
    </div>
  );
}

type Pages = UseInfiniteQueryResult<InfiniteData<ResourcePage>>;

/** The resources that match, loaded as the list is scrolled. */
function MatchingResources({ pages, search }: { pages: Pages; search: ResourcesSearch }) {
  const t = useText();
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = pages;
  const resources = pages.data?.pages.flatMap((page) => page.resources) ?? [];
  const canFetch = hasNextPage && !isFetching && !isFetchNextPageError;
  const onEnd = useCallback(() => {
    if (canFetch) void fetchNextPage();
  }, [canFetch, fetchNextPage]);
  const isEmpty = resources.length === 0;
  // A search may find nothing on its first pages, because it reads a part of a large state at a time.
  useEffect(() => {
    if (isEmpty) onEnd();
  }, [isEmpty, onEnd]);
  const { state, ...filter } = search;
  const isNarrowed = Object.keys(filter).length > 0;
  return (
    <Card className="min-w-0">
      <h2 className="px-4 py-2.5 font-semibold">
        {t('resources.title')}{' '}
        <span className="font-normal text-muted">
          {t('states.resources', { count: pages.data?.pages[0]?.resourceCount ?? 0 })}
        </span>
      </h2>
      {!isEmpty && (
        <ResourceList resources={resources} state={state} isSingle={search.address !== undefined} onEnd={onEnd} />
      )}
      {isEmpty && (hasNextPage || isFetching) && <Skeleton />}
      {isEmpty && !hasNextPage && !isFetching && (
        <EmptyState
          title={t(isNarrowed ? 'resources.nothing' : 'resources.empty')}
          text={t(isNarrowed ? 'resources.nothing.text' : 'resources.empty.text')}
        />
      )}
      {isFetchNextPageError && (
        <div className="border-t border-line p-4">
          <ErrorNote error={pages.error} onAgain={() => void fetchNextPage()} />
        </div>
      )}
    </Card>
  );
}
