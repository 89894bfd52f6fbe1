import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assembleFiles, callOf, linkTo, packageFiles, packageInput } from '../../../test/copy-fixture.ts';
import { tempDir } from '../../../test/harness.ts';
import { type Files, modulePaths, scanFiles } from '../../../test/scan-fixture.ts';
import { copyLockName, type LeftOutEntry, ModuleCallError, type Resolution } from './index.ts';

let dir: string;
beforeAll(() => {
  dir = tempDir();
});
afterAll(() => fs.rmSync(dir, { recursive: true }));

const archived = (files: Files, leftOut: readonly LeftOutEntry[] = []) => packageFiles(dir, files, { leftOut });
const vpc = (version: string, files: Files) => packageInput('acme/vpc/aws', version, archived(files));
const resolution = (source: string, version: string, key: string, sub = '.'): Resolution => ({
  source,
  version,
  package: key,
  sub,
});
type Request = Parameters<typeof assembleFiles>[0];
const request = (files: Files, options: Partial<Request> = {}): Request => ({
  root: archived(files),
  entries: ['.'],
  packages: [],
  resolutions: [],
  ...options,
});
const refusalOf = async (input: Request): Promise<string> => {
  try {
    await assembleFiles(input);
    return 'assembled';
  } catch (error) {
    return error instanceof ModuleCallError ? error.code : `crashed: ${error}`;
  }
};
const lockOf = (files: Readonly<Record<string, string>>, folder = 'external-modules') =>
  JSON.parse(files[`${folder}/${copyLockName}`] as string);

describe('assemble', () => {
  const five = { 'main.tf': callOf('sub', './modules/a'), 'modules/a/main.tf': '', 'modules/b/main.tf': 'x {' };
  const root = {
    'stack/main.tf': `${callOf('v', 'acme/vpc/aws', '~> 5.0')}${callOf('l', '../lib')}`,
    'lib/main.tf': callOf('old', 'acme/vpc/aws//modules/a', '4.0.0'),
    'bad/main.tf': callOf('x', 'acme/unknown/aws'),
    'bad/readme.md': 'stays',
  };
  const whole = () =>
    request(root, {
      entries: ['stack'],
      packages: [vpc('5.1.0', five), vpc('4.0.0', { ...five, 'modules/a/x.sh': '#!', LICENSE: 'MIT' })],
      resolutions: [
        resolution('acme/vpc/aws', '~> 5.0', 'acme/vpc/aws 5.1.0'),
        resolution('acme/vpc/aws//modules/a', '4.0.0', 'acme/vpc/aws 4.0.0', 'modules/a'),
      ],
    });

  it('puts two versions side by side, and keeps configuration only where a call leads', async () => {
    const { files, leftOut, rewritten } = await assembleFiles(whole());
    expect(Object.keys(files).sort()).toEqual([
      'bad/readme.md',
      'external-modules/acme-vpc-aws-4.0.0/LICENSE',
      'external-modules/acme-vpc-aws-4.0.0/modules/a/main.tf',
      'external-modules/acme-vpc-aws-4.0.0/modules/a/x.sh',
      'external-modules/acme-vpc-aws-5.1.0/main.tf',
      'external-modules/acme-vpc-aws-5.1.0/modules/a/main.tf',
      'external-modules/copy.lock.json',
      'lib/main.tf',
      'stack/main.tf',
    ]);
    expect(rewritten).toEqual(['lib/main.tf', 'stack/main.tf']);
    expect(files['stack/main.tf']).toContain('source = "../external-modules/acme-vpc-aws-5.1.0" /* "acme/vpc/aws" */');
    expect(files['lib/main.tf']).toContain('source = "../external-modules/acme-vpc-aws-4.0.0/modules/a"');
    expect(leftOut).toEqual([
      { path: 'bad/main.tf', reason: 'not_called' },
      { package: 'acme/vpc/aws 4.0.0', path: 'main.tf', reason: 'not_called' },
      { package: 'acme/vpc/aws 4.0.0', path: 'modules/b/main.tf', reason: 'not_called' },
      { package: 'acme/vpc/aws 5.1.0', path: 'modules/b/main.tf', reason: 'not_called' },
    ]);
    expect(await modulePaths(files)).toEqual(['stack']);
  });

  it('lists each package in the lock file', async () => {
    const { files } = await assembleFiles(whole());
    expect(lockOf(files)).toMatchObject({
      formatVersion: 1,
      modules: ['stack'],
      packages: [
        {
          path: 'external-modules/acme-vpc-aws-4.0.0',
          url: 'https://modules.example.test/acme/vpc/aws/4.0.0.zip',
          version: '4.0.0',
          license: 'LICENSE',
          sources: [{ source: 'acme/vpc/aws//modules/a', constraint: '4.0.0', sub: 'modules/a' }],
        },
        { version: '5.1.0', sources: [{ source: 'acme/vpc/aws', constraint: '~> 5.0', sub: '.' }] },
      ],
    });
  });

  it('gives the same files whatever the order of packages, resolutions and archives', async () => {
    const first = whole();
    const second = whole();
    const turned = {
      ...second,
      packages: second.packages.toReversed(),
      resolutions: second.resolutions.toReversed(),
    };
    const [one, two] = [await assembleFiles(first), await assembleFiles(turned)];
    expect(Object.entries(two.files)).toEqual(Object.entries(one.files));
    expect(two.leftOut).toEqual(one.leftOut);
  });

  it('shares the folder of packages with equal files, and follows calls between packages', async () => {
    const shared = { 'main.tf': callOf('dns', 'acme/dns/aws') };
    const dns = packageInput('acme/dns/aws', '1.0.0', archived({ 'main.tf': 'locals {}\n' }));
    const input = request(
      { 'main.tf': `${callOf('a', 'acme/vpc/aws', '5.1.0')}${callOf('b', 'mirror/vpc/aws', '5.1.0')}` },
      {
        packages: [vpc('5.1.0', shared), packageInput('mirror/vpc/aws', '5.1.0', archived(shared)), dns],
        resolutions: [
          resolution('acme/vpc/aws', '5.1.0', 'acme/vpc/aws 5.1.0'),
          resolution('mirror/vpc/aws', '5.1.0', 'mirror/vpc/aws 5.1.0'),
          { source: 'acme/dns/aws', package: dns.key, sub: '.' },
        ],
      },
    );
    const { files, packagePaths } = await assembleFiles(input);
    expect(new Set(packagePaths.values())).toEqual(
      new Set(['external-modules/acme-dns-aws-1.0.0', 'external-modules/acme-vpc-aws-5.1.0']),
    );
    expect(files['external-modules/acme-vpc-aws-5.1.0/main.tf']).toContain('source = "../acme-dns-aws-1.0.0"');
    expect(lockOf(files).packages).toHaveLength(3);
    expect(await modulePaths(files)).toEqual(['.']);
  });

  it('uses a folder name that the repository does not use in any letter case', async () => {
    const files = { 'main.tf': '', 'External-Modules/x': '', 'external-modules-2': '' };
    expect(Object.keys((await assembleFiles(request(files))).files)).toContain('external-modules-3/copy.lock.json');
  });

  it('replaces links by their files, and lists links that lead outside', async () => {
    const leftOut = [linkTo('stack/versions.tf', '../versions.tf'), linkTo('all', 'lib'), linkTo('etc', '/etc')];
    const files = { 'stack/main.tf': callOf('l', '../all'), 'lib/main.tf': '', 'lib/run.sh': 'x', 'versions.tf': '' };
    const root = packageFiles(dir, files, { leftOut, executable: ['lib/run.sh'] });
    const copy = await assembleFiles({ root, entries: ['stack'], packages: [], resolutions: [] });
    expect(Object.keys(copy.files).sort()).toEqual([
      'all/main.tf',
      'all/run.sh',
      'external-modules/copy.lock.json',
      'lib/run.sh',
      'stack/main.tf',
      'stack/versions.tf',
    ]);
    expect(copy.leftOut.filter(({ reason }) => reason === 'not_a_file').map(({ path }) => path)).toEqual(['etc']);
    expect(copy.executable).toEqual(['all/run.sh', 'lib/run.sh']);
  });

  it('leaves out names that the scan refuses, tests, and lock and variable files of packages', async () => {
    const extra = {
      'terraform.d/plugins/x': '',
      'a/.terraform/modules/modules.json': '{}',
      'x.tfrc': '',
      'terraform-provisioner-evil': '',
      'tests/a.tftest.hcl': '',
      '.terraform.lock.hcl': '',
      'terraform.tfvars': '',
      'docs/x.auto.tfvars': '',
      'docs/example.tfvars': '',
    };
    const input = request(
      { 'main.tf': callOf('v', 'acme/vpc/aws', '1'), ...extra },
      {
        packages: [vpc('1', { 'main.tf': '', ...extra })],
        resolutions: [resolution('acme/vpc/aws', '1', 'acme/vpc/aws 1')],
      },
    );
    const { files, leftOut } = await assembleFiles(input);
    expect(Object.keys(files).sort()).toEqual([
      '.terraform.lock.hcl',
      'docs/example.tfvars',
      'external-modules/acme-vpc-aws-1/docs/example.tfvars',
      'external-modules/acme-vpc-aws-1/main.tf',
      'external-modules/copy.lock.json',
      'main.tf',
      'terraform.tfvars',
    ]);
    const reasons = leftOut.filter((entry) => entry.package).map(({ path, reason }) => `${path} ${reason}`);
    expect(reasons).toEqual([
      '.terraform.lock.hcl lock_file',
      'a/.terraform/modules/modules.json forbidden_name',
      'docs/x.auto.tfvars variables_file',
      'terraform-provisioner-evil forbidden_name',
      'terraform.d/plugins/x forbidden_name',
      'terraform.tfvars variables_file',
      'tests/a.tftest.hcl test_file',
      'x.tfrc forbidden_name',
    ]);
    const { discovery } = await scanFiles(files);
    expect(discovery.status).toBe('ready');
  });

  it('rewrites overrides where they set the source or the version', async () => {
    const files = {
      'main.tf': callOf('v', 'acme/old/aws', '1.0'),
      'override.tf': 'module "v" {\n  source = "acme/vpc/aws"\n}\n',
      'z_override.tf.json': '{"module": {"v": {"version": "5.1.0"}}}',
    };
    const input = request(files, {
      packages: [vpc('5.1.0', { 'main.tf': '' })],
      resolutions: [resolution('acme/vpc/aws', '5.1.0', 'acme/vpc/aws 5.1.0')],
    });
    const copy = await assembleFiles(input);
    expect(copy.rewritten).toEqual(['main.tf', 'override.tf', 'z_override.tf.json']);
    expect(await modulePaths(copy.files)).toEqual(['.']);
  });

  it('refuses a call without a resolution and a module that the tool refuses', async () => {
    expect(await refusalOf(request({ 'main.tf': callOf('v', 'acme/vpc/aws') }))).toBe('call_not_resolved');
    expect(await refusalOf(request({ 'main.tf': callOf('v', '../out') }))).toBe('module_invalid');
    const broken = {
      packages: [vpc('1', { 'main.tf': 'broken {' })],
      resolutions: [resolution('acme/vpc/aws', '1', 'acme/vpc/aws 1')],
    };
    expect(await refusalOf(request({ 'main.tf': callOf('v', 'acme/vpc/aws', '1') }, broken))).toBe('module_invalid');
  });

  it('refuses packages that call themselves or each other', async () => {
    const files = { 'main.tf': callOf('v', 'acme/vpc/aws', '1') };
    const itself = {
      packages: [vpc('1', files)],
      resolutions: [resolution('acme/vpc/aws', '1', 'acme/vpc/aws 1')],
    };
    expect(await refusalOf(request(files, itself))).toBe('module_cycle');
    const dns = packageInput('acme/dns/aws', '1', archived(files));
    const each = {
      packages: [vpc('1', { 'main.tf': callOf('d', 'acme/dns/aws', '1') }), dns],
      resolutions: [...itself.resolutions, resolution('acme/dns/aws', '1', dns.key)],
    };
    expect(await refusalOf(request(files, each))).toBe('module_cycle');
  });

  it('refuses names that a file system takes for others', async () => {
    const trees: Files[] = [
      { 'main.tf': '', 'Main.tf': '' },
      { 'main.tf': '', 'a/x': '', 'A/y': '' },
      { 'main.tf': '', '.git/config': '' },
      { 'main.tf': '', 'sub/.GIT./x': '' },
      { 'main.tf': '', 'caf\u00e9': '', 'cafe\u0301': '' },
      { 'main.tf': '', 'a\nb': '' },
      { 'main.tf': '', [`${'d/'.repeat(70)}x`]: '' },
      { 'main.tf': '', [Array(6).fill('d'.repeat(200)).join('/')]: '' },
    ];
    const codes = await Promise.all(trees.map((files) => refusalOf(request(files))));
    expect(codes).toEqual([...Array(6).fill('tree_refused'), 'tree_too_large', 'tree_too_large']);
  });

  it('names folders of packages safely whatever their address', async () => {
    const names = ['https://h.example.test/a/B.git', '../../etc', '.git', 'CON', 'con', '日本', `x${'y'.repeat(300)}`];
    const packages = names.map((name, at) => ({
      ...packageInput(name, '1', archived({ 'main.tf': `# ${at}\n` })),
      key: `${at}`,
    }));
    const input = request(
      { 'main.tf': names.map((_, at) => callOf(`m${at}`, `acme/n${at}/aws`, '1')).join('') },
      { packages, resolutions: names.map((_, at) => resolution(`acme/n${at}/aws`, '1', `${at}`)) },
    );
    const { packagePaths } = await assembleFiles(input);
    expect([...packagePaths.values()].sort()).toEqual(
      ['con-1', 'con-1-2', 'etc-1', 'h-example-test-a-b-1', 'module-1', 'module-1-2', `x${'y'.repeat(63)}-1`].map(
        (name) => `external-modules/${name}`,
      ),
    );
  });
});
