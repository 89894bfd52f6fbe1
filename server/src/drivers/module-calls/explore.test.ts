// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language under test interpolates this way
import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callOf, linkTo, packageFiles, parse } from '../../../test/copy-fixture.ts';
import { tempDir } from '../../../test/harness.ts';
import type { Files } from '../../../test/scan-fixture.ts';
import { type ExploreRequest, explore, type LeftOutEntry } from './index.ts';

let dir: string;
beforeAll(() => {
  dir = tempDir();
});
afterAll(() => fs.rmSync(dir, { recursive: true }));

type Options = Partial<Omit<ExploreRequest, 'files'>> & { leftOut?: readonly LeftOutEntry[] };
const explored = (files: Files, { leftOut = [], ...options }: Options = {}) => {
  const request = { toolName: 'tofu', entries: ['.'], isRoot: true, ...options } as const;
  return explore({ files: packageFiles(dir, files, { leftOut }), ...request }, parse);
};
const problemPaths = async (files: Files, options?: Options) =>
  (await explored(files, options)).problems.map(({ path }) => path);

describe('explore', () => {
  it('follows local calls and returns the remote ones with line and constraint', async () => {
    const files = {
      'main.tf': `${callOf('net', './modules/net')}\n${callOf('vpc', 'acme/vpc/aws', '~> 5.0')}`,
      'modules/net/main.tf': callOf('dns', '../dns'),
      'modules/dns/main.tf.json':
        '{"module": {"zone": {\n"source": "git::https://example.test/zone.git//sub?ref=v1"}}}',
      'modules/unused/main.tf': 'broken {',
      'license.md': 'text',
    };
    expect(await explored(files)).toEqual({
      reached: ['.', 'modules/dns', 'modules/net'],
      remoteCalls: [
        { folder: '.', file: 'main.tf', line: 6, name: 'vpc', source: 'acme/vpc/aws', version: '~> 5.0' },
        {
          folder: 'modules/dns',
          file: 'modules/dns/main.tf.json',
          line: 2,
          name: 'zone',
          source: 'git::https://example.test/zone.git//sub?ref=v1',
        },
      ],
      problems: [],
      programs: [],
      license: 'license.md',
    });
  });

  it('merges override files: each may hold the source or the version', async () => {
    const files = {
      'main.tf': 'module "m" {\n  source = "acme/old/aws"\n  version = "1.0"\n}\n',
      'a_override.tf': 'module "m" {\n  version = "2.0"\n}\n',
      'override.tf': '\n\nmodule "m" {\n  source = "acme/new/aws"\n}\n',
    };
    const { remoteCalls } = await explored(files);
    expect(remoteCalls).toEqual([
      { folder: '.', file: 'override.tf', line: 4, name: 'm', source: 'acme/new/aws', version: '2.0' },
    ]);
  });

  it('reads .tofu files with OpenTofu only', async () => {
    const files = { 'main.tf': callOf('a', 'acme/a/aws'), 'main.tofu': callOf('b', 'acme/b/aws') };
    const names = async (toolName: 'tofu' | 'terraform') =>
      (await explored(files, { toolName })).remoteCalls.map(({ name }) => name);
    expect([await names('tofu'), await names('terraform')]).toEqual([['b'], ['a']]);
  });

  it('names the blocks that run programs', async () => {
    const files = {
      'main.tf': 'resource "null_resource" "x" {\n  provisioner "local-exec" {\n    command = "id"\n  }\n}\n',
      'data.tf': 'data "external" "y" {\n  program = ["id"]\n}\n',
    };
    expect((await explored(files)).programs).toEqual([
      { file: 'main.tf', block: 'null_resource.x', program: 'local-exec' },
      { file: 'data.tf', block: 'data.external.y', program: 'external' },
    ]);
  });

  it('follows links inside the package', async () => {
    const files = { 'main.tf': callOf('m', './linked'), 'real/main.tf': callOf('n', 'acme/n/aws') };
    const leftOut = [linkTo('linked', 'real'), linkTo('extra.tf', 'real/main.tf')];
    const { reached, remoteCalls, problems } = await explored(files, { leftOut });
    expect([reached, problems]).toEqual([['.', 'linked'], []]);
    expect(remoteCalls.map(({ file }) => file)).toEqual(['extra.tf', 'linked/main.tf']);
  });

  it('reports links of reached configuration that lead outside, and no others', async () => {
    const files = { 'main.tf': callOf('m', './gone'), 'docs/x': '' };
    const leftOut = [linkTo('gone', '../elsewhere'), linkTo('docs/y', '/etc/passwd'), linkTo('up.tf', '../up.tf')];
    expect(await problemPaths(files, { leftOut })).toEqual(['up.tf', 'main.tf']);
  });

  it('reports what no copy can solve', async () => {
    const cases: [Files, string][] = [
      [{ 'main.tf': callOf('m', '../out') }, 'main.tf'],
      [{ 'main.tf': callOf('m', './missing') }, 'main.tf'],
      [{ 'main.tf': callOf('m', 'acme/${var.x}/aws') }, 'main.tf'],
      [{ 'main.tf': callOf('m', 'acme/x/aws', '${var.v}') }, 'main.tf'],
      [{ 'main.tf': callOf('m', './.terraform/x'), '.terraform/x/main.tf': '' }, '.terraform/x'],
      [{ 'main.tf': callOf('m', './a'), 'a/main.tf': 'broken {' }, 'a/main.tf'],
      [{ 'main.tf': 'module "m" {}\n' }, 'main.tf'],
      [{ 'readme.md': '' }, '.'],
    ];
    for (const [files, path] of cases) expect(await problemPaths(files), JSON.stringify(files)).toEqual([path]);
  });

  it('reports modules that call themselves or each other', async () => {
    const itself = await explored({ 'a/main.tf': callOf('m', '../a') }, { entries: ['a'] });
    expect(itself.problems).toMatchObject([{ path: 'a', message: expect.stringContaining('in a circle') }]);
    const each = { 'a/main.tf': callOf('m', '../b'), 'b/main.tf': callOf('m', '../a') };
    expect((await explored(each, { entries: ['a'] })).problems).toHaveLength(1);
  });

  it('reads a broken lock file of the repository only', async () => {
    const files = { 'main.tf': '', '.terraform.lock.hcl': 'broken {' };
    expect(await problemPaths(files)).toEqual(['.terraform.lock.hcl']);
    expect(await problemPaths(files, { isRoot: false })).toEqual([]);
  });
});
