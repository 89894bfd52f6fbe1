// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language under test interpolates this way
import { describe, expect, it } from 'vitest';
import type { FindingCode } from '#shared/sources/finding-rules';
import { type Files, reportOf, scanFiles } from '../../../test/scan-fixture.ts';
import type { ScanRequest } from './types.ts';

const terraform = { toolName: 'terraform', toolVersion: '1.11.4' } as const;

/** Returns the codes of the findings, without the ones about the lock file, which most fixtures do not have. */
async function codesOf(files: Files, options: Partial<ScanRequest> = {}): Promise<FindingCode[]> {
  const { findings } = await reportOf(files, options);
  return findings.map(({ code }) => code).filter((code) => code !== 'lockfile_missing');
}

const requires = (entries: string): string => `terraform {\n  required_providers {\n${entries}\n  }\n}\n`;

/** One root with all difficult syntax, and the modules it calls. */
const busy: Files = {
  'main.tf': `# comment with { and "quotes
// slash \${nope}
/* block { "comment
   variable "fake" {} */
terraform {
  required_version = ">= 9.0" # for another tool
  required_providers {
    cloud = {
      source                = "ACME/Cloud"
      version               = "~> 5.0"
      configuration_aliases = [cloud.main, cloud.dr, ]
    }
    other-cloud = { source = "example.com:443/acme/other", version = ">= 3.0" }
    legacy     = "~> 2.0"
  }
  backend "s3" {}
}
provider "cloud" {
  alias  = "main"
  region = var.region
  assume { role = "x" }
}
provider "time" { version = "~> 0.13" }
provider "cloud" {
  for_each = toset(["a"])
  alias    = "each"
}
resource "cloud_x" "y" {
  provider = cloud.dr
  dynamic "setting" {
    for_each = [1]
    content { a = setting.value }
  }
}
resource "cloud_x" "z" { provider = other-cloud }
resource "terraform_data" "d" {}
data "TLS_certificate" "c" {}
ephemeral "random_password" "p" { length = 3 }
check "health" {
  data "http" "h" { url = "https://example.com" }
  assert {
    condition     = data.http.h.status_code == 200
    error_message = "x"
  }
}
import {
  to = module.m["a.b]"].vault_mount.x["k"]
  id = "1"
}
module "m" {
  source   = "./modules/m"
  for_each = toset(["a"])
  providers = { cloud = cloud.main }
}
`,
  'modules/m/main.tf': `terraform {
  required_providers {
    cloud = { source = "acme/cloud", version = ">= 5.1" }
  }
}
resource "cloud_x" "inner" {}
resource "null_resource" "n" {}
`,
};

describe('providers', () => {
  it('are collected over the whole graph, from every place that needs one', async () => {
    const { providerPackages } = await reportOf(busy);
    expect(providerPackages).toEqual([
      { source: 'example.com/acme/other', version: '>= 3.0' },
      { source: 'registry.opentofu.org/acme/cloud', version: '~> 5.0, >= 5.1' },
      { source: 'registry.opentofu.org/hashicorp/http' },
      { source: 'registry.opentofu.org/hashicorp/legacy', version: '~> 2.0' },
      { source: 'registry.opentofu.org/hashicorp/null' },
      { source: 'registry.opentofu.org/hashicorp/random' },
      { source: 'registry.opentofu.org/hashicorp/time', version: '~> 0.13' },
      { source: 'registry.opentofu.org/hashicorp/tls' },
      { source: 'registry.opentofu.org/hashicorp/vault' },
    ]);
  });

  it('of the root are listed by the name and alias the module gives them', async () => {
    const { rootProviderRequirements, ownProviderBlocks } = await reportOf(busy);
    const cloud = { source: 'registry.opentofu.org/acme/cloud', moduleLocalName: 'cloud', version: '~> 5.0' };
    expect(rootProviderRequirements).toEqual([
      { source: 'example.com/acme/other', moduleLocalName: 'other-cloud', version: '>= 3.0' },
      cloud,
      { ...cloud, childAlias: 'dr' },
      { ...cloud, childAlias: 'each' },
      { ...cloud, childAlias: 'main' },
      { source: 'registry.opentofu.org/hashicorp/legacy', moduleLocalName: 'legacy', version: '~> 2.0' },
      { source: 'registry.opentofu.org/hashicorp/time', moduleLocalName: 'time' },
    ]);
    expect(ownProviderBlocks).toEqual([
      { ...without(cloud), childAlias: 'each', arguments: [], forEach: true },
      { ...without(cloud), childAlias: 'main', arguments: ['assume', 'region'], forEach: false },
      { source: 'registry.opentofu.org/hashicorp/time', moduleLocalName: 'time', arguments: [], forEach: false },
    ]);
  });

  it('take the registry of the running tool', async () => {
    const files = { 'main.tf': 'resource "aws_x" "y" {}\n' };
    const { providerPackages } = await reportOf(files, terraform);
    expect(providerPackages).toEqual([{ source: 'registry.terraform.io/hashicorp/aws' }]);
  });

  it('of an override replace the whole entry', async () => {
    const files = {
      'main.tf': requires('a = { source = "acme/a", version = "1.0" }\nb = { source = "acme/b" }'),
      'override.tf': requires('a = { source = "acme/z" }'),
    };
    const { providerPackages } = await reportOf(files);
    expect(providerPackages.map(({ source }) => source.split('/').at(-1))).toEqual(['b', 'z']);
    expect(providerPackages[1]).not.toHaveProperty('version');
  });

  it('that are built in are left out', async () => {
    const report = await reportOf({
      'main.tf': `${requires('terraform = { source = "terraform.io/builtin/terraform" }')}provider "terraform" {}\n`,
    });
    expect([report.providerPackages, report.rootProviderRequirements, report.ownProviderBlocks]).toEqual([[], [], []]);
    expect(report.level).toBe('ready');
  });
});

const without = ({ version: _version, ...rest }: { version: string; source: string; moduleLocalName: string }) => rest;

describe('undeclared providers', () => {
  const passing = 'module "m" {\n  source = "./m"\n  providers = { time = time }\n}\n';
  const child = { 'm/main.tf': 'resource "time_static" "x" {}\n' };
  const nested = {
    'n/main.tf': passing.replace('./m', '../m'),
    ...child,
    'r.tf': requires('time = { source = "hashicorp/time" }'),
  };
  it.each<[string, Files, boolean]>([
    ['a default configuration nothing declares', { 'main.tf': passing, ...child }, true],
    ['one that only a resource uses', { 'main.tf': `${passing}resource "time_static" "r" {}\n`, ...child }, true],
    ['one with an empty block', { 'main.tf': `${passing}provider "time" {}\n`, ...child }, false],
    [
      'one that is required',
      { 'main.tf': passing, 'r.tf': requires('time = { source = "hashicorp/time" }'), ...child },
      false,
    ],
    [
      'an alias with a block',
      { 'main.tf': `${passing.replace('= time ', '= time.a ')}provider "time" {\n  alias = "a"\n}\n`, ...child },
      false,
    ],
    ['one a called module does not receive', { 'main.tf': 'module "n" {\n  source = "./n"\n}\n', ...nested }, true],
    [
      'one a called module receives',
      { 'main.tf': passing.replaceAll('"m"', '"n"').replace('./m', './n'), ...nested },
      false,
    ],
    ['a function', { 'main.tf': 'output "o" {\n  value = provider::time::rfc3339_parse("x").day\n}\n' }, true],
    [
      'a function in a text in a list',
      { 'main.tf': 'locals {\n  a = ["x ${1 + "${provider::time::f()}"}"]\n}\n' },
      true,
    ],
    ['a function of an alias, in JSON', { 'main.tf.json': '{"locals":{"a":"${provider::time::west::f()}"}}' }, true],
    [
      'a function of a block without requirement',
      { 'main.tf': 'provider "time" {}\nlocals {\n  a = provider::time::f()\n}\n' },
      true,
    ],
    [
      'a function of a required provider',
      { 'main.tf': `${requires('time = {}')}locals {\n  a = provider::time::f()\n}\n` },
      false,
    ],
    [
      'a text that only speaks of one',
      {
        'main.tf':
          'locals {\n  a = "provider::time::f()"\n  b = upper("provider::time::f()") # provider::time::f()\n  c = "$${provider::time::f()}"\n}\n',
      },
      false,
    ],
  ])('%s', async (_name, files, missing) => {
    const report = await reportOf(files);
    expect(report.findings.some(({ code }) => code === 'provider_not_declared')).toBe(missing);
    expect(report.level).toBe(missing ? 'needs_patch' : 'ready');
  });
});

describe('configuration_aliases', () => {
  const aliases = (list: string) => ({
    'main.tf': requires(`cloud = {\nsource = "acme/cloud"\nconfiguration_aliases = [${list}]\n}`),
  });

  it('may name the default configuration beside an alias', async () => {
    const report = await reportOf(aliases('cloud, cloud.peer'));
    expect(report.level).toBe('ready');
    expect(report.rootProviderRequirements).toMatchObject([{ moduleLocalName: 'cloud' }, { childAlias: 'peer' }]);
  });

  it.each(['other.peer', '1'])('may not hold %s', async (list) => {
    expect((await scanFiles(aliases(list))).discovery).toMatchObject({ status: 'invalid' });
  });
});

describe('tool versions', () => {
  const rule = (constraint: string): string => `terraform {\n  required_version = "${constraint}"\n}\n`;
  const language = (constraint: string): string =>
    `language {\n  compatible_with {\n    opentofu = "${constraint}"\n  }\n}\n`;
  it.each<[string, Files, Partial<ScanRequest>, string]>([
    ['tofu ignores .tf files', { 'a.tf': rule('>= 99') }, {}, 'ready'],
    ['tofu reads .tofu files', { 'a.tofu': rule('>= 99') }, {}, 'unsupported'],
    ['tofu reads its own block', { 'a.tf': language('< 1.12') }, {}, 'unsupported'],
    ['tofu accepts its own block', { 'a.tf': language('>= 1.12, < 2.0') }, {}, 'ready'],
    ['tofu refuses an invalid constraint', { 'a.tofu': rule('latest') }, {}, 'unsupported'],
    ['terraform reads .tf files', { 'a.tf': rule('~> 1.10.0') }, terraform, 'unsupported'],
    ['terraform accepts the version', { 'a.tf': rule('~> 1.10') }, terraform, 'ready'],
    ['terraform cannot read .tofu files', { 'a.tf': '', 'b.tofu': '' }, terraform, 'unsupported'],
    [
      'a called module counts',
      { 'a.tf': 'module "m" {\n  source = "./m"\n}\n', 'm/a.tofu': rule('< 1') },
      {},
      'unsupported',
    ],
  ])('%s', async (_name, files, options, level) => {
    expect((await reportOf(files, options)).level).toBe(level);
  });
});

describe('findings', () => {
  it('mention backends, cloud blocks and encryption that are replaced', async () => {
    const encryption = `terraform {
  encryption {
    key_provider "external" "k" {
      command = ["./key"]
    }
    remote_state_data_sources {
      default {
        method = method.x.y
      }
      remote_state_data_source "other" {
        method = method.x.y
      }
    }
  }
}
`;
    const report = await reportOf({ 'a.tf': 'terraform {\n  cloud {}\n}\n', 'b.tf': encryption });
    expect(report.findings.map(({ code }) => code)).toEqual([
      'external_program_present',
      'cloud_block_present',
      'encryption_overridden',
    ]);
    expect(report).toMatchObject({ level: 'ready', encryptionTargets: ['other'], encryptionDefault: true });
    expect(await codesOf(busy)).toContain('backend_overridden');
  });

  it('warn of code that runs, in called modules and removed blocks too', async () => {
    const report = await reportOf({
      'a.tf':
        'module "m" {\n  source = "./m"\n}\nremoved {\n  from = a.b\n  provisioner "remote-exec" {}\n}\ndata "external" "e" {}\n',
      'm/a.tf': 'resource "null_resource" "n" {\n  provisioner "local-exec" {}\n  provisioner "local-exec" {}\n}\n',
    });
    expect(report.provisioners.map(({ type }) => type)).toEqual(['local-exec', 'remote-exec']);
    expect(report.findings.map(({ code, path, severity }) => [code, path, severity])).toEqual([
      ['provisioner_present', 'a.tf', 'warning'],
      ['external_program_present', 'a.tf', 'warning'],
      ['provisioner_present', 'm/a.tf', 'warning'],
      ['lockfile_missing', '.', 'warning'],
    ]);
    expect(report.level).toBe('ready');
  });

  it('keep findings that a policy may raise, among many others', async () => {
    const many = Array.from({ length: 120 }, (_, index) => [
      `${index}.tf`,
      `resource "null_resource" "n${index}" {\n  provisioner "local-exec" {}\n}\n`,
    ]);
    const { findings } = await reportOf(Object.fromEntries(many));
    expect(findings.map(({ code }) => code).filter((code) => code !== 'provisioner_present')).toEqual([
      'lockfile_missing',
    ]);
    expect(findings).toHaveLength(100);
  });

  it('do not mention a provisioner that an override replaced', async () => {
    const block = (type: string) => `resource "null_resource" "n" {\n  provisioner "${type}" {}\n}\n`;
    const { provisioners } = await reportOf({ 'a.tf': block('local-exec'), 'override.tf': block('file') });
    expect(provisioners).toEqual([{ type: 'file', allowed: true }]);
  });

  it('name variable files of the root that are not read', async () => {
    const files = {
      'a.tf': '',
      'terraform.tfvars': '',
      'x.auto.tfvars.json': '',
      'prod.tfvars': '',
      'sub/terraform.tfvars': '',
    };
    const { findings } = await reportOf(files);
    expect(findings.map(({ code, path }) => [code, path])).toEqual([
      ['tfvars_ignored', 'terraform.tfvars'],
      ['tfvars_ignored', 'x.auto.tfvars.json'],
    ]);
  });

  it('ask for a lock file with digests of the registry in use', async () => {
    const lock = (address: string, hash: string) =>
      `provider "${address}" {\n  version = "1.0.0"\n  hashes = ["${hash}"]\n}\n`;
    const withLock = (text: string) => ({ 'a.tf': 'resource "time_static" "x" {}\n', '.terraform.lock.hcl': text });
    const tofu = 'registry.opentofu.org/hashicorp/time';
    const codes = async (files: Files) => (await reportOf(files)).findings.map(({ code }) => code);
    expect(await codes({ 'a.tf': 'resource "time_static" "x" {}\n' })).toEqual(['lockfile_missing']);
    expect(await codes(withLock(lock(tofu, 'h1:abc=')))).toEqual([]);
    expect(await codes(withLock(lock(tofu, 'zh:abc')))).toEqual(['lockfile_digest_missing']);
    expect(await codes(withLock(lock('registry.terraform.io/hashicorp/time', 'h1:abc=')))).toEqual([
      'lockfile_digest_missing',
    ]);
    expect(await codes({ 'a.tf': 'resource "terraform_data" "x" {}\n' })).toEqual([]);
  });
});

describe('reports', () => {
  it('count resources over the graph', async () => {
    const report = await reportOf(busy);
    expect(report.resources).toEqual([
      { type: 'cloud_x', count: 3, allowed: true },
      { type: 'null_resource', count: 1, allowed: true },
      { type: 'terraform_data', count: 1, allowed: true },
    ]);
    expect(report.dataSources.map(({ type }) => type)).toEqual(['TLS_certificate', 'http']);
  });

  it('carry a digest of the configuration they were made from', async () => {
    const digestOf = async (files: Files) => (await reportOf(files)).configurationDigest;
    const digest = await digestOf(busy);
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await digestOf({ ...busy, 'readme.md': 'x', 'modules/m/do.sh': 'x' })).toBe(digest);
    expect(await digestOf({ ...busy, 'modules/m/extra.tf': '' })).not.toBe(digest);
    expect(await digestOf({ ...busy, '.terraform.lock.hcl': '' })).not.toBe(digest);
  });
});

describe('many findings', () => {
  it('keep the ones that decide the level', async () => {
    const passing = Array.from(
      { length: 120 },
      (_, index) => `module "m${index}" {\n  source = "./m"\n  providers = { p${index} = p${index} }\n}\n`,
    );
    const report = await reportOf({
      'a.tf': passing.join(''),
      'm/a.tf': '',
      'z.tofu': 'terraform {\n  required_version = "< 1"\n}\n',
    });
    expect(report.findings).toHaveLength(100);
    expect(report.level).toBe('unsupported');
    expect(report.findings[0]?.code).toBe('tool_version_unsatisfied');
  });
});
