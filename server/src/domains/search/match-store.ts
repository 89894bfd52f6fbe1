import { and, desc, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { members, workspaces } from '#server/domains/workspaces/schema';
import type { SearchResult } from '#shared/search/contract';

/** Account whose Workspaces are searched: all of them, or the one that its token is bound to. */
export type Viewer = { accountId: string; only?: string | undefined };
export type Wanted = { q: string; limit: number; selectedWorkspaceId: string | undefined };
/** A matching record; `at` is the time that orders equal matches. */
export type Match = { rank: number; isSelected: boolean; at: number; result: SearchResult };

/** Limits a search to active memberships of the account. */
export const isMember = ({ accountId, only }: Viewer): SQL | undefined =>
  and(
    eq(members.accountId, accountId),
    eq(members.status, 'active'),
    only === undefined ? undefined : eq(members.workspaceId, only),
  );

/** Rank of a row by its id and names; null when it does not match. */
export const rankOf = (q: string, id: SQLWrapper, ...names: SQLWrapper[]): SQL<number> =>
  sql<number>`search_rank(${sql.join([sql`${q}`, id, ...names], sql`, `)})`;

const isSelected = ({ selectedWorkspaceId = '' }: Wanted): SQL<number> =>
  sql<number>`${workspaces.id} = ${selectedWorkspaceId}`;

/** Columns of every match. */
export const columnsOf = (wanted: Wanted, rank: SQL<number>, at: SQLiteColumn) => ({
  rank,
  isSelected: isSelected(wanted).mapWith(Boolean),
  at: sql<number>`${at}`,
  workspaceId: workspaces.id,
  workspaceName: workspaces.displayName,
});

/** Order of the matches of one kind; the service merges the kinds in the same order. */
export const orderOf = (wanted: Wanted, rank: SQL<number>, at: SQLiteColumn): SQL[] => [
  rank,
  desc(isSelected(wanted)),
  desc(at),
];

type Scored = Omit<Match, 'result'>;

/** Separates what orders a match from the record. */
export const splitMatch = <Row extends Scored>({ rank, isSelected: selected, at, ...record }: Row) =>
  [{ rank, isSelected: selected, at }, record] as const;
