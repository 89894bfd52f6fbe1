import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { limitOf, SearchText } from '../kernel/page.ts';
import { pageSizes } from '../limits.ts';
import { SearchResult } from './contract.ts';

export const searchApi = defineApi({
  search: {
    method: 'GET',
    path: '/search',
    summary: 'Records by name, address, id or commit, in every Workspace of the caller',
    class: 'A',
    query: z.object({
      q: SearchText,
      limit: limitOf(pageSizes.search),
      /** Workspace whose records come first among equal matches. */
      selectedWorkspaceId: z.string().max(128).optional(),
    }),
    replies: { 200: z.strictObject({ results: z.array(SearchResult), truncated: z.boolean() }) },
  },
});
