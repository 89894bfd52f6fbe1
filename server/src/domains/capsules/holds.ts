import type { ActivityService } from '#server/domains/activity/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failedPrecondition, invalidArgument } from '#server/kernel/errors';
import { requirePlain } from '#server/kernel/plain-text';
import type { capsulesApi } from '#shared/capsules/api';
import type { Capsule } from '#shared/capsules/contract';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import { withoutHold } from './hold.ts';
import type { CapsuleMoves } from './moves.ts';
import type { CapsuleRecords } from './record.ts';
import type { CapsuleRow, CapsulesStore } from './store.ts';

type Deps = {
  db: Db;
  clock: Clock;
  activity: Pick<ActivityService, 'record'>;
  store: Pick<CapsulesStore, 'listEndedHolds' | 'findNextHoldEnd'>;
  records: CapsuleRecords;
  moves: Pick<CapsuleMoves, 'getRow' | 'set'>;
};
type HoldInput = BodyOf<typeof capsulesApi.holdCapsule>;

/** Holds of Capsules: a held one is planned, and nothing is applied to it. The history never repeats a reason. */
export function createCapsuleHolds({ db, clock, activity, store, records, moves }: Deps) {
  const { capsuleOf } = records;
  const { getRow, set } = moves;

  function record({ id, workspaceId }: CapsuleRow, action: 'capsule.held' | 'capsule.hold_released', more: object) {
    activity.record({ workspaceId, action, targetType: 'capsule', targetId: id, ...more });
  }

  return {
    /**
     * Holds a Capsule, or changes the reason and the end of its hold; repeating it changes nothing. 409
     * `capsule_destroyed`, 400 for an end that has passed or a reason that looks like a credential.
     */
    hold(id: string, { reason, until, ...rest }: HoldInput, actorId: string): Capsule {
      nothingLeft(rest);
      return db.write(() => {
        const row = getRow(id);
        if (row.status === 'destroyed')
          throw failedPrecondition('capsule_destroyed', 'This Capsule is destroyed. Install the module again.');
        requirePlain('reason', reason);
        const now = clock.now();
        const holdUntil = requireFuture(until, now);
        if (row.heldAt !== null && row.holdReason === reason && row.holdUntil === holdUntil) return capsuleOf(row);
        set(id, { holdReason: reason, holdUntil, heldBy: actorId, heldAt: now });
        record(row, 'capsule.held', { actorId, metadata: until === undefined ? {} : { until } });
        return capsuleOf(getRow(id));
      });
    },

    /** Releases a Capsule; one that is not held stays as it is. */
    release(id: string, actorId: string): Capsule {
      return db.write(() => {
        const row = getRow(id);
        if (row.heldAt === null) return capsuleOf(row);
        set(id, withoutHold);
        record(row, 'capsule.hold_released', { actorId });
        return capsuleOf(getRow(id));
      });
    },

    /** Clears the holds whose end has passed and publishes their Capsules, each in a transaction of its own. */
    endHolds(now: number): void {
      for (const row of store.listEndedHolds(now))
        db.write(() => {
          set(row.id, withoutHold);
          record(row, 'capsule.hold_released', { metadata: { reason: 'hold_ended' } });
        });
    },

    findNextHoldEnd: store.findNextHoldEnd,
  };
}

function requireFuture(until: string | undefined, now: number): number | null {
  if (until === undefined) return null;
  const at = Date.parse(until);
  if (at > now) return at;
  throw invalidArgument('hold_end_invalid', 'A hold must end in the future.', { field: '/until' });
}
