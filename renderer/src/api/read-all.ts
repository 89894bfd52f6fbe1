type Page<T> = { rows: T[]; nextCursor?: string | undefined };

/** Every row of a list, page after page, until `isEnough` says that what was looked for is there. */
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
