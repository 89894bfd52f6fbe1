// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language under test interpolates this way
import { describe, expect, it } from 'vitest';
import { type Files, modulePaths, refusalOf, reportOf, scanFiles } from '../../../test/scan-fixture.ts';
import type { ScanRequest } from './types.ts';

const empty = 'locals {}\n';
const calls = (source: string): string => `module "m" {\n  source = "${source}"\n}\n`;

describe('candidates', () => {
  it('are the folders with configuration that nothing calls, sorted', async () => {
    const files = {
      'main.tf': calls('./modules/net'),
      'modules/net/main.tf': empty,
      'stacks/b/main.tf': calls('../../modules/dns/'),
      'stacks/a/main.tf.json': '{}',
      'modules/dns/main.tf': calls('../net'),
      'docs/readme.md': '#',
    };
    expect(await modulePaths(files)).toEqual(['.', 'stacks/a', 'stacks/b']);
  });

  it('may be none at all', async () => {
    const { discovery, reports } = await scanFiles({ 'readme.md': '#' });
    expect(discovery).toEqual({ status: 'ready', sourceSnapshotId: 'snap_1', scopePath: '.', modules: [] });
    expect(reports).toEqual([]);
  });

  it('leave out examples and tests and everything below them, whose calls hide nothing', async () => {
    const files = {
      'modules/a/main.tf': empty,
      'examples/x/main.tf': calls('../../modules/a'),
      'modules/a/tests/setup/main.tf': empty,
      'example/main.tf': empty,
      'test/unit/main.tf': empty,
    };
    expect(await modulePaths(files)).toEqual(['modules/a']);
  });

  it('are offered from a Source path inside an examples folder', async () => {
    expect(await modulePaths({ 'main.tf': empty }, { scopePath: 'examples/small' })).toEqual(['.']);
  });

  it('include modules that the manifest names, called or not', async () => {
    const files = { 'main.tf': calls('./modules/net'), 'modules/net/main.tf': empty, 'examples/x/main.tf': empty };
    const namedPaths = ['modules/net', 'examples/x', 'nowhere'];
    expect(await modulePaths(files, { namedPaths })).toEqual(['.', 'examples/x', 'modules/net']);
  });

  it('include the Source path itself even when a module calls it', async () => {
    expect(await modulePaths({ 'main.tf': empty, 'stack/main.tf': calls('../') })).toEqual(['.', 'stack']);
  });

  it('count .tofu files only with tofu', async () => {
    const files = { 'a/main.tofu': empty, 'b/main.tofu.json': '{}', 'c/main.tf': empty };
    expect(await modulePaths(files)).toEqual(['a', 'b', 'c']);
    expect(await modulePaths(files, { toolName: 'terraform', toolVersion: '1.11.4' })).toEqual(['c']);
  });

  it('do not count files that the tool never loads', async () => {
    expect(await modulePaths({ 'a/.main.tf': 'x {', 'b/main.tf~': 'x {', 'c/#main.tf#': 'x {' })).toEqual([]);
  });

  it('scan modules that they call in an examples folder', async () => {
    const discovery = await refusalOf({ 'main.tf': calls('./examples/x'), 'examples/x/main.tf': 'broken {' });
    expect(discovery.findings[0]).toMatchObject({ path: 'examples/x/main.tf', code: 'configuration_invalid' });
  });

  it('are not affected by an example that is not called', async () => {
    expect(await modulePaths({ 'main.tf': empty, 'examples/x/main.tf': 'broken {' })).toEqual(['.']);
  });
});

describe('a folder named explicitly', () => {
  const files = {
    'main.tf': calls('./modules/net'),
    'modules/net/main.tf': empty,
    'examples/x/main.tf': calls('../../'),
    'examples/y/main.tf': 'broken {',
    'tests/readme.md': '#',
  };

  it.each(['examples/x', 'modules/net'])('is scanned although the list leaves it out: %s', async (onlyPath) => {
    expect(await modulePaths(files, { onlyPath })).toEqual([onlyPath]);
    expect((await reportOf(files, { at: onlyPath, onlyPath })).level).toBe('ready');
  });

  it('is scanned with everything it calls', async () => {
    const broken = { ...files, 'modules/net/main.tf': calls('acme/vpc/aws') };
    const discovery = await refusalOf(broken, { onlyPath: 'examples/x' });
    expect(discovery.findings).toEqual([
      expect.objectContaining({ code: 'remote_module_source', path: 'modules/net/main.tf' }),
    ]);
    expect((await refusalOf(files, { onlyPath: 'examples/y' })).findings[0]?.path).toBe('examples/y/main.tf');
  });

  it('is not affected by a listed module that it does not call', async () => {
    const broken = { 'main.tf': calls('acme/vpc/aws'), 'examples/x/main.tf': empty };
    expect(await modulePaths(broken, { onlyPath: 'examples/x' })).toEqual(['examples/x']);
    expect((await refusalOf(broken, { onlyPath: '.' })).findings[0]?.code).toBe('remote_module_source');
  });

  it('is refused beside files that would change how the tool runs', async () => {
    const discovery = await refusalOf({ ...files, '.terraformrc': '' }, { onlyPath: 'examples/x' });
    expect(discovery.findings[0]?.path).toBe('.terraformrc');
  });

  it.each(['tests', 'examples', 'examples/z', '../x'])(
    'is not a module without configuration: %s',
    async (onlyPath) => {
      expect(await modulePaths(files, { onlyPath })).toEqual([]);
    },
  );

  it('reports when its configuration is only links', async () => {
    const leftOut = [{ path: 'tests/main.tf', kind: 'symlink' }];
    expect((await refusalOf(files, { leftOut, onlyPath: 'tests' })).findings[0]?.path).toBe('tests/main.tf');
  });

  it('may not lead outside the Source path', async () => {
    const discovery = await refusalOf({ 'x/main.tf': calls('../../') }, { onlyPath: 'x', scopePath: 'examples' });
    expect(discovery.findings[0]?.message).toBe(
      'The module "m" lies outside the Source path. Choose a Source path that holds both.',
    );
    const outside = await refusalOf({ 'x/main.tf': calls('../../../') }, { onlyPath: 'x', scopePath: 'examples' });
    expect(outside.findings[0]?.message).toBe(
      'The module "m" lies outside the repository. Only modules inside it are used.',
    );
  });
});

describe('merging', () => {
  it('lets a .tofu file hide the .tf file of its stem, in both syntaxes, with tofu only', async () => {
    const files = {
      'main.tf': calls('github.com/acme/a'),
      'main.tofu': empty,
      'net.tf.json': '{"module":{"n":{"source":"acme/n/aws"}}}',
      'net.tofu.json': '{}',
    };
    expect(await modulePaths(files)).toEqual(['.']);
    const discovery = await refusalOf(files, { toolName: 'terraform', toolVersion: '1.11.4' });
    expect(discovery.findings.map(({ code }) => code)).toEqual(['remote_module_source', 'remote_module_source']);
  });

  it('does not let a .tofu.json file hide a .tf file', async () => {
    expect((await refusalOf({ 'main.tf': 'broken {', 'main.tofu.json': '{}' })).reason).toBe('configuration_invalid');
  });

  it.each(['override.tf', 'a_override.tf', 'override.tofu', 'x_override.tf.json'])(
    'applies the source that %s sets',
    async (name) => {
      const json = '{"module":{"m":{"source":"acme/n/aws"}}}';
      const files = {
        'main.tf': calls('./net'),
        'net/main.tf': empty,
        [name]: name.endsWith('.json') ? json : calls('acme/n/aws'),
      };
      expect((await refusalOf(files)).findings[0]?.code).toBe('remote_module_source');
    },
  );

  it('lets the last override by name win', async () => {
    const files = {
      'main.tf': calls('acme/n/aws'),
      'a_override.tf': calls('acme/m/aws'),
      'b_override.tf': calls('./net'),
      'net/main.tf': empty,
    };
    expect(await modulePaths(files)).toEqual(['.']);
  });

  it.each([
    ['a second block of a name', { 'a.tf': 'variable "x" {}\n', 'b.tf': 'variable "x" {}\n' }],
    ['an override of nothing', { 'a.tf': empty, 'override.tf': 'variable "x" {}\n' }],
    ['cloud and backend', { 'a.tf': 'terraform {\n  cloud {}\n  backend "s3" {}\n}\n' }],
    ['two backends', { 'a.tf': 'terraform {\n  backend "s3" {}\n}\n', 'b.tf': 'terraform {\n  backend "gcs" {}\n}\n' }],
    ['two cloud blocks', { 'a.tf': 'terraform {\n  cloud {}\n}\n', 'b.tf.json': '{"terraform":[{"cloud":{}}]}' }],
    [
      'two backends in one override',
      { 'a.tf': empty, 'override.tf': 'terraform {\n  backend "s3" {}\n  backend "gcs" {}\n}\n' },
    ],
    ['two required_providers blocks', { 'a.tf': 'terraform {\n  required_providers {}\n  required_providers {}\n}\n' }],
    [
      'an invalid provider address',
      { 'a.tf': 'terraform {\n  required_providers {\n    a = { source = "a/b/c/d" }\n  }\n}\n' },
    ],
    ['a type in quotes', { 'a.tf': 'variable "x" {\n  type = "string"\n}\n' }],
    ['a type as a heredoc', { 'a.tf': 'variable "x" {\n  type = <<T\nstring\nT\n}\n' }],
    ['a language block in an override', { 'a.tf': empty, 'override.tf': 'language {}\n' }],
  ])('refuses %s', async (_name, files) => {
    expect(await refusalOf(files)).toMatchObject({ reason: 'configuration_invalid', modules: [] });
  });

  it('lets an override replace a backend by a cloud block', async () => {
    const files = { 'a.tf': 'terraform {\n  backend "s3" {}\n}\n', 'override.tf': 'terraform {\n  cloud {}\n}\n' };
    expect(await modulePaths(files)).toEqual(['.']);
  });
});

describe('module sources', () => {
  it.each([
    ['acme/vpc/aws', 'remote_module_source'],
    ['git::https://example.com/x.git//p?ref=abc', 'remote_module_source'],
    ['/etc/modules', 'remote_module_source'],
    ['net', 'remote_module_source'],
    ['.', 'remote_module_source'],
    ['./${var.x}', 'module_source_not_static'],
    ['./%{ if true }net%{ endif }', 'module_source_not_static'],
    ['./$${x}', 'module_source_not_static'],
    ['./missing', 'configuration_invalid'],
    ['./net?ref=v1', 'configuration_invalid'],
    ['../outside', 'configuration_invalid'],
    ['./net/../../outside', 'configuration_invalid'],
    ['./docs', 'configuration_invalid'],
  ])('refuses %s as %s', async (source, code) => {
    const files = { 'main.tf': calls(source), 'net/main.tf': empty, 'docs/readme.md': '#' };
    const discovery = await refusalOf(files);
    expect(discovery).toMatchObject({ reason: 'configuration_invalid', findings: [{ code, path: 'main.tf' }] });
  });

  it.each(['./net', './net/', './/net', './a/../net', '.\\\\net', './net/../net'])('follows %s', async (source) => {
    expect(await modulePaths({ 'main.tf': calls(source), 'net/main.tf': empty })).toEqual(['.']);
  });

  it('refuses a computed source in parentheses, a missing one and one with a version', async () => {
    for (const body of ['source = ("./net")', 'count = 1', 'source = "./net"\n  version = "1.0"']) {
      const files = { 'main.tf': `module "m" {\n  ${body}\n}\n`, 'net/main.tf': empty };
      expect((await refusalOf(files)).findings).toHaveLength(1);
    }
  });

  it('finds a remote source in a module that a module calls', async () => {
    const files = { 'main.tf': calls('./a'), 'a/main.tf': calls('./b'), 'a/b/main.tf': calls('acme/vpc/aws') };
    expect((await refusalOf(files)).findings).toEqual([
      expect.objectContaining({ code: 'remote_module_source', path: 'a/b/main.tf' }),
    ]);
  });

  it('names the address of a remote module without possible secrets', async () => {
    const messageOf = async (source: string) => (await refusalOf({ 'main.tf': calls(source) })).findings[0]?.message;
    expect(await messageOf('acme/vpc/aws')).toBe(
      'The module "m" comes from acme/vpc/aws. Only modules inside the repository are used: choose a folder without this call.',
    );
    const secret = await messageOf('git::https://me:hidden@example.com/x.git?token=hidden');
    expect(secret).toContain('comes from git::https://example.com/x.git. ');
    expect(secret).not.toContain('hidden');
  });

  it('names a file once: beside the message, not in it', async () => {
    const cases: [Files, Partial<ScanRequest>][] = [
      [{ 'main.tf': 'broken {' }, {}],
      [{ 'main.tf': ' '.repeat(2_097_153) }, {}],
      [{ 'main.tf': '', '.terraformrc': '' }, {}],
      [{ 'main.tf': '' }, { leftOut: [{ path: 'extra.tf', kind: 'symlink' }] }],
    ];
    for (const [files, options] of cases) {
      const { path = '?', message } = (await refusalOf(files, options)).findings[0] ?? {};
      expect(message).not.toContain(path);
    }
  });

  it('reads modules of JSON syntax at every list depth', async () => {
    const remote = '{"m": {"source": "acme/vpc/aws"}}';
    for (const text of [
      `[{"module": ${remote}}]`,
      `{"module": [${remote}]}`,
      '{"module": {"m": [{"source": "acme/vpc/aws"}]}}',
    ]) {
      expect((await refusalOf({ 'main.tf.json': text })).findings[0]?.code).toBe('remote_module_source');
    }
  });

  it('refuses a second module key in JSON, which would hide the first', async () => {
    const text = '{"module": {"m": {"source": "acme/vpc/aws"}}, "module": {}}';
    const [problem] = (await refusalOf({ 'main.tf.json': text })).findings;
    expect(problem?.message).toContain('a key appears twice');
  });

  it('refuses targets that are symlinks or submodules, or lie behind one', async () => {
    const files = { 'main.tf': calls('./lib/net') };
    for (const path of ['lib', 'lib/net']) {
      const discovery = await refusalOf(files, { leftOut: [{ path, kind: 'submodule' }] });
      expect(discovery.findings[0]?.message).toContain(`leads to ${path}, a submodule`);
    }
  });

  it('does not follow modules that call each other forever', async () => {
    const files = { 'main.tf': calls('./a'), 'a/main.tf': calls('../b'), 'b/main.tf': calls('../a') };
    expect((await refusalOf(files)).findings[0]?.message).toMatch(/in (a, b|b, a) call each other in a circle/);
    expect((await refusalOf({ 'x/main.tf': calls('../x') })).findings[0]?.message).toContain('in x call');
    expect((await refusalOf({ 'a/main.tf': calls('../b'), 'b/main.tf': calls('../a') })).reason).toBe(
      'configuration_invalid',
    );
  });
});

describe('clean scopes', () => {
  it('are the largest folders that scan without errors on their own, as repository paths', async () => {
    const files = {
      'bad/main.tf': calls('acme/vpc/aws'),
      'good/one/main.tf': empty,
      'good/two/main.tf': empty,
      'mixed/a/main.tf': empty,
      'mixed/b/main.tf': 'broken {',
      'stack/main.tf': calls('../common/net'),
      'common/net/main.tf': empty,
      'examples/x/main.tf': empty,
      'docs/readme.md': '#',
    };
    const { cleanScopes } = await refusalOf(files, { scopePath: 'infra' });
    expect(cleanScopes).toEqual(['infra/common', 'infra/examples', 'infra/good', 'infra/mixed/a']);
  });

  it('hold no forbidden file and at least one module', async () => {
    const files = { 'a/main.tf': empty, 'a/x/.terraformrc': '', 'b/main.tf': empty, 'c/examples/x/main.tf': empty };
    expect((await refusalOf(files)).cleanScopes).toEqual(['b', 'c/examples']);
  });

  it('contain no module that exceeds the limits of a report', async () => {
    const entries = Array.from({ length: 257 }, (_, index) => `p${index} = { source = "acme/p${index}" }`);
    const many = `terraform {\n  required_providers {\n${entries.join('\n')}\n  }\n}\n`;
    const files = { 'large/main.tf': many, 'small/main.tf': empty };
    expect(await refusalOf(files)).toMatchObject({ reason: 'module_limit_exceeded', cleanScopes: ['small'] });
  });

  it('are at most 32', async () => {
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`m${index}/main.tf`, empty]));
    expect((await refusalOf({ ...files, 'main.tf': 'broken {' })).cleanScopes).toHaveLength(32);
  });
});
