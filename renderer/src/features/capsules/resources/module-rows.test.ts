import { expect, it } from 'vitest';
import { moduleRows } from './module-rows.ts';

const modules = [
  { count: 1 },
  { moduleAddress: 'module.a', count: 2 },
  { moduleAddress: 'module.a.module.b["x.y"]', count: 3 },
  { moduleAddress: 'module.a.module.b["x.y"].module.c', count: 4 },
  { moduleAddress: 'module.only.module.inner', count: 5 },
];
const labels = (closed: string[]) =>
  moduleRows(modules, new Set(closed)).map(({ label, depth, innerCount }) => [label, depth, innerCount]);

it('indents a module below the nearest one that has resources', () => {
  expect(labels([])).toEqual([
    ['', 0, 0],
    ['module.a', 0, 7],
    ['module.b["x.y"]', 1, 4],
    ['module.c', 2, 0],
    ['module.only.module.inner', 0, 0],
  ]);
});

it('leaves out everything inside of a closed module', () => {
  expect(labels(['module.a'])).toEqual([
    ['', 0, 0],
    ['module.a', 0, 7],
    ['module.only.module.inner', 0, 0],
  ]);
  expect(labels(['module.a.module.b["x.y"]']).map(([label]) => label)).toEqual([
    '',
    'module.a',
    'module.b["x.y"]',
    'module.only.module.inner',
  ]);
});
