import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import type { Capsule } from '#shared/capsules/contract';
import { api } from './client.ts';
import { keys, queryClient } from './queries.ts';
import { useWorkspaceId } from './session.tsx';

/** Favorite Capsules of the signed-in account in a Workspace. */
export const favoritesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: keys.favorites(workspaceId),
    queryFn: async () => (await api.listFavorites({ params: { workspaceId } })).body.capsules,
  });

/** Returns the state of a favorite, undefined until it is known, and its switch, which shows the result at once. */
export function useFavorite(capsule: Capsule) {
  const workspaceId = useWorkspaceId();
  const queryKey = keys.favorites(workspaceId);
  const { data } = useQuery(favoritesQuery(workspaceId));
  const params = { capsuleId: capsule.id };
  const { mutate, error, isPending } = useMutation({
    mutationFn: async (isWanted: boolean) => {
      await (isWanted ? api.addFavorite({ params }) : api.removeFavorite({ params }));
    },
    onMutate: (isWanted) => {
      const others = (queryClient.getQueryData<Capsule[]>(queryKey) ?? []).filter(({ id }) => id !== capsule.id);
      queryClient.setQueryData(queryKey, isWanted ? [...others, capsule] : others);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  });
  const isFavorite = data?.some(({ id }) => id === capsule.id);
  return { isFavorite, error, toggle: () => !isPending && isFavorite !== undefined && mutate(!isFavorite) };
}
