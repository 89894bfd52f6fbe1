import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError, notFound } from '#server/kernel/errors';
import type { Outbox } from '#server/kernel/outbox';
import { isTokenRequest } from '#server/kernel/request-credential';
import { isTerminal, next as nextState } from '#shared/kernel/machine';
import type { RunTrigger } from '#shared/runs/changes';
import type { ApplyType, PlanType, Run } from '#shared/runs/contract';
import type { FeedItem } from '#shared/runs/feed';
import { firstStatusOf, type RunEvent, runMachineOf } from '#shared/runs/machine';
import { auditItem, statusItem } from './feed-items.ts';
import type { FeedStore } from './feed-store.ts';
import type { CapsuleRunInput, RestoreInput, SyncInput } from './input.ts';
import type { RunListeners } from './listeners.ts';
import { type RunView, runOf } from './record.ts';
import type { CapsuleRun, OtherRun, RunRecord, SyncRun } from './run-record.ts';
import type { RunChanges, RunInsert, RunsStore } from './store.ts';

type NewMembers = Omit<RunInsert, 'seq' | 'status' | 'createdAt' | 'cause' | 'facts' | 'detail' | 'type' | 'input'> &
  Partial<Pick<RunInsert, 'facts' | 'detail' | 'cause'>>;
/** A Run to create, with what Runs of its type have. A plan without an input is refused at once. */
export type NewRun = NewMembers &
  (
    | { type: PlanType; capsuleId: string; input?: CapsuleRunInput }
    | { type: ApplyType; capsuleId: string; planRunId: string; input: CapsuleRunInput }
    | { type: 'source_sync'; sourceId: string; input: SyncInput }
    | { type: 'restore'; input: RestoreInput }
    | { type: OtherRun['type'] }
  );

type Deps = {
  db: Db;
  clock: Clock;
  outbox: Outbox;
  store: RunsStore;
  feed: FeedStore;
  listeners: RunListeners;
  viewNow: () => RunView;
};

/** Creates Runs, moves them, and writes to their feeds. */
export function createRunMoves(deps: Deps) {
  const { db, clock, store, listeners, viewNow } = deps;
  const getRecord = recordGetter(store);
  const { append, notify } = createRunPublisher(deps);

  function create(run: NewRun, items: readonly FeedItem[]): Run {
    return db.write(() => {
      const createdAt = clock.now();
      const cause = run.cause ?? causeOf(run);
      store.insertRun({ facts: {}, detail: {}, input: {}, ...run, cause, status: firstStatusOf(run.type), createdAt });
      const row = getRecord(run.id);
      append(row.id, [...items, statusItem(row, createdAt)]);
      notify(row);
      listeners.creating(row);
      listeners.moved(row, undefined);
      return runOf(row, viewNow());
    });
  }

  /**
   * Moves a Run: reads it, checks the state machine, changes exactly one row, notifies. The only writer of `status`.
   * Throws 409 `conflict` when the transition does not exist or another request was faster. `record` writes what belongs to
   * the move, in its transaction.
   */
  function move(
    id: string,
    event: RunEvent,
    change: {
      set?: RunChanges;
      facts?: RunRecord['facts'];
      items?: readonly FeedItem[];
      record?: (run: RunRecord) => void;
    } = {},
  ): RunRecord {
    return db.write(() => {
      const row = getRecord(id);
      const machine = runMachineOf(row.type);
      const status = nextState(machine, row.status, event);
      if (!status)
        throw new AppError('conflict', `A Run with status ${row.status} does not allow this. Reload and try again.`);
      const now = clock.now();
      const ended = isTerminal(machine, status) && row.finishedAt === null;
      const set: RunChanges = {
        ...(ended && { finishedAt: now }),
        ...change.set,
        ...(change.facts && { facts: { ...row.facts, ...change.facts } }),
      };
      if (!store.moveRun(id, row.status, { ...set, status }))
        throw new AppError('conflict', 'The Run was modified by another request. Reload and try again.');
      const after = getRecord(id);
      change.record?.(after);
      if (row.status === 'running') listeners.leave(after);
      append(id, [...(change.items ?? []), statusItem(after, now)]);
      notify(after);
      listeners.moving(after, row.status);
      listeners.moved(after, row.status);
      return after;
    });
  }

  return {
    create,
    move,
    append: (id: string, items: readonly FeedItem[]) => db.write(() => append(id, items)),

    /** Adds members to the input of a Run. */
    extendInput<R extends CapsuleRun | SyncRun>(run: R, members: Partial<R['input']>): void {
      db.write(() => store.updateRun(run.id, { input: { ...run.input, ...members } }));
    },

    update: (id: string, set: RunChanges, facts?: RunRecord['facts']): void =>
      db.write(() => {
        store.updateRun(id, { ...set, ...(facts && { facts: { ...getRecord(id).facts, ...facts } }) });
      }),

    /** Marks the open plans of a Capsule as superseded. Returns their number. */
    supersede(capsuleId: string, reason: 'authority_epoch' | 'state_generation'): number {
      const now = clock.now();
      const ids = store.supersedePlans(capsuleId, { supersededAt: now, supersededReason: reason });
      for (const id of ids) {
        append(id, [auditItem('plan.superseded', now, { data: { reason } })]);
        notify(getRecord(id));
      }
      return ids.length;
    },
  };
}

/** Appends to the feed of a Run and publishes its status, in the caller's transaction. */
function createRunPublisher({ db, outbox, feed, listeners }: Pick<Deps, 'db' | 'outbox' | 'feed' | 'listeners'>) {
  return {
    append(id: string, items: readonly FeedItem[]): void {
      if (items.length === 0) return;
      feed.append(id, items);
      db.afterCommit(() => listeners.wakeReaders(id));
    },
    notify: (row: RunRecord): void =>
      outbox.push({ workspaceId: row.workspaceId, kind: 'run', recordId: row.id, status: row.status }),
  };
}

/** Returns the lookup of a Run by its id. Throws 404 for an unknown one. */
export const recordGetter =
  (store: Pick<RunsStore, 'findRun'>) =>
  (id: string): RunRecord => {
    const row = store.findRun(id);
    if (!row) throw notFound('Run');
    return row;
  };

/** Returns the cause of a new Run. The system plans and applies only automatic updates. */
function causeOf({ createdBy, type, facts }: NewRun): RunTrigger {
  if (facts?.trigger !== undefined) return facts.trigger;
  if (createdBy === 'operator') return 'operator';
  if (createdBy === 'system') return type === 'drift_check' ? 'schedule' : 'auto_update';
  return isTokenRequest() ? 'token' : 'person';
}
