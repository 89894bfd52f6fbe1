import type { ActivityService } from '#server/domains/activity/index';
import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import type { OutputSharesService } from '#server/domains/output-shares/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import type { Vault } from '#server/drivers/vault/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError, failedPrecondition, invalidArgument, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { Outbox } from '#server/kernel/outbox';
import type { ActivityAction } from '#shared/activity/actions';
import type { CapsuleGraph, Dependency, DependencyMode, MappedOutput } from '#shared/dependencies/contract';
import { linkLimits } from '#shared/limits';
import { createChanges } from './changes.ts';
import { createConsumerMarker } from './mark-consumers.ts';
import { createSnapshots } from './snapshots.ts';
import type { DependenciesStore, DependencyRow } from './store.ts';
import { createValues } from './values.ts';

export type DependenciesService = ReturnType<typeof createDependenciesService>;
export type NewDependency = {
  producerCapsuleId: string;
  mode?: DependencyMode | undefined;
  outputs: Record<string, MappedOutput>;
  visibility?: Dependency['visibility'] | undefined;
};

type Deps = {
  db: Db;
  clock: Clock;
  outbox: Outbox;
  store: DependenciesStore;
  vault: Vault;
  activity: Pick<ActivityService, 'record'>;
  capsules: Pick<CapsulesService, 'getRow' | 'move'>;
  states: Pick<StateVersionsService, 'readOutputs' | 'openVersion'>;
  shares: Pick<OutputSharesService, 'findShared' | 'isActive'>;
};

/** Dependencies between Capsules. Values are read when a plan is created, sealed with it, and never read again for it. */
export function createDependenciesService(deps: Deps) {
  const { db, clock, outbox, store, activity, capsules, shares } = deps;
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

  function requireShared(consumer: CapsuleRow, producer: CapsuleRow, input: NewDependency): void {
    if (consumer.workspaceId === producer.workspaceId) return;
    const shared = shares.findShared(producer.id, consumer.workspaceId);
    const isCovered = Object.values(input.outputs).every(({ from }) => shared.has(from));
    if (isCovered && input.visibility !== 'workspace') return;
    throw failedPrecondition(
      'output_share_required',
      'output_share_required: this Capsule belongs to another Workspace. That Workspace must share these Outputs and yours must accept them; the Dependency is then `cross_workspace`.',
    );
  }

  /** Requires that only one Dependency feeds a variable, because a variable has one value. */
  function requireFree(siblings: readonly DependencyRow[], outputs: NewDependency['outputs']): void {
    const taken = new Set(siblings.flatMap((row) => Object.values(row.outputs).map(({ to }) => to)));
    const [key] = Object.entries(outputs).find(([, { to }]) => taken.has(to)) ?? [];
    if (key !== undefined)
      throw new AppError('already_exists', 'Another Dependency feeds this variable already. Remove that one first.', {
        details: { field: `/outputs/${key}/to` },
      });
    if (siblings.length >= linkLimits.dependencies)
      throw new AppError(
        'conflict',
        `A Capsule has at most ${linkLimits.dependencies} Dependencies. Remove one first.`,
      );
  }

  /** Validates in the order of the rules: the body, the producer, its Workspace, existing Dependencies. */
  function check(consumerId: string, input: NewDependency): { consumer: CapsuleRow; producer: CapsuleRow } {
    if (input.producerCapsuleId === consumerId)
      throw invalidArgument('dependency_self', 'dependency_self: a Capsule cannot depend on itself.', {
        field: '/producerCapsuleId',
      });
    if (Object.keys(input.outputs).length === 0)
      throw invalidArgument(
        'dependency_outputs_empty',
        'dependency_outputs_empty: name at least one Output and the variable it goes into.',
        { field: '/outputs' },
      );
    const consumer = capsules.getRow(consumerId);
    const producer = capsules.getRow(input.producerCapsuleId);
    if (input.mode === 'remote_state' && consumer.workspaceId !== producer.workspaceId)
      throw invalidArgument(
        'remote_state_cross_workspace',
        'remote_state_cross_workspace: a state never leaves its Workspace. Ask for single Outputs to be shared.',
        { field: '/mode' },
      );
    for (const { status } of [consumer, producer])
      if (status === 'destroyed')
        throw failedPrecondition('capsule_destroyed', 'One of the two Capsules was destroyed. Choose another one.');
    requireShared(consumer, producer, input);
    if (store.reaches(producer.id, consumer.id))
      throw failedPrecondition(
        'dependency_cycle',
        'dependency_cycle: that Capsule uses this one already, directly or by way of others. Remove that Dependency first.',
      );
    requireFree(store.listOfConsumer(consumerId), input.outputs);
    return { consumer, producer };
  }

  return {
    ...consumerMarker,
    takeSnapshot: snapshots.take,
    openSnapshot: snapshots.open,
    findWorkspace: (id: string): string | undefined => store.find(id)?.workspaceId,
    /** Variables of a Capsule that Dependencies feed. */
    listInjectedVariables: (consumerId: string): string[] =>
      store.listOfConsumer(consumerId).flatMap(({ outputs }) => Object.values(outputs).map(({ to }) => to)),

    /** 400 and 409 as the rules of a Dependency say; 409 `already_exists` when another Dependency feeds the variable. */
    create(consumerId: string, input: NewDependency, actorId: string): Dependency {
      return db.write(() => {
        const { consumer, producer } = check(consumerId, input);
        const row: DependencyRow = {
          id: newId('dependency'),
          workspaceId: consumer.workspaceId,
          producerCapsuleId: producer.id,
          consumerCapsuleId: consumer.id,
          mode: input.mode ?? 'variable_injection',
          outputs: input.outputs,
          visibility:
            input.visibility ?? (consumer.workspaceId === producer.workspaceId ? 'workspace' : 'cross_workspace'),
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

    list: (capsuleId: string) => ({
      asProducer: store.listOfProducer(capsuleId).map(dependencyOf),
      asConsumer: store.listOfConsumer(capsuleId).map(dependencyOf),
    }),

    graph: (workspaceId: string): CapsuleGraph => ({
      nodes: store.listNodes(workspaceId),
      edges: store.listEdges(workspaceId).map(({ id, producerCapsuleId, consumerCapsuleId, outputs }) => ({
        id,
        producerCapsuleId,
        consumerCapsuleId,
        outputs,
      })),
    }),

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

const dependencyOf = ({ createdBy: _, createdAt, ...row }: DependencyRow): Dependency => ({
  ...row,
  createdAt: isoTime(createdAt),
});
