import { describe, expect, it } from 'vitest';
import { parseModuleAddress } from './module-address.ts';

const registry = (host: string, sub = '.') => ({
  kind: 'registry',
  host,
  namespace: 'terraform-aws-modules',
  name: 'vpc',
  system: 'aws',
  sub,
});
const git = (url: string, more: object = {}) => ({ kind: 'git', url, isShallow: false, sub: '.', ...more });
const archive = (url: string, format: string, more: object = {}) => ({
  kind: 'archive',
  url,
  format,
  sub: '.',
  ...more,
});
const lookup = (url: string, sub = '.') => ({ kind: 'lookup', url, sub });
const sha256 = 'ab'.repeat(32);

describe('parseModuleAddress', () => {
  it.each([
    ['./modules/a', './modules/a'],
    ['../a//b/', '../a/b'],
    ['.\\a\\..\\b', './b'],
    ['./../a', '../a'],
  ])('reads the path %s', (text, path) => {
    expect(parseModuleAddress(text)).toEqual({ kind: 'local', path });
  });

  it.each([
    ['terraform-aws-modules/vpc/aws', registry('registry.opentofu.org')],
    ['terraform-aws-modules/vpc/aws//modules/endpoints', registry('registry.opentofu.org', 'modules/endpoints')],
    ['terraform-aws-modules/vpc/aws///modules//x/', registry('registry.opentofu.org', 'modules/x')],
    ['App.Terraform.io/terraform-aws-modules/vpc/aws', registry('app.terraform.io')],
    ['registry.example.com:8443/terraform-aws-modules/vpc/aws//a', registry('registry.example.com:8443', 'a')],
    ['registry.example.com:443/terraform-aws-modules/vpc/aws', registry('registry.example.com')],
    ['例え.example/terraform-aws-modules/vpc/aws', registry('xn--r8jz45g.example')],
    ['gitlab.com/terraform-aws-modules/vpc/aws', registry('gitlab.com')],
  ])('reads the registry address %s', (text, expected) => {
    expect(parseModuleAddress(text)).toEqual(expected);
  });

  it.each([
    ['github.com/acme/net', git('https://github.com/acme/net.git')],
    ['github.com/acme/net.git//a/b?ref=v1', git('https://github.com/acme/net.git', { sub: 'a/b', ref: 'v1' })],
    ['github.com/acme/net/a/b?ref=v1', git('https://github.com/acme/net.git', { sub: 'a/b', ref: 'v1' })],
    ['github.com/acme/net/a//b', git('https://github.com/acme/net.git', { sub: 'a/b' })],
    ['bitbucket.org/acme/net', git('https://bitbucket.org/acme/net.git')],
    ['git::https://example.com/net.git', git('https://example.com/net.git')],
    [
      'git::https://example.com/net.git?depth=1&ref=a%2Fb',
      git('https://example.com/net.git', { isShallow: true, ref: 'a/b' }),
    ],
    ['git::https://example.com/a/net/?ref=', git('https://example.com/a/net')],
    ['git::https://example.com/net.git//*/x', git('https://example.com/net.git', { sub: '*/x' })],
    ['git::github.com/acme/net', git('https://github.com/acme/net.git')],
  ])('reads the Git address %s', (text, expected) => {
    expect(parseModuleAddress(text)).toEqual(expected);
  });

  it.each([
    ['https://example.com/a.zip', archive('https://example.com/a.zip', 'zip')],
    ['https://example.com/a.tar.gz//net', archive('https://example.com/a.tar.gz', 'tar.gz', { sub: 'net' })],
    ['https://example.com/a.tgz?token=x', archive('https://example.com/a.tgz?token=x', 'tar.gz')],
    ['https://example.com/a//*?archive=tar.gz&b=1', archive('https://example.com/a?b=1', 'tar.gz', { sub: '*' })],
    [
      `https://example.com/a.zip?checksum=sha256:${sha256.toUpperCase()}`,
      archive('https://example.com/a.zip', 'zip', { checksum: { algorithm: 'sha256', value: sha256 } }),
    ],
    [
      `https://example.com/a.zip?checksum=${'0'.repeat(32)}`,
      archive('https://example.com/a.zip', 'zip', { checksum: { algorithm: 'md5', value: '0'.repeat(32) } }),
    ],
    ['https://example.com/a', lookup('https://example.com/a')],
    ['https://example.com/a.zip?archive=false', lookup('https://example.com/a.zip')],
    ['https://example.com/vpc//net?x=1', lookup('https://example.com/vpc?x=1', 'net')],
    // A URL in the query divides nothing.
    ['https://example.com/a.zip?from=https://b//c', archive('https://example.com/a.zip?from=https://b//c', 'zip')],
  ])('reads the HTTPS address %s', (text, expected) => {
    expect(parseModuleAddress(text)).toEqual(expected);
  });

  it.each([
    ['git@github.com:acme/net.git//a?ref=v1', 'git::https://github.com/acme/net.git//a?ref=v1'],
    ['git::ssh://git@gitlab.com/acme/net.git', 'git::https://gitlab.com/acme/net.git'],
    ['ssh://git@bitbucket.org/acme/net.git', 'git::https://bitbucket.org/acme/net.git'],
    ['git::git@github.com:acme/net.git?depth=1&ref=v1', 'git::https://github.com/acme/net.git?ref=v1'],
    ['git::ssh://git@ssh.dev.azure.com/v3/org/proj/net?ref=a', 'git::https://dev.azure.com/org/proj/_git/net?ref=a'],
    ['git@git.example.com:acme/net.git', undefined],
    ['git::deploy@git.example.com:acme/net.git', undefined],
  ])('refuses %s and names the https form of a known host', (text, httpsForm) => {
    const address = parseModuleAddress(text);
    expect(address).toMatchObject({ kind: 'refused', code: 'address_not_supported' });
    expect(address).toHaveProperty('message', expect.stringContaining('Git over SSH'));
    expect('httpsForm' in address ? address.httpsForm : undefined).toBe(httpsForm);
  });

  it.each([
    ['s3::https://s3.amazonaws.com/bucket/a.zip', 'S3'],
    ['bucket.s3.amazonaws.com/a.zip', 'S3'],
    ['gcs::https://www.googleapis.com/storage/v1/b/a.zip', 'Google Cloud Storage'],
    ['www.googleapis.com/storage/v1/b/a.zip', 'Google Cloud Storage'],
    ['hg::https://example.com/a', 'Mercurial'],
    ['oci://example.com/a', 'OCI'],
    ['file:///srv/module', 'folder of one machine'],
    ['/srv/module', 'folder of one machine'],
    ['git::file:///srv/module', 'folder of one machine'],
    ['git::http://example.com/a.git', 'http://'],
    ['http://example.com/a.zip', 'http://'],
    ['https://example.com/a.tar.xz', 'format'],
    ['https://example.com/a.zip?checksum=file:https://example.com/sums', 'checksum'],
    ['https://example.com/a.zip?checksum=sha256:ab', 'checksum'],
    ['git::https://example.com/a.git?sshkey=abc', 'SSH key'],
    ['git::https://example.com/a.git?archive=zip', 'ref and depth'],
    ['foo::https://example.com/a', 'kind'],
  ])('refuses %s, which is not supported', (text, word) => {
    const address = parseModuleAddress(text);
    expect(address).toMatchObject({ kind: 'refused', message: expect.stringContaining(word) });
  });

  it.each([
    '',
    ' ',
    'modules/a',
    'a',
    'example.com/a/b',
    'github.com/acme',
    'xn--a.example/acme/net/aws',
    'localhost/acme/net/aws',
    'acme/net/AWS',
    'terraform-aws-modules/vpc/aws//../x',
    'git::https://example.com/a.git//..',
    'git::https://example.com/a.git//a/../../b',
    'https://me:pass@example.com/a.zip',
    'git::https://me@example.com/a.git',
    'https://example.com/a.zip#part',
    'https://example.com/a?checksum=sha256:ab',
    'git::https://',
    'https://example.com/a b.zip',
    'a\u0000b/c/d',
    `https://example.com/${'a'.repeat(5_000)}.zip`,
  ])('refuses %j without repeating it', (text) => {
    const address = parseModuleAddress(text);
    expect(address.kind).toBe('refused');
    expect('message' in address && text.length > 9 && address.message.includes(text)).toBe(false);
  });
});
