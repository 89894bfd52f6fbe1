type Page = { limit: string; cursor?: string };
type Read<T> = (page: Page) => Promise<{ rows: readonly T[]; nextCursor?: string | undefined }>;

const pageRows = 100;

/** Reads the rows of a list, page by page, at most `most` of them. */
export async function readAll<T>(read: Read<T>, most: number = Number.POSITIVE_INFINITY): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const limit = String(Math.min(pageRows, most - all.length));
    const page = await read({ limit, ...(cursor !== undefined && { cursor }) });
    all.push(...page.rows);
    cursor = page.nextCursor;
  } while (cursor !== undefined && all.length < most);
  return all;
}

/** Returns the first row of a list that matches. Reads no page after it. */
export async function findRow<T>(read: Read<T>, matches: (row: T) => boolean): Promise<T | undefined> {
  let cursor: string | undefined;
  do {
    const page = await read({ limit: String(pageRows), ...(cursor !== undefined && { cursor }) });
    const row = page.rows.find(matches);
    if (row !== undefined) return row;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return undefined;
}
