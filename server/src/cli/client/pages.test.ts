import { expect, it, vi } from 'vitest';
import { findRow } from './pages.ts';

const pages: Record<string, { rows: number[]; nextCursor?: string }> = {
  first: { rows: [1, 2], nextCursor: 'second' },
  second: { rows: [3], nextCursor: 'third' },
  third: { rows: [4] },
};
const createRead = () =>
  vi.fn(async ({ cursor = 'first' }: { cursor?: string }) => pages[cursor] ?? { rows: [] as number[] });

it.each([
  ['on the first page', 2, 2, 1],
  ['on a later page', 3, 3, 2],
  ['nowhere', 9, undefined, 3],
])('finds a row %s, and reads no page after it', async (_, wanted, found, reads) => {
  const read = createRead();
  expect(await findRow(read, (row) => row === wanted)).toBe(found);
  expect(read).toHaveBeenCalledTimes(reads);
});
