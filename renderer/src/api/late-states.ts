import { queryOptions, useQuery } from '@tanstack/react-query';
import type { LateState } from '#shared/late-states/contract';
import { api } from './client.ts';
import { keys } from './queries.ts';

/** States that arrived after an apply was ended, decided ones too. The server stores only a few of one apply. */
export const lateStatesOfRunQuery = (capsuleId: string, runId: string) => lateStatesQuery(capsuleId, { runId });

/** States of an apply that wait for a decision, newest first. */
export const waitingLateStatesQuery = (capsuleId: string, runId: string) =>
  lateStatesQuery(capsuleId, { runId, phase: 'waiting' });

/** States of a Capsule about which no one has decided, newest first. */
export const undecidedLateStatesQuery = (capsuleId: string) =>
  lateStatesQuery(capsuleId, { phase: 'waiting,requested' });

const lateStatesQuery = (capsuleId: string, filter: { runId?: string; phase?: string }) =>
  queryOptions({
    queryKey: [...keys.lateStates(capsuleId), filter],
    queryFn: async (): Promise<LateState[]> =>
      (await api.listLateStates({ params: { capsuleId }, query: { limit: '100', ...filter } })).body.lateStates,
  });

/** Reports whether a state that arrived late waits for a decision, which comes before the next plan of its Capsule. */
export const useIsLateStateWaiting = (capsuleId: string): boolean =>
  useQuery(undecidedLateStatesQuery(capsuleId)).data?.some(({ phase }) => phase === 'waiting') === true;
