import { hmacHex } from './digest.ts';
import { AppError } from './errors.ts';

/** Where the next page starts: values of the sort columns of the last row seen. */
export type Position = readonly (string | number)[];

export type Cursors = {
  encode(binding: string, position: Position): string;
  /** 400 `invalid_request` when the cursor is malformed or belongs to another route, filter or order. */
  decode(binding: string, cursor: string | undefined): Position | undefined;
};

/** Opaque cursors, bound by a MAC to the route, its filters and its order. */
export function createCursors(key: string): Cursors {
  const macOf = (binding: string, body: string) => hmacHex(key, `${binding}\n${body}`).slice(0, 24);
  return {
    encode(binding, position) {
      const body = Buffer.from(JSON.stringify(position)).toString('base64url');
      return `${body}.${macOf(binding, body)}`;
    },
    decode(binding, cursor) {
      if (cursor === undefined) return undefined;
      const [body = '', mac] = cursor.split('.');
      if (mac !== macOf(binding, body)) {
        throw new AppError('invalid_request', 'The cursor does not belong to this list. Start again without it.', {
          details: { field: '/cursor' },
        });
      }
      return JSON.parse(Buffer.from(body, 'base64url').toString()) as Position;
    },
  };
}

/** Cuts `limit + 1` rows to a page and the position after it. */
export function cutPage<T>(
  rows: T[],
  limit: number,
  positionOf: (row: T) => Position,
): { rows: T[]; next: Position | undefined } {
  if (rows.length <= limit) return { rows, next: undefined };
  const page = rows.slice(0, limit);
  return { rows: page, next: positionOf(page[page.length - 1] as T) };
}
