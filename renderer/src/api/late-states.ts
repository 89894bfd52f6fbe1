import { queryOptions } from '@tanstack/react-query';
import type { LateState } from '#shared/late-states/contract';
import { api } from './client.ts';
import { keys } from './queries.ts';

/** Newest states that arrived after applies of a Capsule were ended. */
export const lateStatesQuery = (capsuleId: string) =>
  queryOptions({
    queryKey: keys.lateStates(capsuleId),
    queryFn: async (): Promise<LateState[]> =>
      (await api.listLateStates({ params: { capsuleId }, query: { limit: '25' } })).body.lateStates,
  });
