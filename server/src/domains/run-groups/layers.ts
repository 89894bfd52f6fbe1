export type Use = { producerId: string; consumerId: string };

/** Everything that uses one of these Capsules, directly or by way of others, and these themselves. */
export function withConsumers(ids: readonly string[], uses: readonly Use[]): Set<string> {
  const consumersOf = Map.groupBy(uses, ({ producerId }) => producerId);
  const capsuleIds = new Set(ids);
  // A set hands out what is added while it is walked.
  for (const id of capsuleIds) for (const { consumerId } of consumersOf.get(id) ?? []) capsuleIds.add(consumerId);
  return capsuleIds;
}

/**
 * Puts Capsules into layers, so that whatever one uses stands in an earlier layer, also where the one between them is no
 * member. Within a layer the order of `members` stays. Uses are free of circles.
 */
export function layersOf(members: readonly string[], uses: readonly Use[]): string[][] {
  const producersOf = Map.groupBy(uses, ({ consumerId }) => consumerId);
  const isMember = new Set(members);
  const depths = new Map<string, number>();
  /** How many members stand in a row before this one at most. */
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
