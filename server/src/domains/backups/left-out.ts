import { type CapsulesService, findHold } from '#server/domains/capsules/index';
import type { RunsService } from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import type { LeftOutCapsule } from '#shared/restores/contract';
import type { ArchivedCapsule, ArchivedState } from './read-states.ts';

export type LeftOutPorts = {
  clock: Clock;
  capsules: Pick<CapsulesService, 'findWorkspace' | 'getRow'>;
  runs: Pick<RunsService, 'findActiveApply'>;
};
type Archive = { capsules: readonly ArchivedCapsule[]; states: readonly ArchivedState[] };

/** Returns the function that lists the Capsules of an archive that cannot have their state back now, with the reason. */
export function createLeftOut({ clock, capsules, runs }: LeftOutPorts) {
  function findReason(capsuleId: string, workspaceId: string): LeftOutCapsule['reason'] | undefined {
    if (capsules.findWorkspace(capsuleId) !== workspaceId) return 'capsule_missing';
    const capsule = capsules.getRow(capsuleId);
    if (capsule.status === 'destroyed') return 'capsule_destroyed';
    if (capsule.status === 'disabled') return 'capsule_disabled';
    if (findHold(capsule, clock.now())) return 'capsule_held';
    // An apply makes another state, and then the restore could not be approved.
    return runs.findActiveApply(capsuleId) ? 'capsule_busy' : undefined;
  }

  return ({ capsules: archived, states }: Archive, workspaceId: string): LeftOutCapsule[] => {
    const names = new Map(archived.map(({ id, name }) => [id, name]));
    return states.flatMap(({ capsuleId }): LeftOutCapsule[] => {
      const reason = findReason(capsuleId, workspaceId);
      return reason ? [{ capsuleId, name: names.get(capsuleId) ?? capsuleId, reason }] : [];
    });
  };
}

/** Reports whether a Capsule can have its state back later. */
export const isPassing = ({ reason }: LeftOutCapsule): boolean =>
  reason === 'capsule_disabled' || reason === 'capsule_held' || reason === 'capsule_busy';
