import type { z } from 'zod';
import type { Endpoint, QueryOf } from '#shared/kernel/endpoint';
import { pageSizes } from '#shared/limits';
import { hmacHex, type MacKey } from './digest.ts';
import { AppError } from './errors.ts';

/** Start of the next page: values of the sort columns of the last row seen. */
type Position = readonly (string | number)[];

export type Cursors = {
  encode(binding: string, position: Position): string;
  /** Decodes a cursor. Throws 400 `invalid_request` when it is malformed or belongs to another route, filter or order. */
  decode(binding: string, cursor: string | undefined): Position | undefined;
};

/** Creates opaque cursors, bound by a MAC to the route, its filters and its order. */
export function createCursors(key: MacKey): Cursors {
  const macOf = (binding: string, body: string) => hmacHex(key, `${binding}\n${body}`).slice(0, 24);
  return {
    encode(binding, position) {
      const body = Buffer.from(JSON.stringify(position)).toString('base64url');
      return `${body}.${macOf(binding, body)}`;
    },
    decode(binding, cursor) {
      if (cursor === undefined) return undefined;
      const [body = '', mac, ...more] = cursor.split('.');
      if (more.length > 0 || mac !== macOf(binding, body)) {
        throw new AppError('invalid_request', 'The cursor does not belong to this list. Start again without it.', {
          details: { field: '/cursor' },
        });
      }
      return JSON.parse(Buffer.from(body, 'base64url').toString()) as Position;
    },
  };
}

/** Page options of a caller; the route's query schema bounds `limit`. */
export type PageQuery = { limit?: number | undefined; cursor?: string | undefined };
type ListEndpoint = Endpoint & { readonly query: z.ZodType<PageQuery> & z.ZodObject };
/** Members of the query of a list that are not page options. */
export type FilterOf<E extends ListEndpoint> = Omit<QueryOf<E>, keyof PageQuery>;
/** Query of a list; callers inside the server may leave out the limit. */
export type ListQueryOf<E extends ListEndpoint> = FilterOf<E> & PageQuery;

type List<T> = {
  /** Route, filters and order. A cursor is valid only for the same binding. */
  binding: string;
  /** Returns rows after a position, in order, at most `limit`. */
  fetch: (after: Position | undefined, limit: number) => T[];
  positionOf: (row: T) => Position;
};

/** Members of a query that are not page options. A list reads them before it reads a page, so none may be left. */
type Unread<Q> = { [Name in Exclude<keyof Q, keyof PageQuery>]: never };

/**
 * Returns one page by keys. It fetches one row more than requested to detect a next page; `next` holds its cursor or
 * nothing.
 */
export function readPage<T, Q extends PageQuery>(cursors: Cursors, query: Q & Unread<Q>, list: List<T>) {
  const limit = query.limit ?? pageSizes.list.usual;
  const batch = list.fetch(cursors.decode(list.binding, query.cursor), limit + 1);
  const rows = batch.slice(0, limit);
  const last = rows.at(-1);
  const next: { nextCursor?: string } =
    batch.length > limit && last !== undefined
      ? { nextCursor: cursors.encode(list.binding, list.positionOf(last)) }
      : {};
  return { rows, limit, next };
}

/** Position of lists in the order of creation. */
export type Created = { createdAt: number; id: string };
export const createdOf = ({ createdAt, id }: Created): Position => [createdAt, id];
export const afterCreated = (position: Position | undefined): Created => ({
  createdAt: Number(position?.[0] ?? -1),
  id: String(position?.[1] ?? ''),
});
/** Position of lists that are newest first, by a falling sequence number. */
export const beforeSeq = (position: Position | undefined): number => Number(position?.[0] ?? Number.MAX_SAFE_INTEGER);

/** Position in a list by time: oldest creation first, or newest change first. */
export type TimedCursor = { by: 'createdAt' | 'updatedAt'; at: number; id: string; limit: number };

/** Returns one page of a list by creation or, with `updated_desc`, by change, newest first. The order is part of the binding. */
export function readTimedPage<T extends { createdAt: number; updatedAt: number; id: string }, Q extends PageQuery>(
  cursors: Cursors,
  query: Q & Unread<Q>,
  list: { binding: string; order: 'updated_desc' | undefined; fetch: (cursor: TimedCursor) => T[] },
) {
  const by = list.order === 'updated_desc' ? 'updatedAt' : 'createdAt';
  const start = by === 'updatedAt' ? Number.MAX_SAFE_INTEGER : -1;
  return readPage<T, Q>(cursors, query, {
    binding: `${list.binding}:${by}`,
    fetch: (position, limit) =>
      list.fetch({ by, at: Number(position?.[0] ?? start), id: String(position?.[1] ?? ''), limit }),
    positionOf: (row) => [row[by], row.id],
  });
}
