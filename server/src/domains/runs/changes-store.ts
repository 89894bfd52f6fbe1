import { and, count, desc, eq, inArray, isNull, or, sql } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import { applyTypes, type RunStatus } from '#shared/runs/contract';
import { awaiting } from './queue-store.ts';
import { type RunRecord, runRecordOf } from './run-record.ts';
import { runs } from './schema.ts';
import { pageBefore, type RunFilter } from './store.ts';

/** Members of a group with one status, plans and applies apart. */
export type MemberCount = {
  runGroupId: string;
  isApply: boolean;
  status: RunStatus;
  n: number;
  add: number;
  change: number;
  destroy: number;
};
export type ChangesStore = ReturnType<typeof createChangesStore>;

/**
 * Changes of a Workspace: a plan and its apply as one row, and a group as one row. In the list of one Capsule its member
 * of a group is a row like any other.
 */
export function createChangesStore(db: Db) {
  const columnOf = (capsuleId: string | undefined) => (capsuleId === undefined ? runs.rowSeq : runs.changeSeq);

  return {
    /** Returns the positions of changes of which at least one Run matches, newest first. */
    listPositions({ limit, ...filter }: RunFilter & { limit: number }): number[] {
      const { column: position, where } = pageBefore(filter, columnOf(filter.capsuleId));
      return db.orm
        .selectDistinct({ position })
        .from(runs)
        .where(where)
        .orderBy(desc(position))
        .limit(limit)
        .all()
        .map((row) => row.position);
    },

    /** Returns the Runs at these positions, plans before applies. Of a group only its first Run. */
    listAt(scope: { workspaceId: string; capsuleId: string | undefined }, positions: readonly number[]): RunRecord[] {
      const { workspaceId, capsuleId } = scope;
      const position = columnOf(capsuleId);
      const ofScope =
        capsuleId === undefined
          ? [eq(runs.workspaceId, workspaceId), or(isNull(runs.runGroupId), eq(runs.seq, position))]
          : [eq(runs.capsuleId, capsuleId)];
      return (
        db.orm
          .select()
          .from(runs)
          .where(and(inArray(position, [...positions]), ...ofScope))
          .all()
          .map(runRecordOf)
          // Sorted here, because SQLite would read every Run in this order otherwise.
          .sort((one, other) => one.seq - other.seq)
      );
    },

    countMembers: (runGroupIds: readonly string[]): MemberCount[] =>
      db.orm
        .select({
          runGroupId: sql<string>`${runs.runGroupId}`,
          isApply: sql`${inArray(runs.type, [...applyTypes])}`.mapWith(Boolean),
          status: runs.status,
          n: count(),
          ...appliedSums,
        })
        .from(runs)
        .where(inArray(runs.runGroupId, [...runGroupIds]))
        .groupBy(runs.runGroupId, sql`2`, runs.status)
        .all(),

    /** Counts the members of groups that wait for a person. */
    countAwaiting: (runGroupIds: readonly string[], now: number): Map<string | null, number> =>
      new Map(
        db.orm
          .select({ runGroupId: runs.runGroupId, n: count() })
          .from(runs)
          .where(and(inArray(runs.runGroupId, [...runGroupIds]), awaiting(runs, now)))
          .groupBy(runs.runGroupId)
          .all()
          .map(({ runGroupId, n }) => [runGroupId, n]),
      ),
  };
}

/** Sums the changes of applies: the counts that a failed one reported, and those of the plan of a successful one. */
const appliedSum = (name: 'add' | 'change' | 'destroy') =>
  sql<number>`total(CASE WHEN ${inArray(runs.type, [...applyTypes])} THEN ifnull(${runs.applied} ->> ${`$.${name}`},
    CASE WHEN ${runs.status} = 'succeeded' THEN ${runs.facts} ->> ${`$.summary.${name}`} END) END)`;
const appliedSums = { add: appliedSum('add'), change: appliedSum('change'), destroy: appliedSum('destroy') };
