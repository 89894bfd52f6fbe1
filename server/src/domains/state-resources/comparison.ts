import type { StateHead } from '#server/domains/state-versions/index';
import type { Vault } from '#server/drivers/vault/index';
import { failedPrecondition } from '#server/kernel/errors';
import type { Cursors, PageQuery } from '#server/kernel/page';
import { nothingLeft } from '#shared/kernel/endpoint';
import { pageSizes } from '#shared/limits';
import type { StateChange } from '#shared/state-resources/contract';
import { changeOf, type Difference, differencesOf, outputChangesOf } from './compare.ts';
import { maxPageCharacters } from './list.ts';
import { addressDigestOf, digestKeyOf } from './projector.ts';
import type { ReadableState, StateReader } from './reader.ts';
import type { Sealing } from './sealing.ts';
import type { StateResourcesStore } from './store.ts';

type Deps = {
  vault: Pick<Vault, 'installationKey'>;
  cursors: Cursors;
  store: Pick<StateResourcesStore, 'listMovesAndReplaces'>;
  sealing: Pick<Sealing, 'openAddresses'>;
  openState: StateReader;
};

/** Compares two StateVersions of one Capsule, one page at a time. */
export function createComparison({ vault, cursors, store, sealing, openState }: Deps) {
  /** Returns what the applies between two generations moved and replaced, seen from the first to the second. */
  function knownBetween(capsuleId: string, from: number, to: number) {
    const digestOf = addressDigestOf(digestKeyOf(vault), capsuleId);
    const origins = new Map<string, string>();
    const replaced = new Set<string>();
    for (const row of store.listMovesAndReplaces(capsuleId, Math.min(from, to), Math.max(from, to))) {
      if (row.change === 'replaced') replaced.add(row.addressDigest);
      const moved = sealing.openAddresses(row);
      if (!moved) continue;
      const { address, previousAddress } = moved;
      origins.set(address, origins.get(previousAddress) ?? previousAddress);
      origins.delete(previousAddress);
    }
    const back = new Map([...origins].map(([address, origin]) => [origin, address]));
    const former = from <= to ? origins : back;
    return {
      previousOf: (address: string) => former.get(address),
      isReplaced: (address: string) =>
        replaced.has(digestOf(address)) || (from > to && replaced.has(digestOf(back.get(address) ?? address))),
    };
  }

  return async (
    fromHead: StateHead,
    toHead: StateHead,
    { limit = pageSizes.resources.usual, cursor, ...rest }: PageQuery,
  ) => {
    nothingLeft(rest);
    const from = await openState(fromHead);
    const to = await openState(toHead);
    const statuses = [from.projection.status, to.projection.status];
    const binding = `state-comparison:${fromHead.id}:${toHead.id}:${statuses}`;
    const start = Number(cursors.decode(binding, cursor)?.[0] ?? 0);
    requireReadable(fromHead, from);
    requireReadable(toHead, to);
    const isPending = statuses.includes('pending');
    const valuesCompared = statuses.every((status) => status === 'ready');
    const sides = isPending ? { before: [], after: [] } : indexesOf(from, to, valuesCompared);
    const known = knownBetween(fromHead.capsuleId, fromHead.generation, toHead.generation);
    const { differences, unchangedCount, summary } = differencesOf(sides.before, sides.after, known);
    const { resources, end } = pageOf(differences, { start, limit, from, to });
    return {
      from: comparedOf(fromHead, from),
      to: comparedOf(toHead, to),
      valuesCompared,
      summary,
      resources,
      outputs: valuesCompared && cursor === undefined ? outputChangesOf(from, to) : [],
      resourceCount: differences.length,
      unchangedCount,
      ...(end < differences.length && { nextCursor: cursors.encode(binding, [end]) }),
    };
  };
}

const comparedOf = ({ id, generation }: StateHead, { projection }: ReadableState) => ({
  stateVersionId: id,
  generation,
  projection,
});

/** A state that cannot be read at all has no index, and would look as if everything had been created or deleted. */
function requireReadable({ generation, resourceCount }: StateHead, { projection, head }: ReadableState): void {
  if (projection.status === 'pending' || head.index.length > 0 || resourceCount === 0) return;
  throw failedPrecondition(
    'state_not_comparable',
    `The resources of generation ${generation} cannot be read. Compare another generation.`,
  );
}

type Page = { start: number; limit: number; from: ReadableState; to: ReadableState };

/** Returns changes from a position on, and the position of the next page. */
function pageOf(differences: readonly Difference[], { start, limit, from, to }: Page) {
  const resources: StateChange[] = [];
  let characters = 0;
  for (let position = start; position < differences.length; position += 1) {
    if (resources.length >= limit || characters >= maxPageCharacters) return { resources, end: position };
    const changes = changeOf(differences[position] as Difference, { from, to });
    resources.push(...changes);
    characters += JSON.stringify(changes).length;
  }
  return { resources, end: differences.length };
}

/** Without values on one side, objects differ only in being there. */
function indexesOf(from: ReadableState, to: ReadableState, valuesCompared: boolean) {
  const before = from.head.index;
  const after = to.head.index;
  if (valuesCompared) return { before, after };
  const plain = (index: typeof before) => index.map((entry) => ({ ...entry, digest: '' }));
  return { before: plain(before), after: plain(after) };
}
