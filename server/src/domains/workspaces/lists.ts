import {
  afterCreated,
  type Cursors,
  createdOf,
  type ListQueryOf,
  type PageQuery,
  readPage,
  readTimedPage,
} from '#server/kernel/page';
import { nothingLeft } from '#shared/kernel/endpoint';
import { vendor } from '#shared/vendor';
import type { workspacesApi } from '#shared/workspaces/api';
import { projectOf, workspaceOf } from './records.ts';
import type { MineFilter, WorkspaceRow, WorkspacesStore } from './store.ts';

type WorkspacesQuery = ListQueryOf<typeof workspacesApi.listWorkspaces>;
type Order = WorkspacesQuery['order'];

/** Account whose Workspaces are listed: all of them, or the one that its token is bound to. */
type Viewer = { accountId: string; only?: string | undefined };

export function createWorkspaceLists({ cursors, store }: { cursors: Cursors; store: WorkspacesStore }) {
  function pageOf(mine: MineFilter, query: PageQuery, { binding, order }: { binding: string; order?: Order }) {
    const { rows, limit, next } = readTimedPage(cursors, query, {
      binding: [binding, mine.accountId, mine.only ?? '', mine.includeArchived].join(':'),
      order: order === 'updated_desc' ? order : undefined,
      fetch: (cursor) => store.listMine({ ...mine, ...cursor }),
    });
    return { rows, limit, truncated: next.nextCursor !== undefined, ...next };
  }

  /** Returns the selected Workspace when it is the caller's, is missing on the page, and this is the first page. */
  function findPinned(
    mine: MineFilter,
    { cursor, selectedWorkspaceId }: Pick<WorkspacesQuery, 'cursor' | 'selectedWorkspaceId'>,
    rows: readonly WorkspaceRow[],
  ) {
    if (selectedWorkspaceId === undefined || cursor !== undefined) return undefined;
    if (rows.some(({ id }) => id === selectedWorkspaceId)) return undefined;
    return store.findMine(mine, selectedWorkspaceId);
  }

  return {
    listWorkspaces({ accountId, only }: Viewer, query: WorkspacesQuery) {
      const { limit, cursor, order, selectedWorkspaceId, includeTotal, includeArchived, ...rest } = query;
      nothingLeft(rest);
      const mine = { accountId, only, includeArchived: includeArchived === true };
      const { rows, ...page } = pageOf(mine, { limit, cursor }, { binding: 'workspaces', order });
      const pinned = findPinned(mine, { cursor, selectedWorkspaceId }, rows);
      const all = pinned ? [...rows, pinned] : rows;
      return {
        ...page,
        workspaces: all.map(workspaceOf),
        returned: all.length,
        ...(pinned && { pinnedWorkspaceId: pinned.id }),
        ...(includeTotal === true && { total: store.countMine(mine) }),
      };
    },

    /** Lists every active membership of an account, including archived Workspaces; writes nothing. */
    listInventory(
      accountId: string,
      { limit, cursor, ...rest }: ListQueryOf<typeof workspacesApi.listWorkspaceInventory>,
    ) {
      nothingLeft(rest);
      const mine = { accountId, includeArchived: true };
      const { rows, ...page } = pageOf(mine, { limit, cursor }, { binding: 'workspace-inventory' });
      return {
        kind: `${vendor}.account-workspace-inventory@v1` as const,
        ...page,
        workspaces: rows.map(workspaceOf),
        returned: rows.length,
        total: store.countMine(mine),
      };
    },

    listProjects(workspaceId: string, query: ListQueryOf<typeof workspacesApi.listProjects>) {
      const { rows, next } = readPage(cursors, query, {
        binding: `projects:${workspaceId}`,
        fetch: (after, limit) => store.listProjects(workspaceId, limit, afterCreated(after)),
        positionOf: createdOf,
      });
      return { projects: rows.map(projectOf), ...next };
    },
  };
}
