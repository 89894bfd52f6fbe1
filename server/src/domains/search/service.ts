import { nothingLeft, type QueryOf } from '#shared/kernel/endpoint';
import type { searchApi } from '#shared/search/api';
import { type SearchResult, searchKinds } from '#shared/search/contract';
import type { Match, Viewer } from './match-store.ts';
import type { SearchStore } from './store.ts';

export type SearchService = ReturnType<typeof createSearchService>;

type SearchQuery = QueryOf<typeof searchApi.search>;

/** Finds records of every kind in the Workspaces of an account. It reads names, addresses, ids and commits. */
export const createSearchService = (store: SearchStore) => ({
  search(viewer: Viewer, { q, limit, selectedWorkspaceId, ...rest }: SearchQuery) {
    nothingLeft(rest);
    // One more of each kind shows whether there are further matches.
    const matches = store.find(viewer, { q, selectedWorkspaceId, limit: limit + 1 }).sort(compareMatches);
    return {
      results: matches.slice(0, limit).map(({ result }): SearchResult => result),
      truncated: matches.length > limit,
    };
  },
});

/** Orders matches by rank, then those of the selected Workspace, then by kind, the latest first. */
const compareMatches = (a: Match, b: Match): number =>
  a.rank - b.rank ||
  Number(b.isSelected) - Number(a.isSelected) ||
  searchKinds.indexOf(a.result.kind) - searchKinds.indexOf(b.result.kind) ||
  b.at - a.at ||
  b.result.id.localeCompare(a.result.id);
