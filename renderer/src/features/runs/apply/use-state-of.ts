import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Run } from '#shared/runs/contract';
import { statesQuery } from '../../../api/records.ts';
import { whenKnown } from '../../../api/when-known.ts';

/** Returns the StateVersion that a Run created, if any. */
export function useStateOf(run: Run, capsuleId: string | undefined) {
  const query = useInfiniteQuery(whenKnown(capsuleId, statesQuery));
  const { data, isPending, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const all = data?.pages.flatMap((page) => page.stateVersions) ?? [];
  const state = all.find(({ createdByRunId }) => createdByRunId === run.id);
  // StateVersions are listed newest first, so that of an old Run is on a later page.
  const isSearching = !state && hasNextPage;
  useEffect(() => {
    if (isSearching && !isFetchingNextPage) void fetchNextPage();
  }, [isSearching, isFetchingNextPage, fetchNextPage]);
  return { state, isPending: isPending || isSearching, error, again: () => void refetch() };
}
