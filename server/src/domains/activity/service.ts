import type { Clock } from '#server/kernel/clock';
import { isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import type { MacKey } from '#server/kernel/digest';
import { newId } from '#server/kernel/ids';
import { beforeSeq, type Cursors, type ListQueryOf, type PageQuery, readPage } from '#server/kernel/page';
import { required } from '#server/kernel/required';
import type { ActivityAction } from '#shared/activity/actions';
import type { activityApi } from '#shared/activity/api';
import type { ActivityEvent } from '#shared/activity/contract';
import { type AuditRow, type CapsuleActions, createActivityStore, type TrailFilter } from './store.ts';
import { checkTrail, genesis, hashOf, headMac, type TrailReport } from './trail.ts';

/** One activity event, without values. `actorId` is absent for the system, also where a Run names it `system`. */
export type ActivityRecord = {
  workspaceId?: string | undefined;
  actorId?: string | undefined;
  action: ActivityAction;
  targetType: string;
  targetId: string;
  runId?: string | undefined;
  metadata?: Record<string, unknown>;
  /** Now, unless a record carries its own time. */
  createdAt?: number;
};

const maxSearchedRows = 10_000;

export type ActivityService = ReturnType<typeof createActivityService>;

type Deps = { db: Db; clock: Clock; cursors: Cursors; installationKey: MacKey };

export function createActivityService({ db, clock, cursors, installationKey }: Deps) {
  const store = createActivityStore(db);
  const listeners: ((record: ActivityRecord, at: number) => void)[] = [];

  return {
    /** Registers a callback for each new row, inside its transaction. */
    onRecord: (work: (record: ActivityRecord, at: number) => void): void => void listeners.push(work),

    /** Appends one row to the trail, inside the transaction of the change that it records. */
    record(record: ActivityRecord): void {
      const head = store.findHead();
      const prevHash = head?.hash ?? genesis;
      const bare = {
        seq: (head?.seq ?? 0) + 1,
        id: newId('activity'),
        workspaceId: record.workspaceId ?? null,
        actorId: record.actorId === 'system' ? null : (record.actorId ?? null),
        action: record.action,
        targetType: record.targetType,
        targetId: record.targetId,
        runId: record.runId ?? null,
        metadata: record.metadata ?? {},
        createdAt: record.createdAt ?? clock.now(),
      };
      const hash = hashOf(bare, prevHash);
      store.append({ ...bare, prevHash, hash }, headMac(installationKey, { seq: bare.seq, hash }));
      for (const work of listeners) work(record, bare.createdAt);
    },

    list(workspaceId: string, { limit, cursor, ...filter }: ListQueryOf<typeof activityApi.listActivity>) {
      const { rows, next } = readPage(
        cursors,
        { limit, cursor },
        {
          binding: `activity:${workspaceId}:${JSON.stringify(filter)}`,
          fetch: (after, most) => store.listBefore(workspaceId, beforeSeq(after), { ...filter, limit: most }),
          positionOf: ({ seq }) => [seq],
        },
      );
      return { events: rows.map(eventOf), ...next };
    },

    /** Events of a Capsule with one of these actions, among its newest 10,000. */
    listOfCapsule: (query: CapsuleActions): ActivityEvent[] => store.listOfCapsule(query, maxSearchedRows).map(eventOf),
    /** Events of one Resource of the form host, newest first, each with its position. */
    listOfResource: (resourceId: string, page: { before: number; limit: number }) =>
      store.listOfResource(resourceId, page).map((row) => ({ seq: row.seq, event: eventOf(row) })),
    /** The event that created a Capsule. */
    findCreation(workspaceId: string, capsuleId: string): ActivityEvent | undefined {
      const first = store.findFirstOfCapsule(workspaceId, capsuleId);
      return first?.action === 'capsule.created' ? eventOf(first) : undefined;
    },

    /** The trail of all Workspaces and accounts, newest first, with each row's position in the chain. */
    listTrail({ limit, cursor, ...filter }: PageQuery & TrailFilter) {
      const { rows, next } = readPage(
        cursors,
        { limit, cursor },
        {
          binding: `audit:${JSON.stringify(filter)}`,
          fetch: (after, most) => store.listTrail({ ...filter, before: beforeSeq(after), limit: most }),
          positionOf: ({ seq }) => [seq],
        },
      );
      return { rows, ...next };
    },

    /** Verifies the whole chain. Returns the first broken sequence number, or undefined when every hash and the head are valid. */
    findBreak: (): number | undefined => checkTrail(store, installationKey).broken?.seq,
  };
}

/** Verifies the trail of a ledger that is opened read-only. `installationKey` is the one rows are recorded under. */
export const verifyTrail = (db: Pick<Db, 'orm'>, installationKey: string): TrailReport =>
  checkTrail(createActivityStore(db), installationKey);

const eventOf = (row: AuditRow): ActivityEvent => ({
  id: row.id,
  workspaceId: required(row.workspaceId, 'Workspace of a listed event'),
  ...(row.actorId !== null && { actorId: row.actorId }),
  action: row.action,
  targetType: row.targetType,
  targetId: row.targetId,
  ...(row.runId !== null && { runId: row.runId }),
  metadata: row.metadata,
  createdAt: isoTime(row.createdAt),
});
