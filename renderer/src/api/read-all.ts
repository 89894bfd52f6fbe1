type Page<T> = { rows: T[]; nextCursor?: string | undefined };

/** Reads a list page by page until `isEnough` returns true. */
export async function readAll<T>(
  read: (cursor: string | undefined) => Promise<Page<T>>,
  isEnough: (row: T) => boolean = () => false,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const { rows, nextCursor } = await read(cursor);
    all.push(...rows);
    cursor = rows.some(isEnough) ? undefined : nextCursor;
  } while (cursor !== undefined);
  return all;
}
