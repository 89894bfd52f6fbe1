import { viewerOf } from '#server/domains/workspaces/index';
import { type Mount, ok } from '#server/kernel/http/index';
import { searchApi } from '#shared/search/api';
import type { SearchService } from './service.ts';

/** A bound token searches its Workspace, and is refused another. */
export const searchRoutes = (mount: Mount, search: SearchService): void =>
  mount(searchApi, {
    search: ({ query, caller }) => ok(search.search(viewerOf(caller, query.selectedWorkspaceId), query)),
  });
