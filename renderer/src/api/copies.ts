import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { CopyRevision } from '#shared/copies/contract';
import { api } from './client.ts';
import { invalidateRecord, keys, queryClient } from './queries.ts';
import { readAll } from './read-all.ts';

const paged = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page: { nextCursor?: string | undefined }) => page.nextCursor,
};
const pageOf = (cursor: string | undefined, limit: string) => ({ limit, ...(cursor !== undefined && { cursor }) });

/** Installable copies of a Workspace, newest first. */
export const copiesQuery = (workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: keys.copies(workspaceId),
    queryFn: async ({ pageParam }) =>
      (await api.listCopies({ params: { workspaceId }, query: pageOf(pageParam, '30') })).body,
    ...paged,
  });

type Address = { url: string; ref: string; path: string };

/** Copies with content that were made of this address. */
export const copiesOfAddressQuery = (workspaceId: string, { url, ref, path }: Address) =>
  queryOptions({
    queryKey: [...keys.copies(workspaceId), 'of', url, ref, path],
    queryFn: async () => {
      const copies = await readAll(async (cursor) => {
        const { body } = await api.listCopies({ params: { workspaceId }, query: pageOf(cursor, '100') });
        return { rows: body.copies, nextCursor: body.nextCursor };
      });
      return copies.filter(
        ({ upstream, sourceId }) =>
          sourceId !== undefined && upstream.url === url && upstream.ref === ref && upstream.path === path,
      );
    },
  });

export const copyQuery = (copyId: string) =>
  queryOptions({
    queryKey: keys.copy(copyId),
    queryFn: async () => (await api.getCopy({ params: { copyId } })).body.copy,
  });

export const copyRevisionsQuery = (copyId: string) =>
  infiniteQueryOptions({
    queryKey: [...keys.copy(copyId), 'revisions'],
    queryFn: async ({ pageParam }) =>
      (await api.listCopyRevisions({ params: { copyId }, query: pageOf(pageParam, '20') })).body,
    ...paged,
  });

/** A revision with its review. The event stream reports it as a change of its copy. */
export const copyRevisionQuery = (copyId: string, revisionId: string) =>
  queryOptions({
    queryKey: keys.copyRevision(copyId, revisionId),
    queryFn: async () => (await api.getCopyRevision({ params: { copyId, revisionId } })).body.revision,
  });

/** Stores a revision that the server answered with, and reads what depends on it again. */
export function showRevision(revision: CopyRevision): void {
  queryClient.setQueryData(copyRevisionQuery(revision.copyId, revision.id).queryKey, revision);
  invalidateRecord({ kind: 'copy', id: revision.copyId });
}
