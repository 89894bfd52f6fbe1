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

/** Pointers of a Capsule to the state of an apply, and to the snapshot that it tracks from then on. */
type StatePointers = {
  currentStateVersionId?: string;
  currentStateGeneration?: number;
  adoptedSourceRevision?: AdoptedSourceRevision;
};
/** Changes of a committed apply, besides the status. */
type CommitChange = StatePointers & { runtimeSafety: 'safe' | 'unknown' };
/** Columns beside the pointers that change without a transition of the status. */
type AuthorityColumns = { runtimeSafety?: 'unknown'; executionAuthorityEpoch?: number };
/** Authority and state that a Run was created under. */
type Fence = { epoch: number; generation: number };

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

  /** Changes columns that are shown beside the status, which stays. */
  function change(id: string, columns: StatePointers & AuthorityColumns): void {
    const row = getRow(id);
    if (!store.moveCapsule(id, row, { ...columns, updatedAt: clock.now() }))
      throw new AppError('conflict', 'The Capsule was modified by another request. Reload and try again.');
    publish(row, row.status);
    const changed = getRow(id);
    for (const work of moving) work(changed);
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

    /** Advances the authority generation of a Capsule. Returns the number of plans that this supersedes. */
    advanceAuthority(id: string): number {
      const row = getRow(id);
      change(id, { executionAuthorityEpoch: row.executionAuthorityEpoch + 1 });
      return runs.supersede(id, 'authority_epoch');
    },
    ...createCommits({ getRow, move, change }),
  };
}

type CommitPorts = {
  getRow: (id: string) => CapsuleRow;
  move: (id: string, event: CapsuleEvent, set: Partial<CapsuleRow>) => Capsule;
  change: (id: string, columns: StatePointers & AuthorityColumns) => void;
};

/** Commits the result of a Run. */
function createCommits({ getRow, move, change }: CommitPorts) {
  function requireFence(row: CapsuleRow, { epoch, generation }: Fence): void {
    failpoint('capsule.commit');
    if (row.executionAuthorityEpoch === epoch && row.currentStateGeneration === generation) return;
    throw new AppError(
      'conflict',
      'The Capsule has changed since this Run was created, so the result of the Run cannot become current. Plan again.',
    );
  }

  return {
    /** Commits the result of an apply. Throws `conflict` when epoch or generation differ from those the Run was created under. */
    commitApply(
      id: string,
      event: 'apply' | 'fail' | 'destroy',
      commit: { fence: Fence; change: CommitChange },
    ): Capsule {
      requireFence(getRow(id), commit.fence);
      return move(id, event, commit.change);
    },

    /** Commits the state of an apply whose Run continues; the Capsule keeps its status. Throws like `commitApply`. */
    commitState(id: string, commit: { fence: Fence; pointers: StatePointers }): void {
      requireFence(getRow(id), commit.fence);
      change(id, commit.pointers);
    },

    /** Makes a restored state current. Throws `conflict` unless its generation follows the current one. */
    commitRestore(id: string, { stateVersionId, generation }: { stateVersionId: string; generation: number }): Capsule {
      const row = getRow(id);
      requireFence(row, { epoch: row.executionAuthorityEpoch, generation: generation - 1 });
      return move(id, 'restore', { currentStateVersionId: stateVersionId, currentStateGeneration: generation });
    },

    /** Records that a Run which changed no state may have had an effect; the Capsule keeps its status. */
    markUnsafe(id: string): void {
      if (getRow(id).runtimeSafety !== 'unknown') change(id, { runtimeSafety: 'unknown' });
    },
  };
}
