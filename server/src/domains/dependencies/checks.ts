import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import type { OutputSharesService } from '#server/domains/output-shares/index';
import { AppError, failedPrecondition, invalidArgument } from '#server/kernel/errors';
import type { dependenciesApi } from '#shared/dependencies/api';
import type { BodyOf } from '#shared/kernel/endpoint';
import { escapePointer } from '#shared/kernel/json';
import { linkLimits } from '#shared/limits';
import type { DependenciesStore } from './store.ts';

export type NewDependency = BodyOf<typeof dependenciesApi.createDependency>;

type Deps = {
  store: Pick<DependenciesStore, 'reaches' | 'listOfConsumer'>;
  capsules: Pick<CapsulesService, 'getRow'>;
  shares: Pick<OutputSharesService, 'findShared'>;
};

/** The Capsule that receives the values; it may be one that is about to be created. */
type Consumer = Pick<CapsuleRow, 'workspaceId' | 'status'>;
type Siblings = readonly Pick<NewDependency, 'outputs'>[];

/** The rules of a new Dependency. `field` is the JSON Pointer of the Dependency in the request. */
export function createDependencyChecks({ store, capsules, shares }: Deps) {
  function requireShared(consumer: Consumer, producer: CapsuleRow, { input, field }: Checked): void {
    if (consumer.workspaceId === producer.workspaceId) return;
    const shared = shares.findShared(producer.id, consumer.workspaceId);
    const [key] = Object.entries(input.outputs).find(([, { from }]) => !shared.has(from)) ?? [];
    if (key === undefined && input.visibility !== 'workspace') return;
    throw failedPrecondition(
      'output_share_required',
      'output_share_required: this Capsule belongs to another Workspace. That Workspace must share these Outputs and yours must accept them; the Dependency is then `cross_workspace`.',
      { field: key === undefined ? `${field}/visibility` : `${field}/outputs/${escapePointer(key)}/from` },
    );
  }

  /** Requires a producer whose Outputs the consumer may use. */
  function requireProducer(consumer: Consumer, { input, field }: Checked): CapsuleRow {
    const producer = capsules.getRow(input.producerCapsuleId);
    if (input.mode === 'remote_state' && consumer.workspaceId !== producer.workspaceId)
      throw invalidArgument(
        'remote_state_cross_workspace',
        'remote_state_cross_workspace: a state never leaves its Workspace. Ask for single Outputs to be shared.',
        { field: `${field}/mode` },
      );
    if (consumer.status === 'destroyed')
      throw failedPrecondition('capsule_destroyed', 'This Capsule is destroyed. Choose another one.');
    if (producer.status === 'destroyed')
      throw failedPrecondition(
        'capsule_destroyed',
        'The Capsule whose Outputs are used is destroyed. Choose another one.',
        { field: `${field}/producerCapsuleId` },
      );
    requireShared(consumer, producer, { input, field });
    return producer;
  }

  return {
    /** Validates in the order of the rules: the body, the producer, its Workspace, existing Dependencies. */
    check(consumerId: string, input: NewDependency): { consumer: CapsuleRow; producer: CapsuleRow } {
      if (input.producerCapsuleId === consumerId)
        throw invalidArgument('dependency_self', 'dependency_self: a Capsule cannot depend on itself.', {
          field: '/producerCapsuleId',
        });
      requireOutputs({ input, field: '' });
      const consumer = capsules.getRow(consumerId);
      const producer = requireProducer(consumer, { input, field: '' });
      if (store.reaches(producer.id, consumer.id))
        throw failedPrecondition(
          'dependency_cycle',
          'dependency_cycle: that Capsule uses this one already, directly or by way of others. Remove that Dependency first.',
        );
      requireFree(store.listOfConsumer(consumerId), { input, field: '' });
      return { consumer, producer };
    },

    /** Validates the Dependencies of a Capsule that does not exist yet. */
    checkInitial(workspaceId: string, inputs: readonly NewDependency[], listField: string): void {
      for (const [index, input] of inputs.entries()) {
        const field = `${listField}/${index}`;
        requireOutputs({ input, field });
        requireProducer({ workspaceId, status: 'pending' }, { input, field });
        requireFree(inputs.slice(0, index), { input, field });
      }
    },
  };
}

type Checked = { input: NewDependency; field: string };

function requireOutputs({ input, field }: Checked): void {
  if (Object.keys(input.outputs).length > 0) return;
  throw invalidArgument(
    'dependency_outputs_empty',
    'dependency_outputs_empty: name at least one Output and the variable it goes into.',
    { field: `${field}/outputs` },
  );
}

/** Requires that only one Dependency feeds a variable, because a variable has one value. */
function requireFree(siblings: Siblings, { input, field }: Checked): void {
  const taken = new Set(siblings.flatMap(({ outputs }) => Object.values(outputs).map(({ to }) => to)));
  const [key] = Object.entries(input.outputs).find(([, { to }]) => taken.has(to)) ?? [];
  if (key !== undefined)
    throw new AppError('already_exists', 'Another Dependency feeds this variable already. Remove that one first.', {
      details: { field: `${field}/outputs/${escapePointer(key)}/to` },
    });
  if (siblings.length >= linkLimits.dependencies)
    throw new AppError('conflict', `A Capsule has at most ${linkLimits.dependencies} Dependencies. Remove one first.`);
}
