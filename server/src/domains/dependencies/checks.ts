import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import type { OutputSharesService } from '#server/domains/output-shares/index';
import { AppError, failedPrecondition, invalidArgument } from '#server/kernel/errors';
import type { dependenciesApi } from '#shared/dependencies/api';
import type { BodyOf } from '#shared/kernel/endpoint';
import { linkLimits } from '#shared/limits';
import type { DependenciesStore, DependencyRow } from './store.ts';

export type NewDependency = BodyOf<typeof dependenciesApi.createDependency>;

type Deps = {
  store: Pick<DependenciesStore, 'reaches' | 'listOfConsumer'>;
  capsules: Pick<CapsulesService, 'getRow'>;
  shares: Pick<OutputSharesService, 'findShared'>;
};

/** The rules of a new Dependency. */
export function createDependencyChecks({ store, capsules, shares }: Deps) {
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

  return check;
}
