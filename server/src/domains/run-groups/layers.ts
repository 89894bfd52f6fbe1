export type Use = { producerId: string; consumerId: string };

/** Returns these Capsules and all their direct and transitive consumers. */
export function withConsumers(ids: readonly string[], uses: readonly Use[]): Set<string> {
  const consumersOf = Map.groupBy(uses, ({ producerId }) => producerId);
  const capsuleIds = new Set(ids);
  // Iterating over a set includes entries that are added during the iteration.
  for (const id of capsuleIds) for (const { consumerId } of consumersOf.get(id) ?? []) capsuleIds.add(consumerId);
  return capsuleIds;
}

/**
 * Sorts Capsules into layers, so that the producers of a Capsule are in earlier layers, even when a Capsule between
 * them is not a member. Within a layer the order of `members` is kept. The dependencies have no cycles.
 */
export function layersOf(members: readonly string[], uses: readonly Use[]): string[][] {
  const producersOf = Map.groupBy(uses, ({ consumerId }) => consumerId);
  const isMember = new Set(members);
  const depths = new Map<string, number>();
  /** Returns the length of the longest chain of members before this one. */
  function depthOf(id: string): number {
    const known = depths.get(id);
    if (known !== undefined) return known;
    const before = (producersOf.get(id) ?? []).map(
      ({ producerId }) => depthOf(producerId) + (isMember.has(producerId) ? 1 : 0),
    );
    const depth = Math.max(0, ...before);
    depths.set(id, depth);
    return depth;
  }
  const layers: string[][] = [];
  for (const id of members) {
    const depth = depthOf(id);
    layers[depth] = [...(layers[depth] ?? []), id];
  }
  return layers;
}
