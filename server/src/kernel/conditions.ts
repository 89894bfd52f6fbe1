import { type Column, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';

type Pair<T> = readonly [T, T];

/** Rows behind a position in ascending order. One row value, which an index over the columns seeks; the same spelled out with OR walks it from its beginning. */
export const isAfter = ([first, second]: Pair<SQLWrapper>, [a, b]: Pair<string | number>): SQL =>
  sql`(${first}, ${second}) > (${a}, ${b})`;

/** The same in descending order. */
export const isBefore = ([first, second]: Pair<SQLWrapper>, [a, b]: Pair<string | number>): SQL =>
  sql`(${first}, ${second}) < (${a}, ${b})`;

/** A shorter text is in many ids by chance, and a prefix is in all of them. */
const shortestIdPart = 6;

/** Does one of the columns hold the text, as it stands and whatever its case (of ASCII letters)? Ids count from a text of six characters on. */
export function mentions(text: string, { names, ids }: { names: readonly Column[]; ids: readonly Column[] }): SQL {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  const columns = text.length < shortestIdPart ? names : [...names, ...ids];
  return or(...columns.map((column) => sql`${column} LIKE ${pattern} ESCAPE '\\'`)) ?? sql`0`;
}
