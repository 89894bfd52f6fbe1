import type { RunsService } from '#server/domains/runs/index';
import type { Clock } from '#server/kernel/clock';
import { AppError, failedPrecondition, notFound } from '#server/kernel/errors';
import { failpoint } from '#server/kernel/failpoints';
import type { Outbox } from '#server/kernel/outbox';
import type { AdoptedSourceRevision, Capsule } from '#shared/capsules/contract';
import { type CapsuleEvent, capsuleMachine } from '#shared/capsules/machine';
import { next } from '#shared/kernel/machine';
import type { ChangeableColumns } from './changes.ts';
import { type HoldColumns, withoutHold } from './hold.ts';
import type { CapsuleRecords } from './record.ts';
import type { CapsuleRow, CapsulesStore } from './store.ts';

/** Changes of a committed apply, besides the status. */
type CommitChange = {
  currentStateVersionId?: string;
  currentStateGeneration?: number;
  runtimeSafety: 'safe' | 'unknown';
  adoptedSourceRevision?: AdoptedSourceRevision;
};

/** Columns that need no transition of the status. */
type PlainColumns = ChangeableColumns & HoldColumns;

type Deps = {
  clock: Clock;
  outbox: Outbox;
  runs: Pick<RunsService, 'supersede'>;
  store: Pick<CapsulesStore, 'findCapsule' | 'moveCapsule'>;
  records: CapsuleRecords;
};

export type CapsuleMoves = ReturnType<typeof createCapsuleMoves>;

/** The compare-and-set changes of a Capsule. Each one publishes the Capsule. */
export function createCapsuleMoves({ clock, outbox, runs, store, records }: Deps) {
  const { capsuleOf, guardOf } = records;
  const moving: ((capsule: CapsuleRow) => void)[] = [];
  const publish = ({ id, workspaceId }: CapsuleRow, status: CapsuleRow['status']): void =>
    outbox.push({ workspaceId, kind: 'capsule', recordId: id, status });

  function getRow(id: string): CapsuleRow {
    const row = store.findCapsule(id);
    if (!row) throw notFound('Capsule');
    return row;
  }

  /** The only writer of `status`: reads the row, applies the state machine, changes exactly one row and publishes the change. */
  function move(id: string, event: CapsuleEvent, set: Partial<CapsuleRow> = {}): Capsule {
    const row = getRow(id);
    const status = next(capsuleMachine, row.status, event);
    if (!status)
      throw new AppError('conflict', `A Capsule with status ${row.status} does not allow this. Reload and try again.`);
    const ended = status === 'destroyed' ? withoutHold : {};
    if (!store.moveCapsule(id, row, { ...set, ...ended, status, updatedAt: clock.now() })) {
      throw new AppError('conflict', 'The Capsule was modified by another request. Reload and try again.');
    }
    publish(row, status);
    const moved = getRow(id);
    for (const work of moving) work(moved);
    return capsuleOf(moved);
  }

  function set(id: string, columns: Partial<PlainColumns>): void {
    const row = getRow(id);
    if (!store.moveCapsule(id, row, { ...columns, updatedAt: clock.now() }))
      throw new AppError('conflict', 'The Capsule was modified by another request. Reload and try again.');
    publish(row, row.status);
  }

  return {
    /** Registers work that runs inside the transaction in which status, state or configuration of a Capsule change. */
    onMoving: (work: (capsule: CapsuleRow) => void): void => void moving.push(work),
    getRow,
    move,
    set,

    /**
     * Moves the Capsule to another configuration while it still matches the guard: the authority generation advances, and open plans are
     * superseded. 409 `capsule_install_config_rebind_conflict`.
     */
    rebind(id: string, to: { authorityGuard: string; installConfigId: string }): Capsule {
      const row = getRow(id);
      const { installConfigId } = to;
      const executionAuthorityEpoch = row.executionAuthorityEpoch + 1;
      const set = { installConfigId, executionAuthorityEpoch, updatedAt: clock.now() };
      if (guardOf(row) !== to.authorityGuard || !store.moveCapsule(id, row, set)) {
        throw failedPrecondition(
          'capsule_install_config_rebind_conflict',
          'The Capsule has changed since you read it. Reload and try again.',
        );
      }
      runs.supersede(id, 'authority_epoch');
      publish(row, row.status);
      const rebound = getRow(id);
      for (const work of moving) work(rebound);
      return capsuleOf(rebound);
    },

    /** Commits the result of an apply. Throws `conflict` when epoch or generation differ from those the Run was created under. */
    commitApply(
      id: string,
      event: 'apply' | 'fail' | 'destroy',
      commit: { fence: { epoch: number; generation: number }; change: CommitChange },
    ): Capsule {
      const row = getRow(id);
      failpoint('capsule.commit');
      const { epoch, generation } = commit.fence;
      if (row.executionAuthorityEpoch !== epoch || row.currentStateGeneration !== generation) {
        throw new AppError(
          'conflict',
          'The Capsule has changed since this Run was created, so the result of the Run cannot become current. Plan again.',
        );
      }
      return move(id, event, commit.change);
    },
  };
}
