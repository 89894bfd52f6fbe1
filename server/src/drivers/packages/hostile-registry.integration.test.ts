import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '#server/kernel/secret';
import { codeOf, type PackagesFixture, startPackages } from '../../../test/packages-fixture.ts';
import { zip } from '../../../test/zip.ts';

let fixture: PackagesFixture;
beforeAll(async () => {
  fixture = await startPackages();
  fixture.registry.repository('vpc', { 'main.tf': 'x' });
});
beforeEach(() => fixture.registry.reset());
afterAll(() => fixture.close());

type Answer = (response: ServerResponse) => unknown;
const text =
  (body: string): Answer =>
  (response) =>
    response.end(body);
const json = (value: unknown): Answer => text(JSON.stringify(value));
const redirect =
  (location: string | (() => string)): Answer =>
  (response) =>
    response.writeHead(302, { location: typeof location === 'string' ? location : location() }).end();
const location =
  (value: string): Answer =>
  (response) =>
    response.writeHead(204, { 'x-terraform-get': value }).end();
/** Sends one block again and again, until the client closes. */
const endless =
  (block: string): Answer =>
  (response) => {
    const send = () => {
      while (!response.destroyed && response.write(block));
    };
    response.on('drain', send);
    send();
  };
const cutOff: Answer = (response) => {
  response.writeHead(200, { 'content-length': '100' });
  response.write('{"modules"', () => response.destroy());
};

const discovery = '/.well-known/terraform.json';
const versions = '/v1/modules/acme/vpc/aws/versions';
const downloadOf = '/v1/modules/acme/vpc/aws/1.0.0/download';
const resolve = () => fixture.packages.resolve({ address: `${fixture.registry.host}/acme/vpc/aws` });

const cases: readonly (readonly [what: string, path: string, code: string, answer: Answer])[] = [
  ['has no discovery document', discovery, 'registry_invalid', (response) => response.writeHead(404).end()],
  ['answers with a page', discovery, 'registry_invalid', text('<html>')],
  ['has no service for modules', discovery, 'registry_invalid', json({ 'providers.v1': '/v1/providers/' })],
  ['has a service that is an object', discovery, 'registry_invalid', json({ 'modules.v1': {} })],
  ['has a service over http', discovery, 'registry_invalid', json({ 'modules.v1': 'http://127.0.0.1/v1/' })],
  ['has a service in a file', discovery, 'registry_invalid', json({ 'modules.v1': 'file:///etc/' })],
  ['has a service with a user', discovery, 'address_not_allowed', json({ 'modules.v1': 'https://a:b@127.0.0.1/v1/' })],
  [
    'has a service at a metadata address',
    discovery,
    'address_not_allowed',
    json({ 'modules.v1': 'https://169.254.169.254/' }),
  ],
  ['has a service on a closed port', discovery, 'unreachable', json({ 'modules.v1': 'https://127.0.0.1:1/' })],
  ['sends an endless document', discovery, 'package_too_large', endless(' '.repeat(65_536))],
  ['closes in the middle', discovery, 'unreachable', cutOff],
  ['redirects to http', discovery, 'address_not_allowed', redirect('http://127.0.0.1/')],
  ['redirects to a metadata address', discovery, 'address_not_allowed', redirect('https://169.254.169.254/')],
  ['redirects to itself', discovery, 'address_not_allowed', redirect(discovery)],
  ['redirects to nothing readable', discovery, 'address_not_allowed', redirect('https://[')],
  ['is broken', discovery, 'unreachable', (response) => response.writeHead(500).end()],
  ['has too many requests', discovery, 'unreachable', (response) => response.writeHead(429).end()],
  ['has no such module', versions, 'module_not_found', (response) => response.writeHead(404).end()],
  ['lists no module', versions, 'registry_invalid', json({ modules: [] })],
  ['lists no version', versions, 'version_not_found', json({ modules: [{ versions: null }] })],
  [
    'lists only texts that are no versions',
    versions,
    'version_not_found',
    json({ modules: [{ versions: [{ version: '../../x' }] }] }),
  ],
  ['lists numbers', versions, 'registry_invalid', json({ modules: [{ versions: [{ version: 1 }] }] })],
  [
    'lists 20,001 versions',
    versions,
    'registry_invalid',
    json({ modules: [{ versions: Array(20_001).fill({ version: '1.0.0' }) }] }),
  ],
  ['sends an endless list', versions, 'package_too_large', endless('{"modules":['.repeat(10_000))],
  ['nests its list without end', versions, 'registry_invalid', text('['.repeat(1_000_000))],
  [
    'lists a version that it does not have',
    downloadOf,
    'registry_invalid',
    (response) => response.writeHead(404).end(),
  ],
  ['sends no location', downloadOf, 'registry_invalid', (response) => response.writeHead(204).end()],
  ['sends an empty location', downloadOf, 'registry_invalid', json({ location: '' })],
  ['sends a location that is a list', downloadOf, 'registry_invalid', json({ location: [] })],
  ['leads to another registry', downloadOf, 'registry_invalid', location('acme/other/aws')],
  ['leads to a path', downloadOf, 'package_not_found', location('./x')],
  ['leads to a file', downloadOf, 'address_not_supported', location('file:///etc/passwd')],
  ['leads to SSH', downloadOf, 'address_not_supported', location('git::ssh://git@github.com/a/b.git')],
  ['leads to http', downloadOf, 'address_not_supported', location('http://127.0.0.1/x.zip')],
  ['leads to an address with a password', downloadOf, 'address_invalid', location('https://me:pass@127.0.0.1/x.zip')],
  ['leads out of the package', downloadOf, 'address_invalid', location('https://127.0.0.1/x.zip//../..')],
  [
    'leads to a program of Git',
    downloadOf,
    'address_not_supported',
    location('git::ext::sh -c id'.replaceAll(' ', '%20')),
  ],
  ['leads to a metadata address of Git', downloadOf, 'package_refused', location('git::https://169.254.169.254/x.git')],
  [
    'leads to an option as a ref',
    downloadOf,
    'ref_not_found',
    (response) => location(`git::${fixture.registry.url}/git/vpc?ref=--upload-pack=id`)(response),
  ],
  [
    'delivers from a file',
    downloadOf,
    'registry_invalid',
    json({ location: 'file:///etc/passwd', use_registry_credentials: true }),
  ],
  [
    'delivers from http',
    downloadOf,
    'registry_invalid',
    json({ location: 'http://127.0.0.1/', use_registry_credentials: false }),
  ],
];

describe('a module registry is refused when it', () => {
  it.each(cases)('%s', async (_what, name, code, answer) => {
    const { registry } = fixture;
    registry.publish('acme/vpc/aws', '1.0.0', `${registry.url}/files/vpc.zip`);
    expect((await resolve()).version).toBe('1.0.0');
    registry.on(name, (_request, response) => answer(response));
    expect(await codeOf(resolve())).toBe(code);
  });
});

describe('a token', () => {
  const withToken = (host: string) => ({ registryTokens: new Map([[host, new Secret('registry-token')]]) });
  const tokenHosts = () =>
    new Set(fixture.registry.seen.filter(({ headers }) => headers.authorization).map(({ host }) => host));

  it.each([
    ['a service on another host', discovery, () => json({ 'modules.v1': `${fixture.registry.otherUrl}/v1/modules/` })],
    ['a redirect to another host', versions, () => redirect(`${fixture.registry.otherUrl}${versions}`)],
    ['a location on another host', downloadOf, () => location(`${fixture.registry.otherUrl}/files/vpc.zip`)],
    [
      'a delivery from another host',
      downloadOf,
      () => json({ location: `${fixture.registry.otherUrl}/files/vpc.zip`, use_registry_credentials: true }),
    ],
  ] as const)('is not sent elsewhere for %s', async (_what, name, answer) => {
    const { registry } = fixture;
    registry.publish('acme/vpc/aws', '1.0.0', `${registry.url}/files/vpc.zip`);
    registry.file('vpc.zip', zip({ 'main.tf': 'x' }));
    registry.on(name, (request, response) =>
      // The redirect leads to the same path of the same server under its other name.
      request.headers.host === registry.host || name !== versions
        ? answer()(response)
        : json({ modules: [{ versions: [{ version: '1.0.0' }] }] })(response),
    );
    const credentials = withToken(registry.host);
    const address = `${registry.host}/acme/vpc/aws`;
    const resolved = await fixture.packages.resolve({ address, credentials });
    expect((await fixture.fetch(resolved, { credentials })).files).toEqual({ 'main.tf': 'x' });
    expect(tokenHosts()).toEqual(new Set([registry.host]));
    expect(registry.seen.some(({ host }) => host !== registry.host)).toBe(true);
  });

  it('is not sent to a service on another host that asks for it, and the error says so', async () => {
    const { registry } = fixture;
    registry.on(discovery, (_request, response) =>
      json({ 'modules.v1': `${registry.otherUrl}/v1/modules/` })(response),
    );
    registry.requireToken('registry-token');
    const credentials = withToken(registry.host);
    const work = fixture.packages.resolve({ address: `${registry.host}/acme/vpc/aws`, credentials });
    await expect(work).rejects.toThrow(/another host, which asks for a token/);
    expect(tokenHosts()).toEqual(new Set([registry.host]));
  });

  it('is in no error', async () => {
    const { registry } = fixture;
    registry.on(discovery, (request, response) =>
      response.writeHead(302, { location: `https://[${request.headers.authorization}` }).end(),
    );
    const credentials = withToken(registry.host);
    const work = fixture.packages.resolve({ address: `${registry.host}/acme/vpc/aws`, credentials });
    await expect(work).rejects.toThrow(expect.not.stringContaining('registry-token'));
  });
});

describe('without the setting for loopback hosts', () => {
  it('nothing on this machine is contacted', async () => {
    const strict = await startPackages({ allowLoopback: false });
    try {
      const { registry, packages } = strict;
      const port = new URL(registry.url).port;
      const addresses = [
        `${registry.host}/acme/vpc/aws`,
        `git::${registry.url}/git/x`,
        `${registry.otherUrl}/files/x.zip`,
        `https://[::1]:${port}/lookup`,
        `https://[::ffff:127.0.0.1]:${port}/lookup`,
        `https://2130706433:${port}/lookup`,
        `https://localhost:${port}/lookup`,
      ];
      for (const address of addresses) {
        const work = packages.resolve({ address }).then((resolved) => strict.fetch(resolved));
        expect(await codeOf(work), address).toMatch(/^(?:address_not_allowed|package_refused)$/);
      }
      expect(registry.seen).toEqual([]);
    } finally {
      await strict.close();
    }
  });
});
