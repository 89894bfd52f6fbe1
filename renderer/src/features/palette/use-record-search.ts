import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { SearchResult } from '#shared/search/contract';
import { api } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';
import { useWorkspaceId } from '../../api/session.tsx';

const pauseMs = 120;
const limit = '20';

/**
 * Searches records shortly after the last key. The answer belongs to its text, so a slow one never replaces that of a
 * later text.
 */
export function useRecordSearch(text: string): {
  results: readonly SearchResult[];
  isPending: boolean;
  error: unknown;
} {
  const workspaceId = useWorkspaceId();
  const q = useSettled(text.trim());
  const query = useQuery({
    queryKey: keys.search(workspaceId, q),
    queryFn: async () => (await api.search({ query: { q, limit, selectedWorkspaceId: workspaceId } })).body.results,
    enabled: q !== '',
    staleTime: 5_000,
    retry: false,
    // The server may be on this machine, without any network.
    networkMode: 'always',
  });
  const isSettled = q === text.trim();
  return {
    results: (isSettled && query.data) || [],
    isPending: text.trim() !== '' && (!isSettled || query.isLoading),
    error: isSettled ? query.error : null,
  };
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
