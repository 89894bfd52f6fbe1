import type { ActivityService } from '#server/domains/activity/index';
import { type CapsulesService, findHold } from '#server/domains/capsules/index';
import type { OutputSharesService } from '#server/domains/output-shares/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import type { Vault } from '#server/drivers/vault/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { Outbox } from '#server/kernel/outbox';
import type { ActivityAction } from '#shared/activity/actions';
import type { CapsuleGraph, Dependency } from '#shared/dependencies/contract';
import type { DriftMark } from '#shared/drift/mark';
import { nothingLeft } from '#shared/kernel/endpoint';
import { createChanges } from './changes.ts';
import { createDependencyChecks, type NewDependency } from './checks.ts';
import { createConsumerMarker } from './mark-consumers.ts';
import { createShownInputs } from './shown-inputs.ts';
import { createSnapshots } from './snapshots.ts';
import type { DependenciesStore, DependencyRow } from './store.ts';
import { createValues } from './values.ts';

export type DependenciesService = ReturnType<typeof createDependenciesService>;

type Deps = {
  db: Db;
  clock: Clock;
  outbox: Outbox;
  store: DependenciesStore;
  vault: Vault;
  activity: Pick<ActivityService, 'record'>;
  capsules: Pick<CapsulesService, 'getRow' | 'move'>;
  /** Returns the drift marks of a Workspace, by Capsule. */
  listDrift: (workspaceId: string) => ReadonlyMap<string, DriftMark>;
  states: Pick<StateVersionsService, 'readOutputs' | 'openVersion'>;
  shares: Pick<OutputSharesService, 'findShared' | 'isActive'>;
};

/** Dependencies between Capsules. Values are read when a plan is created, sealed with it, and never read again for it. */
export function createDependenciesService(deps: Deps) {
  const { db, clock, outbox, store, activity, capsules, shares } = deps;
  const { check, checkInitial } = createDependencyChecks(deps);
  const give = createValues(deps);
  const snapshots = createSnapshots({ ...deps, give });
  const consumerMarker = createConsumerMarker({ ...deps, snapshots, changes: createChanges({ ...deps, give }) });

  /** Both sides show it. */
  function notify(row: DependencyRow): void {
    const producer = capsules.getRow(row.producerCapsuleId);
    for (const workspaceId of new Set([row.workspaceId, producer.workspaceId]))
      outbox.push({ workspaceId, kind: 'dependency', recordId: row.id });
  }

  const record = (row: DependencyRow, action: ActivityAction, actorId: string) =>
    activity.record({
      workspaceId: row.workspaceId,
      actorId,
      action,
      targetType: 'dependency',
      targetId: row.id,
      metadata: {
        capsuleId: row.consumerCapsuleId,
        producerCapsuleId: row.producerCapsuleId,
        consumerCapsuleId: row.consumerCapsuleId,
        mode: row.mode,
        variables: Object.values(row.outputs).map(({ to }) => to),
      },
    });

  return {
    ...consumerMarker,
    ...createDependencyQueries(deps),
    ...createShownInputs(deps),
    takeSnapshot: snapshots.take,
    openSnapshot: snapshots.open,
    listSnapshotValues: snapshots.listValues,
    checkInitial,

    /** 400 and 409 as the rules of a Dependency say; 409 `already_exists` when another Dependency feeds the variable. */
    create(consumerId: string, input: NewDependency, actorId: string): Dependency {
      const { producerCapsuleId: _checked, mode = 'variable_injection', outputs, visibility, ...rest } = input;
      nothingLeft(rest);
      return db.write(() => {
        const { consumer, producer } = check(consumerId, input);
        const row: DependencyRow = {
          id: newId('dependency'),
          workspaceId: consumer.workspaceId,
          producerCapsuleId: producer.id,
          consumerCapsuleId: consumer.id,
          mode,
          outputs,
          visibility: visibility ?? (consumer.workspaceId === producer.workspaceId ? 'workspace' : 'cross_workspace'),
          createdBy: actorId,
          createdAt: clock.now(),
        };
        store.insert(row);
        record(row, 'dependency.created', actorId);
        notify(row);
        return dependencyOf(row);
      });
    },

    remove(id: string, actorId: string): void {
      db.write(() => {
        const row = store.find(id);
        if (!row || !store.remove(id)) throw notFound('Dependency');
        record(row, 'dependency.deleted', actorId);
        notify(row);
      });
    },

    /** Returns the reason that a queued plan may not use its values any more (a share was revoked since), or undefined. */
    findRefusal(snapshotId: string): string | undefined {
      const lost = snapshots.getRow(snapshotId).used.find(({ shareIds }) => !shareIds.every(shares.isActive));
      if (!lost) return undefined;
      const { name } = capsules.getRow(lost.producerCapsuleId);
      const outputs = lost.outputs.map(({ from }) => `"${from}"`).join(', ');
      return `The share of Output ${outputs} of Capsule "${name}" was revoked while this plan waited. Ask the other Workspace to share it again, or remove the Dependency.`;
    },
  };
}

function createDependencyQueries({ store, clock, listDrift }: Pick<Deps, 'store' | 'clock' | 'listDrift'>) {
  return {
    findWorkspace: (id: string): string | undefined => store.find(id)?.workspaceId,
    /** Variables of a Capsule that Dependencies feed. */
    listInjectedVariables: (consumerId: string): string[] =>
      store.listOfConsumer(consumerId).flatMap(({ outputs }) => Object.values(outputs).map(({ to }) => to)),

    list: (capsuleId: string) => ({
      asProducer: store.listOfProducer(capsuleId).map(dependencyOf),
      asConsumer: store.listOfConsumer(capsuleId).map(dependencyOf),
    }),

    graph(workspaceId: string): CapsuleGraph {
      const marks = listDrift(workspaceId);
      return {
        nodes: store.listNodes(workspaceId).map(({ capsuleId, name, environment, projectId, status, ...columns }) => {
          const hold = findHold(columns, clock.now()) ?? null;
          const drift = marks.get(capsuleId) ?? null;
          return { capsuleId, name, environment, projectId, status, hold, drift };
        }),
        edges: store.listEdges(workspaceId).map(({ id, producerCapsuleId, consumerCapsuleId, outputs }) => ({
          id,
          producerCapsuleId,
          consumerCapsuleId,
          outputs,
        })),
      };
    },
  };
}

const dependencyOf = ({ createdBy: _, createdAt, ...row }: DependencyRow): Dependency => ({
  ...row,
  createdAt: isoTime(createdAt),
});
