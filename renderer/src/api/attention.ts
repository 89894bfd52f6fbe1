import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { AttentionItem, AttentionKind } from '#shared/dashboard/attention';
import { api } from './client.ts';
import { keys } from './queries.ts';

export type Attention = { counts: ReadonlyMap<AttentionKind, number>; items: readonly AttentionItem[] };

/** Attention that a Workspace needs: exact counts, and the newest items of each kind. */
export const attentionQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keys.attention(workspaceId),
    queryFn: async (): Promise<Attention> => {
      const { counts, items } = (await api.getAttention({ params: { workspaceId } })).body;
      return { counts: new Map(counts.map(({ kind, count }) => [kind, count])), items };
    },
  });

/** All items of one kind. */
export const attentionPagesQuery = (workspaceId: string, kind: AttentionKind) =>
  infiniteQueryOptions({
    queryKey: [...keys.attention(workspaceId), kind],
    queryFn: async ({ pageParam }) => {
      const query = { kind, limit: '100', ...(pageParam !== undefined && { cursor: pageParam }) };
      return (await api.getAttention({ params: { workspaceId }, query })).body;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
