import { afterCreated, type Cursors, createdOf, type PageQuery, readPage, readTimedPage } from '#server/kernel/page';
import { vendor } from '#shared/vendor';
import { projectOf, workspaceOf } from './records.ts';
import type { MineFilter, WorkspaceRow, WorkspacesStore } from './store.ts';

/** Query of the Workspace list. */
export type WorkspacesQuery = PageQuery & {
  order?: 'created_asc' | 'updated_desc' | undefined;
  selectedWorkspaceId?: string | undefined;
  includeTotal?: boolean | undefined;
  includeArchived?: boolean | undefined;
};

/** Account whose Workspaces are listed: all of them, or the one that its token is bound to. */
export type Viewer = { accountId: string; only?: string | undefined };

export function createWorkspaceLists({ cursors, store }: { cursors: Cursors; store: WorkspacesStore }) {
  function pageOf(mine: MineFilter, query: WorkspacesQuery, binding: string) {
    const { rows, limit, next } = readTimedPage<WorkspaceRow>(cursors, query, {
      binding: [binding, mine.accountId, mine.only ?? '', mine.includeArchived].join(':'),
      order: query.order === 'updated_desc' ? query.order : undefined,
      fetch: (cursor) => store.listMine({ ...mine, ...cursor }),
    });
    return { rows, limit, truncated: next.nextCursor !== undefined, ...next };
  }

  /** Returns the selected Workspace when it is the caller's, is missing on the page, and this is the first page. */
  function findPinned(
    mine: MineFilter,
    { cursor, selectedWorkspaceId }: WorkspacesQuery,
    rows: readonly WorkspaceRow[],
  ) {
    if (selectedWorkspaceId === undefined || cursor !== undefined) return undefined;
    if (rows.some(({ id }) => id === selectedWorkspaceId)) return undefined;
    return store.findMine(mine, selectedWorkspaceId);
  }

  return {
    listWorkspaces({ accountId, only }: Viewer, query: WorkspacesQuery) {
      const mine = { accountId, only, includeArchived: query.includeArchived === true };
      const { rows, ...page } = pageOf(mine, query, 'workspaces');
      const pinned = findPinned(mine, query, rows);
      const all = pinned ? [...rows, pinned] : rows;
      return {
        ...page,
        workspaces: all.map(workspaceOf),
        returned: all.length,
        ...(pinned && { pinnedWorkspaceId: pinned.id }),
        ...(query.includeTotal === true && { total: store.countMine(mine) }),
      };
    },

    /** Lists every active membership of an account, including archived Workspaces; writes nothing. */
    listInventory(accountId: string, query: PageQuery) {
      const mine = { accountId, includeArchived: true };
      const { rows, ...page } = pageOf(mine, query, 'workspace-inventory');
      return {
        kind: `${vendor}.account-workspace-inventory@v1` as const,
        ...page,
        workspaces: rows.map(workspaceOf),
        returned: rows.length,
        total: store.countMine(mine),
      };
    },

    listProjects(workspaceId: string, query: PageQuery) {
      const { rows, next } = readPage(cursors, query, {
        binding: `projects:${workspaceId}`,
        fetch: (after, limit) => store.listProjects(workspaceId, limit, afterCreated(after)),
        positionOf: createdOf,
      });
      return { projects: rows.map(projectOf), ...next };
    },
  };
}
