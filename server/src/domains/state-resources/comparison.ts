import type { StateHead } from '#server/domains/state-versions/index';
import type { Vault } from '#server/drivers/vault/index';
import { type Cursors, type PageQuery, readPage } from '#server/kernel/page';
import { changeOf, differencesOf, outputChangesOf } from './compare.ts';
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

  return async (fromHead: StateHead, toHead: StateHead, query: PageQuery) => {
    const from = await openState(fromHead);
    const to = await openState(toHead);
    const statuses = [from.projection.status, to.projection.status];
    const isPending = statuses.includes('pending');
    const valuesCompared = statuses.every((status) => status === 'ready');
    const sides = isPending ? { before: [], after: [] } : indexesOf(from, to, valuesCompared);
    const known = knownBetween(fromHead.capsuleId, fromHead.generation, toHead.generation);
    const { differences, unchangedCount, summary } = differencesOf(sides.before, sides.after, known);
    const { rows, next } = readPage(cursors, query, {
      binding: `state-comparison:${fromHead.id}:${toHead.id}:${statuses}`,
      fetch: (after, limit) =>
        differences
          .slice(Number(after?.[0] ?? 0))
          .slice(0, limit)
          .map((difference, offset) => ({ difference, position: Number(after?.[0] ?? 0) + offset })),
      positionOf: ({ position }) => [position + 1],
    });
    return {
      from: comparedOf(fromHead, from),
      to: comparedOf(toHead, to),
      valuesCompared,
      summary,
      resources: rows.flatMap(({ difference }) => changeOf(difference, { from, to })),
      outputs: valuesCompared && query.cursor === undefined ? outputChangesOf(from, to) : [],
      resourceCount: differences.length,
      unchangedCount,
      ...next,
    };
  };
}

const comparedOf = ({ id, generation }: StateHead, { projection }: ReadableState) => ({
  stateVersionId: id,
  generation,
  projection,
});

/** Without values on one side, objects differ only in being there. */
function indexesOf(from: ReadableState, to: ReadableState, valuesCompared: boolean) {
  const before = from.head.index;
  const after = to.head.index;
  if (valuesCompared) return { before, after };
  const plain = (index: typeof before) => index.map((entry) => ({ ...entry, digest: '' }));
  return { before: plain(before), after: plain(after) };
}
