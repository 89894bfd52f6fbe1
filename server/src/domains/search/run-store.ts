import { and, desc, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { resolvedCommit, runs } from '#server/domains/runs/schema';
import { members, workspaces } from '#server/domains/workspaces/schema';
import { isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { ranks } from '#shared/search/rank';
import { columnsOf, isMember, type Match, orderOf, splitMatch, type Viewer, type Wanted } from './match-store.ts';

/** A Run is found by its id, by the start of its id from seven characters behind the prefix on, and by that of its commit. */
const idStart = /^([a-z]+)_([0-9a-z]{7,26})$/i;
const commitStart = /^[0-9a-f]{4,40}$/i;

/**
 * Returns the matches by one indexed column. Ids and commits are matched by their start, because a part of them would
 * have to be looked for in every Run.
 */
export function findRuns(db: Db, viewer: Viewer, wanted: Wanted): Match[] {
  const q = wanted.q.trim();
  const [, prefix = '', rest = ''] = idStart.exec(q) ?? [];
  // Ids of plans have an older form in lower case.
  const starts = [...new Set([`${prefix.toLowerCase()}_${rest.toUpperCase()}`, `${prefix}_${rest}`])];
  const byId = prefix === '' ? [] : starts.flatMap((start) => findBy(db, viewer, { wanted, column: runs.id, start }));
  if (!commitStart.test(q)) return byId;
  return [...byId, ...findBy(db, viewer, { wanted, column: resolvedCommit, start: q.toLowerCase() })];
}

type Start = { wanted: Wanted; column: SQLWrapper; start: string };

function findBy({ orm }: Db, viewer: Viewer, { wanted, column, start }: Start): Match[] {
  const rank: SQL<number> = sql<number>`iif(${column} = ${start}, ${ranks.exact}, ${ranks.prefix})`;
  const { id, type, status, capsuleName, createdAt } = runs;
  return (
    orm
      .select({ ...columnsOf(wanted, rank, createdAt), id, type, status, capsuleName, resolvedCommit, createdAt })
      .from(members)
      .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
      // The plus keeps SQLite from reading all Runs of a Workspace for the few of one id.
      .innerJoin(
        runs,
        column === runs.id
          ? sql`+${runs.workspaceId} = ${members.workspaceId}`
          : eq(runs.workspaceId, members.workspaceId),
      )
      .where(and(isMember(viewer), sql`${column} >= ${start} AND ${column} < ${`${start}\u{10ffff}`}`))
      .orderBy(...orderOf(wanted, rank, createdAt), desc(runs.seq))
      .limit(wanted.limit)
      .all()
      .map(splitMatch)
      .map(([match, { capsuleName: capsule, resolvedCommit: commit, ...row }]) => ({
        ...match,
        result: {
          kind: 'run',
          ...row,
          createdAt: isoTime(row.createdAt),
          ...(capsule !== null && { capsuleName: capsule }),
          ...(commit !== null && { resolvedCommit: commit }),
        },
      }))
  );
}
