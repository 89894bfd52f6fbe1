// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language under test interpolates this way
import { describe, expect, it } from 'vitest';
import { scanLimits } from '#shared/limits';
import { InstallModules } from '#shared/sources/module-scan';
import { timesOf } from '../../../../e2e/fixtures/depth.ts';
import { createRandom, type Random } from '../../../../e2e/fixtures/random.ts';
import { type Files, modulePaths, refusalOf, scanFiles } from '../../../test/scan-fixture.ts';
import type { ScanRequest } from './types.ts';

const long = 200_000;
const mark = 'http://127.0.0.1:9/never-asked';

/** Texts that try to hide something from the parser, to crash it or to keep it busy. */
const texts: readonly string[] = [
  '',
  '\0',
  '\ufeff',
  '{',
  '}',
  '"',
  'a = <<EOT\n',
  `# ${'x'.repeat(long)}`,
  `a = ${'('.repeat(5_000)}`,
  `a = "${'${'.repeat(5_000)}"`,
  `a = "${'%{if true}'.repeat(2_000)}"`,
  `a = ${'!'.repeat(20_000)}true`,
  `a = 1${'0'.repeat(10_000)}`,
  `a = "${'provider::'.repeat(20_000)}x"`,
  `import {\n  to = ${'module.a["'.repeat(20_000)}\n  id = "x"\n}`,
  `import {\n  to = "${'module.m.'.repeat(20_000)}a_b.c"\n  id = "x"\n}`,
  `resource "${'a_'.repeat(10_000)}" "b" {\n  provider = ${'a.'.repeat(10_000)}b\n}`,
  'terraform {\n  required_providers {\n    __proto__ = { source = "a/b" }\n    constructor = { source = "a/c" }\n  }\n}',
  'variable "__proto__" {\n  default = { __proto__ = 1, constructor = { prototype = 2 } }\n}',
  'variable "toString" {}\noutput "hasOwnProperty" {\n  value = 1\n}',
  'provider "__proto__" {\n  alias = "constructor"\n}\nresource "constructor_x" "y" {}',
  'module "__proto__" {\n  source = "./__proto__"\n}',
  'module "m" {\n  source = "./../../../../../../etc"\n}',
  'module "m" {\n  source = "./\u0000"\n}',
  'module "m" {\n  source = "."\n}',
  `module "m" {\n  source = "./${'a/../'.repeat(20_000)}a"\n}`,
  `module "m" {\n  source = "./a"\n  providers = { ${'a = b, '.repeat(5_000)} }\n}`,
  `terraform {\n  required_version = "${'>= 1, '.repeat(20_000)}"\n}`,
  `terraform {\n  required_providers {\n    a = { source = "${'a/'.repeat(20_000)}" }\n  }\n}`,
  `variable "x" {\n  type = ${'list('.repeat(150)}string${')'.repeat(150)}\n}`,
  `variable "x" {\n  type = "${'list('.repeat(20_000)}"\n}`,
];
const jsonTexts: readonly string[] = [
  '{"__proto__": {"module": {"m": {"source": "./a"}}}}',
  '{"module": {"__proto__": {"source": "./a"}}}',
  `${'['.repeat(50_000)}`,
  `{"a":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_001)}`,
  '{"variable": {"x": {"default": 1e999999999}}}',
  `{"variable": {"x": {"default": 0.${'1'.repeat(long)}}}}`,
  '{"\\u006dodule": {"m": {"source": "./a"}}}',
  '{"locals": {"a": "${provider::a::b("}}',
  '{"resource": [[[{"a_b": {"c": {}}}]]], "output": 7, "module": "x", "terraform": [null, 1]}',
];
const names = ['main.tf', 'a.tofu', 'a.tf', 'override.tf', 'x_override.tofu', 'ünï.tf', '~z.tf', '__proto__.tf'];
const jsonNames = ['main.tf.json', 'a.tofu.json', 'b_override.tf.json'];
const folders = [
  '',
  'a/',
  'a/b/',
  'examples/',
  'examples/x/',
  'tests/',
  '__proto__/',
  'constructor/',
  'deep/'.repeat(40),
];
const kinds = ['symlink', 'submodule', 'name_not_utf8'];
/** Ways to name a module on a server, in native and in JSON syntax. */
const remotes: readonly [string, string][] = [
  ['main.tf', `module "far" {\n  source = "${mark}/m.zip"\n}\n`],
  ['main.tf', `/* { */ module far {\n  source = <<-EOT\n    ${mark}\n  EOT\n}\n`],
  ['main.tf.json', `{"module": [{"far": [{"source": "${mark}/m.zip"}]}]}`],
  ['main.tf.json', `[{"\\u006dodule": {"far": {"so\\u0075rce": "git::${mark}"}}}]`],
  ['main.tofu', `module "far" {\n  source  = "acme/far/x"\n  version = "1.0"\n}\n`],
  ['main.tf', 'module "far" {\n  source = "./${lower("A")}"\n}\n'],
];

const pick = <T>(random: Random, all: readonly T[]): T => all[random.below(all.length)] as T;

function forge(random: Random): { files: Files; leftOut: ScanRequest['leftOut']; isFar: boolean } {
  const files: Record<string, string | Buffer> = {};
  for (let count = 1 + random.below(6); count > 0; count -= 1) {
    const isJson = random.below(3) === 0;
    const text = `${pick(random, isJson ? jsonTexts : texts)}${isJson ? '' : '\n'}`;
    const at = `${pick(random, folders)}${pick(random, isJson ? jsonNames : names)}`;
    files[at] = random.below(8) === 0 ? Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xc0])]) : text;
  }
  const leftOut = Array.from({ length: random.below(3) }, () => ({
    path: `${pick(random, folders)}${pick(random, names)}.link.tf`,
    kind: pick(random, kinds),
  }));
  const isFar = random.below(3) === 0;
  if (isFar) {
    // Alone in a folder, so that no other file hides or breaks it.
    const [name, text] = pick(random, remotes);
    files[`far/${name}`] = text;
  }
  return { files, leftOut, isFar };
}

describe('malicious archives', () => {
  const times = timesOf({ quick: 20, deep: 3_000 });
  it(`give a valid result, and never a list that hides a remote module, ${times} times`, async () => {
    const random = createRandom();
    for (let round = 0; round < times; round += 1) {
      const { files, leftOut, isFar } = forge(random);
      const message = `seed ${random.seed}, round ${round}: ${Object.keys(files)}`;
      const { discovery, reports } = await scanFiles(files, { leftOut });
      expect(InstallModules.safeParse(discovery).error, message).toBeUndefined();
      if (isFar) expect(discovery.status, message).toBe('invalid');
      if (discovery.status === 'ready') expect(reports, message).toHaveLength(discovery.modules.length);
      else {
        expect([reports, discovery.findings.length <= scanLimits.findings], message).toEqual([[], true]);
        for (const scope of discovery.cleanScopes) await expectClean(files, leftOut, scope, message);
      }
    }
  }, 120_000);
});

/** Checks that an offered folder scans without errors when it is chosen. */
async function expectClean(
  files: Files,
  leftOut: ScanRequest['leftOut'],
  scope: string,
  message: string,
): Promise<void> {
  const inner = <T>(entries: readonly (readonly [string, T])[]): [string, T][] =>
    entries.flatMap(([at, value]) => (at.startsWith(`${scope}/`) ? [[at.slice(scope.length + 1), value]] : []));
  const narrowedLeftOut = inner(leftOut.map(({ path, kind }) => [path, kind] as const)).map(([path, kind]) => ({
    path,
    kind,
  }));
  const narrowed = { scopePath: scope, leftOut: narrowedLeftOut };
  const { discovery } = await scanFiles(Object.fromEntries(inner(Object.entries(files))), narrowed);
  expect([discovery.status, discovery.modules.length > 0], `${message}, narrowed to ${scope}`).toEqual(['ready', true]);
}

describe('large trees', () => {
  const empty = 'locals {}\n';
  it('of thousands of folders are read, and narrowed to the folders beside a broken one', async () => {
    const files: Record<string, string> = { 'broken/main.tf': 'x {' };
    for (let index = 0; index < 2_000; index += 1) {
      files[`team-${index % 20}/svc-${index}/docs/readme.md`] = '#';
      files[`team-${index % 20}/modules/m-${index}/main.tf`] = empty;
    }
    for (let team = 0; team < 20; team += 1) {
      const calls = Array.from({ length: 100 }, (_, index) => {
        const source = `./modules/m-${index * 20 + team}`;
        return `module "m${index}" {\n  source = "${source}"\n}\n`;
      });
      files[`team-${team}/main.tf`] = calls.join('');
    }
    const discovery = await refusalOf(files);
    expect(discovery.cleanScopes).toEqual(Array.from({ length: 20 }, (_, team) => `team-${team}`).sort());
    const { 'broken/main.tf': _broken, ...whole } = files;
    expect(await modulePaths(whole)).toEqual(discovery.cleanScopes);
  }, 60_000);

  it('whose folders all call one large module are scanned without following it from each of them', async () => {
    const files: Record<string, string> = { 'broken/main.tf': 'x {' };
    const leaves = Array.from({ length: 1_000 }, (_, index) => index);
    for (const index of leaves) {
      files[`leaf/l-${index}/main.tf`] = empty;
      files[`caller/c-${index}/main.tf`] = 'module "hub" {\n  source = "../../hub"\n}\n';
    }
    files['hub/main.tf'] = leaves.map((index) => `module "l${index}" {\n  source = "../leaf/l-${index}"\n}\n`).join('');
    const discovery = await refusalOf(files);
    expect(discovery.cleanScopes).toHaveLength(scanLimits.cleanScopes);
    expect(discovery.cleanScopes.every((scope) => scope.startsWith('leaf/'))).toBe(true);
  }, 60_000);
});
