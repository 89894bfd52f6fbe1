import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { isDeep } from './fixtures/depth.ts';
import { nodeFolder, nodeVersions } from './fixtures/packed/nodes.ts';
import {
  installWithNpm,
  type PackedProduct,
  packProduct,
  removePacked,
  startOffline,
  unpackBesideDependencies,
} from './fixtures/packed/package.ts';

const canRun = process.platform === 'linux';
if (!canRun) process.stderr.write('\n!! No Linux: the npm package is not started.\n\n');

let packed: PackedProduct;
const at = (...names: string[]) => path.join(packed.folder, ...names);
beforeAll(() => {
  execFileSync(process.execPath, ['server/build.mjs'], { cwd: repositoryRoot, stdio: 'pipe' });
  packed = packProduct();
});
afterAll(() => removePacked(packed));

test('the package contains what it needs at run time, and nothing else', () => {
  const folders = new Set(packed.files.map((name) => name.split('/').slice(0, 2).join('/')));
  expect([...folders]).toEqual([
    'LICENSE',
    'README.md',
    'dist/client',
    'dist/renderer',
    'dist/server',
    'dist/third-party',
    'package.json',
    'resources/go',
    'resources/headless',
    'resources/litestream',
    'resources/runner',
    'resources/samples',
    'resources/tofu',
  ]);
  const needless = packed.files.filter((name) => /\.map$|\.tsx?$|snapshot\.json$|\/\.\w|\.test\./.test(name));
  expect(needless).toEqual(['dist/client/index.d.ts']);
  expect(packed.bytes).toBeLessThan(8_000_000);
  const manifest = JSON.parse(readFileSync(at('package/package.json'), 'utf8')) as Record<string, object>;
  expect(manifest['scripts']).toBeUndefined();
  expect(Object.values({ ...manifest['dependencies'], ...manifest['optionalDependencies'] })).not.toContain(undefined);
});

describe.skipIf(!canRun)('an installed package', () => {
  const home = (name: string) => at('homes', name, 'Größe 家');
  const expected = { isServing: true, code: 0, statuses: [200, 200] };

  test('serves the dashboard offline, from a read-only folder with spaces and letters of other languages', () => {
    const folder = at('Größe und 日本');
    unpackBesideDependencies(packed, folder);
    const nodes = path.dirname(process.execPath);
    const command = ['node', path.join(folder, 'node_modules/.bin/groundctl'), 'start'];
    expect(startOffline({ folder, home: home('quick'), nodes, command })).toMatchObject(expected);
  });

  test.skipIf(!isDeep).each([22, 24] as const)(
    'by npm, serves the dashboard with `npx groundctl start` under Node %i',
    (major) => {
      const folder = at(`Größe und 日本 ${major}`);
      const nodes = nodeFolder(major);
      installWithNpm(packed, folder, nodes);
      const started = startOffline({ folder, home: home(`${major}`), nodes, command: ['npx', 'groundctl', 'start'] });
      expect(started).toMatchObject({ isServing: true, statuses: expected.statuses });
    },
  );

  test.skipIf(!isDeep)('prints one line with the needed version and exits with 1 under Node 20', () => {
    const folder = at('old');
    const nodes = nodeFolder(20);
    installWithNpm(packed, folder, nodes);
    const command = ['node', path.join(folder, 'node_modules/groundctl/dist/server/groundctl.js'), 'start'];
    expect(startOffline({ folder, home: home('20'), nodes, command })).toMatchObject({
      isServing: false,
      code: 1,
      output: `Ground Control needs Node 22.18 or newer, and this is v${nodeVersions[20]}. Install Node 24, and start it again.\n`,
    });
  });
});
