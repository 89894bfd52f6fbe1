import { type Column, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';

type Pair<T> = readonly [T, T];

/**
 * Matches rows behind a position in ascending order. It is one row value, which an index over the columns can seek; the
 * equivalent OR condition scans the index from its start.
 */
export const isAfter = ([first, second]: Pair<SQLWrapper>, [a, b]: Pair<string | number>): SQL =>
  sql`(${first}, ${second}) > (${a}, ${b})`;

/** Matches rows behind a position in descending order. */
export const isBefore = ([first, second]: Pair<SQLWrapper>, [a, b]: Pair<string | number>): SQL =>
  sql`(${first}, ${second}) < (${a}, ${b})`;

/** Shortest text that is searched in ids: a shorter one occurs in many ids by chance, and a prefix in all of them. */
const shortestIdPart = 6;

/**
 * Matches rows in which one of the columns contains the literal text, ignoring the case of ASCII letters. Ids are
 * searched from six characters on.
 */
export function mentions(text: string, { names, ids }: { names: readonly Column[]; ids: readonly Column[] }): SQL {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  const columns = text.length < shortestIdPart ? names : [...names, ...ids];
  return or(...columns.map((column) => sql`${column} LIKE ${pattern} ESCAPE '\\'`)) ?? sql`0`;
}
