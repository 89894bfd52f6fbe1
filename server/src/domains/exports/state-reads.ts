import type { ActivityService } from '#server/domains/activity/index';
import type { CapsulesService } from '#server/domains/capsules/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import { readState } from '#server/drivers/tofu/index';
import { isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failedPrecondition, notFound } from '#server/kernel/errors';
import type { CurrentState, ReadState } from '#shared/exports/contract';

export type StateReadPorts = {
  db: Db;
  activity: Pick<ActivityService, 'record'>;
  capsules: Pick<CapsulesService, 'getRow'>;
  states: Pick<StateVersionsService, 'findCurrentHead' | 'openVersion'>;
};

export const neverApplied = () =>
  failedPrecondition('capsule_never_applied', 'This Capsule has no state yet. Apply a plan of it first.');

/**
 * Returns the function that reads the current state of a Capsule and records it in the audit trail, in one transaction.
 * It throws 409 `capsule_never_applied`, and 404 for an Output that the state does not have.
 */
export const createStateReads =
  ({ db, activity, capsules, states }: StateReadPorts) =>
  (capsuleId: string, { use, output }: ReadState, actorId: string): CurrentState =>
    db.write(() => {
      const { workspaceId, name: capsuleName } = capsules.getRow(capsuleId);
      const head = states.findCurrentHead(capsuleId);
      if (!head) throw neverApplied();
      const text = states.openVersion(head.id);
      const state = readState(text);
      if (output !== undefined && !Object.hasOwn(state.outputs, output)) throw notFound('Output');
      activity.record({
        workspaceId,
        actorId,
        action: 'capsule.state_read',
        targetType: 'capsule',
        targetId: capsuleId,
        metadata: { stateVersionId: head.id, use, ...(output !== undefined && { output }) },
      });
      const outputs = Object.entries(state.outputs).filter(([name]) => output === undefined || name === output);
      return {
        capsuleId,
        capsuleName,
        stateVersionId: head.id,
        generation: head.generation,
        lineage: head.lineage,
        serial: head.serial,
        toolName: head.toolName,
        toolVersion: state.toolVersion,
        resourceCount: head.resourceCount,
        ...(head.partial && { partial: true as const }),
        createdAt: isoTime(head.createdAt),
        resources: state.resources.map(({ address }) => address),
        outputs: outputs.map(([name, { sensitive, value }]) => ({
          name,
          sensitive,
          ...((!sensitive || name === output) && { value }),
        })),
        ...(use === 'text' && { text }),
      };
    });
