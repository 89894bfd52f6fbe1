import { pageSizes } from '#shared/limits';
import { hmacHex, type MacKey } from './digest.ts';
import { AppError } from './errors.ts';

/** Where the next page starts: values of the sort columns of the last row seen. */
export type Position = readonly (string | number)[];

export type Cursors = {
  encode(binding: string, position: Position): string;
  /** 400 `invalid_request` when the cursor is malformed or belongs to another route, filter or order. */
  decode(binding: string, cursor: string | undefined): Position | undefined;
};

/** Opaque cursors, bound by a MAC to the route, its filters and its order. */
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

/** What a caller may say about a page; the bounds of `limit` are those of the route's query. */
export type PageQuery = { limit?: number | undefined; cursor?: string | undefined };

export type List<T> = {
  /** Route, filters and order: a cursor of one list opens no other. */
  binding: string;
  /** Rows after a position, in order, at most `limit`. */
  fetch: (after: Position | undefined, limit: number) => T[];
  positionOf: (row: T) => Position;
};

/** One page by keys: a row more than asked for tells that there is another. `next` holds the cursor of it, or nothing. */
export function readPage<T>(cursors: Cursors, query: PageQuery, list: List<T>) {
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

/** Where a list by time goes on: oldest creation first, or newest change first. */
export type TimedCursor = { by: 'createdAt' | 'updatedAt'; at: number; id: string; limit: number };

/** One page of a list that goes by creation, or with `updated_desc` by change, newest first. The order is part of the binding. */
export function readTimedPage<T extends { createdAt: number; updatedAt: number; id: string }>(
  cursors: Cursors,
  query: PageQuery,
  list: { binding: string; order: 'updated_desc' | undefined; fetch: (cursor: TimedCursor) => T[] },
) {
  const by = list.order === 'updated_desc' ? 'updatedAt' : 'createdAt';
  const start = by === 'updatedAt' ? Number.MAX_SAFE_INTEGER : -1;
  return readPage<T>(cursors, query, {
    binding: `${list.binding}:${by}`,
    fetch: (position, limit) =>
      list.fetch({ by, at: Number(position?.[0] ?? start), id: String(position?.[1] ?? ''), limit }),
    positionOf: (row) => [row[by], row.id],
  });
}
