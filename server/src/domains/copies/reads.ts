import { notFound } from '#server/kernel/errors';
import { beforeSeq, type Cursors, type ListQueryOf, readPage } from '#server/kernel/page';
import type { copiesApi } from '#shared/copies/api';
import type { Copy, CopyRevision, CopyRevisionRow } from '#shared/copies/contract';
import type { RevisionProgress } from './maker.ts';
import { copyOf, revisionOf, revisionRowOf } from './records.ts';
import type { CopyRequests } from './requests.ts';
import type { CopiesStore, CopyRow } from './store.ts';

export type ReadPorts = {
  store: CopiesStore;
  cursors: Cursors;
  requests: CopyRequests;
  findProgress: (revisionId: string) => RevisionProgress | undefined;
};
type Listed<E extends 'listCopies' | 'listCopyRevisions'> = ListQueryOf<(typeof copiesApi)[E]>;

/** Returns copies with the open revision of each, read with one query. */
export function toCopies(store: Pick<CopiesStore, 'listOpen'>, rows: readonly CopyRow[]): Copy[] {
  const open = store.listOpen(rows.map(({ id }) => id));
  return rows.map((row) => copyOf(row, open.get(row.id)));
}

/** Reads copies and their revisions. */
export const createCopyReads = ({ store, cursors, requests, findProgress }: ReadPorts) => ({
  getCopy(id: string): Copy {
    const row = store.findCopy(id);
    if (!row) throw notFound('copy');
    return toCopies(store, [row])[0] as Copy;
  },

  getRevision: (copyId: string, id: string): CopyRevision =>
    revisionOf(requests.getRevision(copyId, id), findProgress(id)),

  listCopies(workspaceId: string, query: Listed<'listCopies'>): { copies: Copy[]; nextCursor?: string } {
    const { rows, next } = readPage(cursors, query, {
      binding: `copies:${workspaceId}`,
      fetch: (after, limit) => store.listCopies(workspaceId, beforeSeq(after), limit),
      positionOf: ({ seq }) => [seq],
    });
    return { copies: toCopies(store, rows), ...next };
  },

  listRevisions(
    copyId: string,
    query: Listed<'listCopyRevisions'>,
  ): { revisions: CopyRevisionRow[]; nextCursor?: string } {
    const { rows, next } = readPage(cursors, query, {
      binding: `copy-revisions:${copyId}`,
      fetch: (after, limit) => store.listRevisions(copyId, beforeSeq(after), limit),
      positionOf: ({ seq }) => [seq],
    });
    return { revisions: rows.map((row) => revisionRowOf(row, findProgress(row.id))), ...next };
  },
});
