import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '#server/kernel/secret';
import { codeOf, type PackagesFixture, startPackages } from '../../../test/packages-fixture.ts';
import { zip } from '../../../test/zip.ts';
import { gitOwnerOf } from './index.ts';

let fixture: PackagesFixture;
let vpc: ReturnType<PackagesFixture['registry']['repository']>;
let commits: { first: string; second: string };

beforeAll(async () => {
  fixture = await startPackages();
  vpc = fixture.registry.repository('vpc', { 'main.tf': 'one', 'modules/endpoint/main.tf': 'endpoint' });
  const first = vpc.git('rev-parse', 'HEAD');
  vpc.git('tag', '-a', '-m', 'first', 'v1.0.0');
  vpc.git('branch', 'same');
  commits = { first, second: vpc.commit({ 'main.tf': 'two' }) };
  vpc.git('tag', 'same');
});
beforeEach(() => fixture.registry.reset());
afterAll(() => fixture.close());

const resolve = (address: string, constraint?: string) => fixture.packages.resolve({ address, constraint });
const gitAddress = (end: string) => `git::${vpc.url}${end}`;
const registryAddress = (end = '') => `${fixture.registry.host}/acme/vpc/aws${end}`;

describe('a Git address', () => {
  it('is pinned to the commit of its ref, with the folder of the call', async () => {
    expect(await resolve(gitAddress('//modules/endpoint?ref=v1.0.0'))).toEqual({
      kind: 'git',
      url: vpc.url,
      shownUrl: vpc.url,
      commit: commits.first,
      ref: 'refs/tags/v1.0.0',
      root: '.',
      sub: 'modules/endpoint',
      isPrivate: false,
    });
  });

  it.each([
    ['', 'second'],
    ['?ref=main', 'second'],
    ['?ref=refs/heads/main', 'second'],
    ['?ref=origin/main', 'second'],
    // A tag wins in a whole clone, a branch in a shallow one.
    ['?ref=same', 'second'],
    ['?ref=same&depth=1', 'first'],
  ] as const)('with the query "%s" is the %s commit', async (query, name) => {
    expect(await resolve(gitAddress(query))).toMatchObject({ commit: commits[name] });
  });

  it('accepts a whole commit id and names what is wrong with a shortened one', async () => {
    expect(await resolve(gitAddress(`?ref=${commits.first}`))).toMatchObject({ commit: commits.first });
    await expect(resolve(gitAddress(`?ref=${commits.first.slice(0, 8)}`))).rejects.toThrow(/shortened commit id/);
    expect(await codeOf(resolve(gitAddress('?ref=gone')))).toBe('ref_not_found');
  });

  it('refuses a version, as the tool does', async () => {
    expect(await codeOf(resolve(gitAddress(''), '1.0.0'))).toBe('constraint_not_allowed');
  });

  it('sends the account of an owner only for repositories of that owner', async () => {
    const account = { username: 'me', password: 'correct-horse' };
    fixture.registry.requireAccount(account);
    const owner = gitOwnerOf(vpc.url);
    const accounts = (name: string) => new Map([[name, { username: 'me', password: new Secret(account.password) }]]);
    const withAccount = (name: string) =>
      fixture.packages.resolve({ address: gitAddress(''), credentials: { gitAccounts: accounts(name) } });
    expect(await withAccount(owner)).toMatchObject({ commit: commits.second, isPrivate: true });
    expect(await codeOf(withAccount('localhost'))).toBe('credential_required');
    expect(fixture.registry.seen.filter(({ headers }) => headers.authorization).length).toBeGreaterThan(0);
    fixture.registry.seen.length = 0;
    for (const other of ['git.example.com/git', owner.replace(/[^/]*$/, 'other'), `${owner}s`])
      expect(await codeOf(withAccount(other))).toBe('credential_required');
    expect(fixture.registry.seen.some(({ headers }) => headers.authorization)).toBe(false);
  });
});

describe('a registry address', () => {
  it('is pinned to the newest version of its constraint and to the location that the registry sends', async () => {
    const { registry } = fixture;
    registry.publish('acme/vpc/aws', '1.2.9', gitAddress('?ref=v1.0.0'));
    registry.publish('acme/vpc/aws', 'v1.2.10', gitAddress('//modules?ref=v1.0.0'));
    registry.publish('acme/vpc/aws', '1.3.0-rc1', gitAddress(''));
    registry.publish('acme/vpc/aws', '2.0.0', gitAddress(''));
    registry.publish('acme/vpc/aws', 'newest', gitAddress(''));
    registry.on('/v1/modules/acme/vpc/aws/1.2.10/download', (_request, response) => {
      response.writeHead(204, { 'x-terraform-get': gitAddress('//modules?ref=v1.0.0') }).end();
    });
    const versionOf = async (constraint?: string) => (await resolve(registryAddress(), constraint)).version;
    expect(await resolve(registryAddress('//endpoint'), '~> 1.2')).toMatchObject({
      kind: 'git',
      version: '1.2.10',
      commit: commits.first,
      sub: 'modules/endpoint',
    });
    expect(await versionOf()).toBe('2.0.0');
    expect(await versionOf('1.3.0-rc1')).toBe('1.3.0-rc1');
    expect(await codeOf(versionOf('>= 1.3.0-rc1, < 2.0.0'))).toBe('version_not_found');
    expect(await codeOf(versionOf('3.0.0'))).toBe('version_not_found');
    expect(await codeOf(versionOf('latest'))).toBe('constraint_invalid');
    expect(await codeOf(resolve(`${registry.host}/acme/other/aws`))).toBe('module_not_found');
  });

  it('may lead to an archive, relative to the answer, in the body or the header', async () => {
    const { registry } = fixture;
    registry.publish('acme/vpc/aws', '1.0.0', '/files/vpc.zip//*?archive=zip');
    registry.publish('acme/vpc/aws', '1.1.0', { json: { location: '../../../../../../files/vpc.tgz' } });
    const base = { kind: 'archive', root: '.', isPrivate: false };
    expect(await resolve(registryAddress('//endpoint'), '1.0.0')).toEqual({
      ...base,
      version: '1.0.0',
      url: `${registry.url}/files/vpc.zip`,
      shownUrl: `${registry.url}/files/vpc.zip`,
      format: 'zip',
      sub: '*/endpoint',
    });
    expect(await resolve(registryAddress())).toMatchObject({ ...base, version: '1.1.0', format: 'tar.gz' });
  });

  it('may deliver the archive itself, with its token or without', async () => {
    const { registry } = fixture;
    registry.publish('acme/vpc/aws', '1.0.0', { json: { location: '/direct', use_registry_credentials: true } });
    registry.publish('acme/vpc/aws', '1.1.0', { json: { location: '/direct', use_registry_credentials: false } });
    registry.requireToken('registry-token');
    registry.on('/direct', (request, response) => {
      response.writeHead(request.headers.authorization === 'Bearer registry-token' ? 200 : 401).end(zip({ a: 'b' }));
    });
    const credentials = { registryTokens: new Map([[registry.host, new Secret('registry-token')]]) };
    const fetch = async (constraint: string) =>
      fixture.fetch(await fixture.packages.resolve({ address: registryAddress(), constraint, credentials }), {
        credentials,
      });
    expect((await fetch('1.0.0')).files).toEqual({ a: 'b' });
    expect(await codeOf(fetch('1.1.0'))).toBe('credential_required');
  });

  it('sends a token to the registry host and to no other', async () => {
    const { registry } = fixture;
    registry.publish('acme/vpc/aws', '1.0.0', `${registry.otherUrl}/files/vpc.zip`);
    registry.requireToken('registry-token');
    registry.file('vpc.zip', zip({ 'main.tf': 'zipped' }));
    const credentials = { registryTokens: new Map([[registry.host, new Secret('registry-token')]]) };
    expect(await codeOf(resolve(registryAddress()))).toBe('credential_required');
    const wrong = { registryTokens: new Map([[registry.host, new Secret('another')]]) };
    expect(await codeOf(fixture.packages.resolve({ address: registryAddress(), credentials: wrong }))).toBe(
      'credential_refused',
    );
    registry.seen.length = 0;
    const resolved = await fixture.packages.resolve({ address: registryAddress(), credentials });
    expect(resolved.isPrivate).toBe(true);
    expect((await fixture.fetch(resolved, { credentials })).files).toEqual({ 'main.tf': 'zipped' });
    const sent = registry.seen.map(({ host, headers }) => [host, headers.authorization !== undefined]);
    expect(sent).toEqual([
      [registry.host, true],
      [registry.host, true],
      [registry.host, true],
      [new URL(registry.otherUrl).host, false],
    ]);
  });
});

describe('an address that names another', () => {
  it('is looked up with ?terraform-get=1, in the header or in the page', async () => {
    const { registry } = fixture;
    const paths: string[] = [];
    registry.on('/header', (request, response) => {
      paths.push(request.url ?? '');
      response.writeHead(200, { 'x-terraform-get': gitAddress('//modules?ref=v1.0.0') }).end();
    });
    registry.on('/page', (_request, response) => {
      response.end(`<html><head><meta name="terraform-get" content='${registry.url}/header'></head></html>`);
    });
    registry.on('/twice', (_request, response) => {
      response.writeHead(200, { 'x-terraform-get': `${registry.url}/header//endpoint` }).end();
    });
    expect(await resolve(`${registry.url}/page//endpoint?x=1`)).toMatchObject({
      kind: 'git',
      commit: commits.first,
      root: 'modules',
      sub: 'endpoint',
    });
    expect(paths).toEqual(['/header?terraform-get=1']);
    expect(await resolve(`${registry.url}/twice`)).toMatchObject({ root: 'modules/endpoint', sub: '.' });
    expect((await fixture.fetchCall(`${registry.url}/page//endpoint`)).files).toEqual({
      'endpoint/main.tf': 'endpoint',
    });
  });

  it('is refused when it names none, or itself', async () => {
    const { registry } = fixture;
    registry.on('/none', (_request, response) => response.end('<head></head><meta name="terraform-get" content="x">'));
    registry.on('/self', (_request, response) => {
      response.writeHead(200, { 'x-terraform-get': `${registry.url}/self` }).end();
    });
    expect(await codeOf(resolve(`${registry.url}/none`))).toBe('package_not_found');
    expect(await codeOf(resolve(`${registry.url}/self`))).toBe('package_not_found');
    expect(await codeOf(resolve(`${registry.url}/absent`))).toBe('package_not_found');
  });
});
