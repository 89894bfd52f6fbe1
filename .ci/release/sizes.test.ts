import { expect, test } from 'vitest';
import { growthProblems, readSizesTable, sizesTable } from './sizes.ts';

const sizes = new Map([
  ['dist/server', 4_000],
  ['node_modules/better-sqlite3', 2_000],
  ['package.json', 1],
]);

test('the table has the npm package beside the image, and can be read again', () => {
  const table = sizesTable(sizes);
  expect(table.split('\n').slice(2)).toEqual([
    '| `dist/server` | 4000 | 4000 |',
    '| `node_modules/better-sqlite3` |  | 2000 |',
    '| `package.json` | 1 | 1 |',
    '| all | 4001 | 6001 |',
  ]);
  expect(readSizesTable(table)).toEqual(sizes);
});

test('a folder may grow by a tenth and 64 KiB, and no folder is added unseen', () => {
  const grown = (size: number) => growthProblems(sizes, new Map([['dist/server', size]]));
  expect(grown(4_464)).toEqual([]);
  expect(grown(4_465)).toEqual(['dist/server grew from 4000 to 4465 KiB.']);
  expect(growthProblems(sizes, new Map([['dist/more', 65]]))).toEqual(['dist/more grew from 0 to 65 KiB.']);
  expect(growthProblems(sizes, new Map([['dist/server', 10]]))).toEqual([]);
});
