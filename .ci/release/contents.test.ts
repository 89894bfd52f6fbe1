import { expect, test } from 'vitest';
import { contentProblems, sizesByFolder } from './contents.ts';

test('finds files that are for a build, a debugger or another system', () => {
  const contents = new Map([
    ['resources/app/dist/server/index.js', 5],
    ['resources/app/dist/server/index.js.map', 5],
    ['resources/app/dist/server/migrations/meta/0001_snapshot.json', 5],
    ['resources/app/server/src/index.ts', 5],
    ['resources/app/dist/client/index.d.ts', 5],
    ['resources/app/node_modules/better-sqlite3/prebuilds/linux-x64.node', 5],
    ['resources/app/node_modules/better-sqlite3/prebuilds/linux-arm64.node', 5],
    ['resources/app/node_modules/keytar/prebuilds/linuxmusl-x64/keytar.node', 5],
  ]);
  const problems = contentProblems(contents, 'linux', 'x64');
  expect(problems.map((problem) => problem.replace(/ is .*/, ''))).toEqual([
    'resources/app/dist/server/index.js.map',
    'resources/app/dist/server/migrations/meta/0001_snapshot.json',
    'resources/app/server/src/index.ts',
    'resources/app/node_modules/better-sqlite3/prebuilds/linux-arm64.node',
    'resources/app/node_modules/keytar/prebuilds/linuxmusl-x64/keytar.node',
  ]);
});

test('adds up folders, the largest first', () => {
  const contents = new Map([
    ['a/b/c.js', 1],
    ['a/b/d.js', 2],
    ['a/e.js', 1],
    ['f', 9],
  ]);
  expect(sizesByFolder(contents, 2)).toEqual([
    ['f', 9],
    ['a/b', 3],
    ['a/e.js', 1],
  ]);
});
