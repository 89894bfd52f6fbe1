// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language under test interpolates this way
import { describe, expect, it } from 'vitest';
import { modulePaths, refusalOf } from '../../../test/scan-fixture.ts';

const empty = 'locals {}\n';
const calls = (source: string): string => `module "m" {\n  source = "${source}"\n}\n`;

describe('refusals', () => {
  it.each([
    '.terraform/modules/modules.json',
    'sub/terraform.d/plugins/x',
    'terraform-provisioner-local-exec',
    'sub/.terraformrc',
    '.tofurc',
    'x.tfrc',
    'terraform.rc',
    'tofu.rc',
    'TERRAFORM.D/x',
  ])('refuse a repository that holds %s', async (path) => {
    const discovery = await refusalOf({ 'main.tf': empty, [path]: 'x' });
    expect(discovery.reason).toBe('configuration_invalid');
    expect(path.startsWith(discovery.findings[0]?.path ?? '?')).toBe(true);
  });

  it('allow similar names', async () => {
    const files = { 'main.tf': empty, '.terraform.lock.hcl': '', '.terraform-version': '1', '.terraformignore': '' };
    expect(await modulePaths(files)).toEqual(['.']);
  });

  it('name the line and the summary of a syntax error, and quote nothing', async () => {
    const discovery = await refusalOf({ 'main.tf': 'locals {\n  a = 1\n  a = "s3cret"\n}\n' });
    expect(discovery.findings[0]?.message).toBe(
      'This file cannot be read as configuration: line 3: Attribute redefined.',
    );
  });

  it.each([
    ['bytes that are not text', Buffer.from([0x61, 0xff]), 'it is not UTF-8 text'],
    ['blocks with and without labels', 'resource "a" "b" {}\nresource "a" {}\n', 'its blocks contradict each other'],
    ['lists in lists in lists', `locals {\n  a = ${'['.repeat(300)}${']'.repeat(300)}\n}\n`, 'nested too deeply'],
    ['lists beyond any stack', `locals {\n  a = ${'['.repeat(50_000)}${']'.repeat(50_000)}\n}\n`, 'nested too deeply'],
  ])('name %s', async (_name, content, message) => {
    expect((await refusalOf({ 'main.tf': content })).findings[0]?.message).toContain(message);
  });

  it('name a symlinked configuration file of a module, and ignore one elsewhere', async () => {
    const files = { 'main.tf': empty, 'examples/x/main.tf': empty };
    const leftOut = (path: string) => ({ leftOut: [{ path, kind: 'symlink' }] });
    expect((await refusalOf(files, leftOut('extra.tf'))).findings[0]).toMatchObject({ path: 'extra.tf' });
    expect(await modulePaths(files, leftOut('examples/x/extra.tf'))).toEqual(['.']);
    expect(await modulePaths(files, leftOut('readme.md'))).toEqual(['.']);
  });

  it('still read every other file after one that exhausts the parser', async () => {
    const deep = `locals {\n  a = ${'['.repeat(50_000)}${']'.repeat(50_000)}\n}\n`;
    for (const round of [1, 2, 3]) {
      const files = {
        'a/main.tf': `${deep}# ${round}\n`,
        'b/main.tf': calls(`./m${round}`),
        [`b/m${round}/main.tf`]: empty,
      };
      expect(await refusalOf(files)).toMatchObject({ findings: [{ path: 'a/main.tf' }], cleanScopes: ['b'] });
    }
  });

  it('report the kind of a configuration file that a snapshot leaves out', async () => {
    const files = { 'main.tf': empty };
    const messageOf = async (kind: string, path = 'extra.tf') =>
      (await refusalOf(files, { leftOut: [{ path, kind }] })).findings[0]?.message;
    expect(await messageOf('symlink')).toContain('This configuration file is a symbolic link, which is not part');
    expect(await messageOf('name_not_utf8', 'b\\xff.tf')).toContain('is a file whose name is not UTF-8');
    expect(await modulePaths(files, { leftOut: [{ path: 'vendored.tf', kind: 'submodule' }] })).toEqual(['.']);
  });

  it('distinguish links from an empty repository: one whose configuration is only links is invalid', async () => {
    const files = { 'readme.md': '#' };
    const leftOut = [
      { path: 'live/main.tf', kind: 'symlink' },
      { path: 'examples/x/main.tf', kind: 'symlink' },
      { path: 'notes.md', kind: 'symlink' },
    ];
    expect(await refusalOf(files, { leftOut })).toMatchObject({
      reason: 'configuration_invalid',
      findings: [{ path: 'live/main.tf', code: 'configuration_invalid' }],
      cleanScopes: [],
    });
    expect(await modulePaths(files, { leftOut: leftOut.slice(1) })).toEqual([]);
    expect(await modulePaths({ 'a/main.tf': empty }, { leftOut })).toEqual(['a']);
  });

  it('report that a called folder holds only links', async () => {
    const leftOut = [{ path: 'net/main.tf', kind: 'symlink' }];
    const [problem] = (await refusalOf({ 'main.tf': calls('./net') }, { leftOut })).findings;
    expect(problem?.message).toContain('net/main.tf is a symbolic link. It must be a regular file.');
  });

  it('name a file that would sort after generated files', async () => {
    expect((await refusalOf({ '~last_override.tf': empty })).findings[0]?.path).toBe('~last_override.tf');
    expect((await refusalOf({ 'ünder.tf': empty })).findings[0]?.path).toBe('ünder.tf');
  });

  it('stop at a file that is too large, unless it is not needed', async () => {
    const large = ' '.repeat(2_097_153);
    expect((await refusalOf({ 'main.tf': large })).reason).toBe('file_too_large');
    expect(await modulePaths({ 'main.tf': empty, 'examples/x/main.tf': large, 'data.json': large })).toEqual(['.']);
  });

  it('stop at too many modules and suggest smaller scopes', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 513 }, (_, index) => [`${index % 2 ? 'odd' : 'even'}/m${index}/main.tf`, '']),
    );
    expect(await refusalOf(files)).toMatchObject({ reason: 'module_limit_exceeded', cleanScopes: ['even', 'odd'] });
  });

  it('stop at too many configuration files', async () => {
    const files = Object.fromEntries(Array.from({ length: 16_385 }, (_, index) => [`f${index}.tf`, '']));
    expect(await refusalOf(files)).toMatchObject({ reason: 'file_limit_exceeded', findings: [], cleanScopes: [] });
  });

  it('stop at too many providers of one module', async () => {
    const entries = Array.from({ length: 257 }, (_, index) => `p${index} = { source = "acme/p${index}" }`);
    const text = `terraform {\n  required_providers {\n${entries.join('\n')}\n  }\n}\n`;
    expect(await refusalOf({ 'main.tf': text })).toMatchObject({ reason: 'module_limit_exceeded' });
  });
});
