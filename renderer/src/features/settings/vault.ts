import { queryOptions } from '@tanstack/react-query';
import type { VaultStatus } from '#shared/keys/contract';
import { api } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';

const pollIntervalMs = 1_000;

export const isResealing = ({ job }: VaultStatus): boolean => job !== undefined && job.finishedAt === undefined;

/** The vault without any value. No event reports the progress of a rotation, so only this query polls. */
export const vaultQuery = queryOptions({
  queryKey: keys.vault,
  queryFn: async () => (await api.getVault({})).body.vault,
  refetchInterval: ({ state }) => (state.data && isResealing(state.data) ? pollIntervalMs : false),
});
