import type { ActivityService } from '#server/activity/index';
import type { CapsuleRow, CapsulesService } from '#server/capsules/index';
import type { SharesService } from '#server/shares/index';
import type { CurrentOutput, StatesService } from '#server/states/index';
import type { MappedOutput } from '#shared/dependencies/contract';
import type { Json } from '#shared/kernel/json';
import type { UsedDependency } from './schema.ts';
import type { createSnapshots } from './snapshots.ts';
import type { DependenciesStore, DependencyRow } from './store.ts';
import { type Given, isSameValue } from './values.ts';

type Deps = {
  store: DependenciesStore;
  activity: Pick<ActivityService, 'record'>;
  capsules: Pick<CapsulesService, 'getRow' | 'move'>;
  states: Pick<StatesService, 'readOutputs'>;
  shares: Pick<SharesService, 'findShared'>;
  snapshots: ReturnType<typeof createSnapshots>;
  give: (row: DependencyRow) => Given | undefined;
};
type Outputs = ReadonlyMap<string, CurrentOutput>;

/** Tells those who use a Capsule that what they were given has changed: they become `stale`, and a person plans again. */
export function createNews({ store, activity, capsules, states, shares, snapshots, give }: Deps) {
  const outputsOf = (capsuleId: string): Outputs => states.readOutputs(capsuleId)?.all() ?? new Map();

  /** Names as the consumer knows them. */
  function changedFor(row: DependencyRow, producer: CapsuleRow, changed: ReadonlySet<string>): string[] {
    if (row.mode === 'remote_state') return [...changed].sort();
    const shared =
      producer.workspaceId === row.workspaceId ? undefined : shares.findShared(producer.id, row.workspaceId);
    const nameOf = ({ from }: MappedOutput) => (shared ? shared.get(from)?.name : from);
    const names = Object.values(row.outputs).filter((mapped) => changed.has(nameOf(mapped) ?? ''));
    return [...new Set(names.map(({ from }) => from))].sort();
  }

  function makeStale(consumerId: string, producer: CapsuleRow, changedOutputs: string[]): void {
    const consumer = capsules.getRow(consumerId);
    if (consumer.status !== 'active' || changedOutputs.length === 0) return;
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
        changedOutputs,
      },
    });
  }

  /** Of what a plan was given, the names that have another value now; one that is missing is told by the next plan. */
  function movedOn(used: UsedDependency, variables: Record<string, Json>): string[] {
    const row = store.find(used.dependencyId);
    if (!row) return [];
    const now = findGiven(row);
    if (!now || now.used.stateVersionId === used.stateVersionId) return [];
    if (row.mode === 'remote_state') return used.outputs.map(({ from }) => from);
    return used.outputs.filter(({ to }) => !isSameValue(now.fed.variables[to], variables[to])).map(({ from }) => from);
  }

  function findGiven(row: DependencyRow): Given | undefined {
    try {
      return give(row);
    } catch {
      return undefined;
    }
  }

  return {
    /**
     * Asked before a Capsule gets another state; the answer is called after, in the same transaction, and tells the
     * consumers whose Outputs are not what they were.
     */
    watch(capsuleId: string): () => void {
      const consumers = store.listOfProducer(capsuleId);
      if (consumers.length === 0) return () => {};
      const before = outputsOf(capsuleId);
      return () => {
        const after = outputsOf(capsuleId);
        const producer = capsules.getRow(capsuleId);
        const names = new Set([...before.keys(), ...after.keys()]);
        const changed = new Set(
          [...names].filter((name) => !isSameValue(before.get(name)?.value, after.get(name)?.value)),
        );
        for (const row of consumers) makeStale(row.consumerCapsuleId, producer, changedFor(row, producer, changed));
      };
    },

    /** After an apply: what its plan was given may be old by now, and then the Capsule is stale at once. */
    catchUp(capsuleId: string, snapshotId: string | undefined): void {
      if (snapshotId === undefined) return;
      const row = snapshots.getRow(snapshotId);
      const { variables } = snapshots.openFed(row);
      for (const used of row.used)
        makeStale(capsuleId, capsules.getRow(used.producerCapsuleId), movedOn(used, variables));
    },
  };
}
