import type { RunsService } from '#server/domains/runs/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import type { Vault } from '#server/drivers/vault/index';
import { isoTime } from '#server/kernel/clock';
import { type Cursors, type ListQueryOf, readPage } from '#server/kernel/page';
import { present } from '#server/kernel/present';
import type { stateResourcesApi } from '#shared/state-resources/api';
import type { ResourceHistoryEntry } from '#shared/state-resources/contract';
import { addressDigestOf, digestKeyOf } from './projector.ts';
import type { Sealing } from './sealing.ts';
import type { ChangeRow, StateResourcesStore } from './store.ts';

type Deps = {
  vault: Pick<Vault, 'installationKey'>;
  cursors: Cursors;
  store: StateResourcesStore;
  sealing: Pick<Sealing, 'openAddresses'>;
  runs: Pick<RunsService, 'getRecord'>;
  states: Pick<StateVersionsService, 'findHead'>;
};

type Named = { row: ChangeRow; address: string; previousAddress: string | undefined };
/** More moves than an object can have. */
const maxMoves = 1_000;
const newest = Number.MAX_SAFE_INTEGER;

/** Reads the history of one object, which has another address after each move. */
export function createHistory({ vault, cursors, store, sealing, runs, states }: Deps) {
  /** Returns the address that the object has now: moves that are newer than all changes at its address are followed. */
  function currentAddress(capsuleId: string, start: string): string {
    const digestOf = addressDigestOf(digestKeyOf(vault), capsuleId);
    let address = start;
    for (let moves = 0; moves < maxMoves; moves += 1) {
      const [last] = store.listChanges(capsuleId, digestOf(address), newest, 1);
      const move = store.findMoveFrom(capsuleId, digestOf(address), last?.generation ?? -1);
      const next = move && sealing.openAddresses(move)?.address;
      if (next === undefined) return address;
      address = next;
    }
    return address;
  }

  /** Returns changes from a generation on down, and continues at the previous address where the object was moved. */
  function listFrom(capsuleId: string, start: { address: string; upTo: number }, limit: number): Named[] {
    const digestOf = addressDigestOf(digestKeyOf(vault), capsuleId);
    const entries: Named[] = [];
    let { address, upTo } = start;
    while (entries.length < limit) {
      const rows = store.listChanges(capsuleId, digestOf(address), upTo, limit - entries.length);
      const named = rows.map(
        (row): Named => ({ row, address, previousAddress: sealing.openAddresses(row)?.previousAddress }),
      );
      const move = named.findIndex(({ previousAddress }) => previousAddress !== undefined);
      entries.push(...(move < 0 ? named : named.slice(0, move + 1)));
      const moved = named[move];
      if (moved?.previousAddress === undefined) break;
      address = moved.previousAddress;
      upTo = moved.row.generation - 1;
    }
    return entries;
  }

  function entryOf({ row, address, previousAddress }: Named): ResourceHistoryEntry[] {
    const head = states.findHead(row.stateVersionId);
    if (!head) return [];
    const { facts, planRunId, createdBy } = runs.getRecord(head.createdByRunId);
    return [
      {
        generation: row.generation,
        stateVersionId: row.stateVersionId,
        runId: head.createdByRunId,
        ...(planRunId !== null && { planRunId }),
        ...present({
          sourceSnapshotId: head.sourceSnapshotId ?? undefined,
          ref: facts.ref,
          resolvedCommit: facts.resolvedCommit,
        }),
        createdBy,
        createdAt: isoTime(head.createdAt),
        change: row.change,
        address,
        ...(previousAddress !== undefined && { previousAddress }),
      },
    ];
  }

  return (capsuleId: string, { address, ...query }: ListQueryOf<typeof stateResourcesApi.listResourceHistory>) => {
    const { rows, next } = readPage(cursors, query, {
      binding: `resource-history:${capsuleId}:${address}`,
      fetch: (after, limit) =>
        listFrom(
          capsuleId,
          after
            ? { address: String(after[0]), upTo: Number(after[1]) }
            : { address: currentAddress(capsuleId, address), upTo: newest },
          limit,
        ),
      positionOf: ({ row, address: at, previousAddress }) => [previousAddress ?? at, row.generation - 1],
    });
    const knownFrom = store.findFirstGeneration(capsuleId);
    return { entries: rows.flatMap(entryOf), ...(knownFrom !== undefined && { knownFrom }), ...next };
  };
}
