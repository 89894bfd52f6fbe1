import { queryOptions, useQuery } from '@tanstack/react-query';
import type { VaultStatus } from '#shared/keys/contract';
import { api } from './client.ts';
import { keys } from './queries.ts';
import { useRole } from './role.ts';

const pollIntervalMs = 1_000;

export const isResealing = ({ job }: VaultStatus): boolean => job !== undefined && job.finishedAt === undefined;

/** The vault without any value. No event reports the progress of a rotation, so only this query polls. */
export const vaultQuery = queryOptions({
  queryKey: keys.vault,
  queryFn: async () => (await api.getVault({})).body.vault,
  refetchInterval: ({ state }) => (state.data && isResealing(state.data) ? pollIntervalMs : false),
});

/**
 * Returns whether the signed-in person is the local owner, the account that the first start of the installation created;
 * undefined while that is unknown. Only that account may read the vault.
 */
export function useIsLocalOwner(): boolean | undefined {
  const role = useRole();
  const vault = useQuery({ ...vaultQuery, enabled: role === 'owner' });
  if (role !== undefined && role !== 'owner') return false;
  return vault.isPending ? undefined : vault.data !== undefined;
}
