import type { Clock } from '#server/kernel/clock';
import { jsonDigest } from '#server/kernel/digest';
import { failpoint } from '#server/kernel/failpoints';
import { newId } from '#server/kernel/ids';
import type { InterfaceBlueprint } from '#shared/interfaces/blueprint';
import { itemsOf } from './intent-items.ts';
import type { IntentsStore } from './intents-store.ts';
import type { InterfacesStore } from './store.ts';

/** An apply that has succeeded, with the blueprints of the configuration that was applied. */
export type AppliedBlueprints = {
  workspaceId: string;
  capsuleId: string;
  runId: string;
  stateVersionId: string;
  outputId: string;
  stateGeneration: number;
  principalId: string;
  blueprints: readonly InterfaceBlueprint[];
};

type Deps = { clock: Clock; intents: IntentsStore; store: Pick<InterfacesStore, 'listAppliedKeys'>; arm: () => void };

/**
 * Writes what an apply has to make, in the transaction that ends it. It replaces what an earlier apply of the Capsule
 * left open; without blueprints and Interfaces of earlier ones nothing is written.
 */
export const createIntents =
  ({ clock, intents, store, arm }: Deps) =>
  ({ blueprints, ...applied }: AppliedBlueprints): void => {
    const unfinished = intents.listOpen(applied.capsuleId);
    intents.replaceOpen(applied.capsuleId);
    const keys = new Set(blueprints.map(({ key }) => key));
    const removed = store.listAppliedKeys({ kind: 'Capsule', id: applied.capsuleId }).filter((key) => !keys.has(key));
    const items = itemsOf({ removed, blueprints }, unfinished);
    if (items.length === 0) return;
    const now = clock.now();
    intents.insert({
      id: newId('materializationIntent'),
      ...applied,
      blueprints: [...blueprints],
      blueprintsDigest: jsonDigest(blueprints),
      items,
      nextItemIndex: 0,
      attempts: 0,
      status: 'pending',
      dueAt: now,
      errorCode: null,
      errorDigest: null,
      errorAt: null,
      failedAt: null,
      createdAt: now,
    });
    failpoint('interfaces.intent');
    arm();
  };
