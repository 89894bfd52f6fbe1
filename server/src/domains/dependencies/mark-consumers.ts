import type { ActivityService } from '#server/domains/activity/index';
import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import type { OutputSharesService } from '#server/domains/output-shares/index';
import type { MappedOutput } from '#shared/dependencies/contract';
import { changedBetween, type createChanges } from './changes.ts';
import type { createSnapshots } from './snapshots.ts';
import type { DependenciesStore, DependencyRow } from './store.ts';

type Deps = {
  store: DependenciesStore;
  activity: Pick<ActivityService, 'record'>;
  capsules: Pick<CapsulesService, 'getRow' | 'move'>;
  shares: Pick<OutputSharesService, 'findShared'>;
  snapshots: ReturnType<typeof createSnapshots>;
  changes: ReturnType<typeof createChanges>;
};

/** Marks the consumers of a Capsule `stale` when the values that they received have changed, so that a person plans again. */
export function createConsumerMarker({ store, activity, capsules, shares, snapshots, changes }: Deps) {
  /** Names as the consumer knows them. */
  function changedFor(row: DependencyRow, producer: CapsuleRow, changed: ReadonlySet<string>): string[] {
    if (row.mode === 'remote_state') return [...changed];
    const shared =
      producer.workspaceId === row.workspaceId ? undefined : shares.findShared(producer.id, row.workspaceId);
    const nameOf = ({ from }: MappedOutput) => (shared ? shared.get(from)?.name : from);
    const mapped = Object.values(row.outputs).filter((one) => changed.has(nameOf(one) ?? ''));
    return mapped.map(({ from }) => from);
  }

  function makeStale(consumerId: string, producer: CapsuleRow, names: readonly string[]): void {
    const consumer = capsules.getRow(consumerId);
    if (consumer.status !== 'active' || names.length === 0) return;
    capsules.move(consumer.id, 'stale');
    activity.record({
      workspaceId: consumer.workspaceId,
      action: 'capsule.stale',
      targetType: 'capsule',
      targetId: consumer.id,
      metadata: {
        reason: 'producer_output_changed',
        producerCapsuleId: producer.id,
        producerCapsuleName: producer.name,
        changedOutputs: [...new Set(names)].sort(),
      },
    });
  }

  return {
    /**
     * Called before a Capsule gets another state. Returns a function to call afterwards, in the same transaction, which marks the
     * consumers whose Outputs have changed.
     */
    watch(capsuleId: string): () => void {
      const consumers = store.listOfProducer(capsuleId);
      if (consumers.length === 0) return () => {};
      const before = changes.outputsOf(capsuleId);
      return () => {
        const changed = changedBetween(before, changes.outputsOf(capsuleId));
        const producer = capsules.getRow(capsuleId);
        for (const row of consumers) makeStale(row.consumerCapsuleId, producer, changedFor(row, producer, changed));
      };
    },

    /** After an apply: the values that its plan received may be outdated by now, and then the Capsule is stale at once. */
    catchUp(capsuleId: string, snapshotId: string | undefined): void {
      if (snapshotId === undefined) return;
      const row = snapshots.getRow(snapshotId);
      const planned = snapshots.openInjected(row);
      // A Dependency created after the plan does not change the values that the plan received.
      const known = store.listOfConsumer(capsuleId).filter(({ createdAt }) => createdAt <= row.createdAt);
      for (const one of known)
        makeStale(capsuleId, capsules.getRow(one.producerCapsuleId), changes.movedOn(one, planned));
    },
  };
}
