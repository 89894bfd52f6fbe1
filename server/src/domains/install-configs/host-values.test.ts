import { describe, expect, test } from 'vitest';
import type { InstallParts, PublicHostname } from '#shared/install-configs/parts';
import type { VariablePresentation } from '#shared/install-configs/presentation';
import type { JsonObject } from '#shared/kernel/json';
import { failedPrecondition } from '../../kernel/errors.ts';
import { settleValues } from './host-values.ts';
import { type HostnameRules, isOrigin } from './public-address.ts';

const label = { ja: 'x', en: 'x' };
const field = (name: string, more: Partial<VariablePresentation> = {}): VariablePresentation => ({
  name,
  label,
  ...more,
});
const location = { name: 'My Wiki', slug: 'my-wiki', workspaceHandle: 'team-a' };
const endpoint = (baseDomain?: string): InstallParts => ({
  variablePresentation: [
    field('url', { source: baseDomain === undefined ? 'user' : 'host' }),
    field('sub', { source: 'host', required: true }),
    field('route', { source: 'host' }),
  ],
  installExperience: {
    projections: [
      {
        kind: 'public_endpoint',
        variables: { url: 'url', subdomain: 'sub', routePattern: 'route' },
        ...(baseDomain !== undefined && { baseDomain }),
      },
    ],
  },
});
/** Nothing is proven, and every hostname is free, unless a test says otherwise. */
const rules = (more: Partial<HostnameRules> = {}): HostnameRules => ({
  requireFree: () => {},
  isProven: () => false,
  ...more,
});
type Facts = { provided?: JsonObject; existing?: JsonObject; previous?: PublicHostname; hostnames?: HostnameRules };
const settleAll = (parts: InstallParts, { provided = {}, hostnames = rules(), ...retained }: Facts = {}) =>
  settleValues({ parts, provided, location, hostnames, ...retained });
const settle = (parts: InstallParts, provided: JsonObject = {}, existing: JsonObject = {}) =>
  settleAll(parts, { provided, existing }).variables;
const refusal = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return (error as { details?: { reason?: string } }).details?.reason;
  }
};

describe('values that the server adds', () => {
  const names: InstallParts = {
    variablePresentation: [
      field('a', { source: 'capsule_name', defaultValue: { source: 'capsule_name' } }),
      field('b', {
        source: 'workspace_scoped_capsule_name',
        defaultValue: { source: 'workspace_scoped_capsule_name' },
      }),
      field('c', { source: 'module_default', defaultValue: { source: 'literal', value: 'eu' } }),
    ],
  };

  test('are names of the Capsule, and never replace a default of the module', () => {
    expect(settle(names)).toEqual({ a: 'My Wiki', b: 'team-a-my-wiki' });
  });

  test('stay the same in a later configuration, whatever names have changed since', () => {
    expect(settle(names, {}, { a: 'Old', b: 'old-name' })).toEqual({ a: 'Old', b: 'old-name' });
    const generated: InstallParts = { generatedSecrets: [{ variable: 'key', bytes: 16, encoding: 'hex' }] };
    expect(settle(generated, {}, { key: 'kept' })).toEqual({ key: 'kept' });
  });

  test.each([
    [16, 'hex', /^[0-9a-f]{32}$/],
    [64, 'hex', /^[0-9a-f]{128}$/],
    [32, 'base64url', /^[\w-]{43}$/],
  ] as const)(
    'is a secret of %i bytes in %s, different each time, unless a person enters it',
    (bytes, encoding, shape) => {
      const parts: InstallParts = { generatedSecrets: [{ variable: 'key', bytes, encoding }] };
      const [first, second] = [settle(parts), settle(parts)];
      expect(first['key']).toMatch(shape);
      expect(second['key']).not.toBe(first['key']);
      expect(settle(parts, { key: 'mine' })).toEqual({ key: 'mine' });
    },
  );

  test('follows from the address that the installer enters', () => {
    expect(settle(endpoint(), { url: 'https://wiki.example.org:8443' })).toEqual({
      url: 'https://wiki.example.org:8443',
      sub: 'wiki',
      route: 'wiki.example.org:8443/*',
    });
    const existing = { url: 'https://a.example.org', sub: 'a', route: 'a.example.org/*' };
    expect(settle(endpoint(), {}, existing)).toEqual(existing);
    expect(settle(endpoint(), { url: 'https://b.example.org' }, existing)).toEqual({
      url: 'https://b.example.org',
      sub: 'b',
      route: 'b.example.org/*',
    });
  });

  test('is refused where the module needs an address that is not configured', () => {
    expect(refusal(() => settle(endpoint()))).toBe('app_hostname_unavailable');
    const { url: _gone, ...left } = { url: '', sub: 'a', route: 'a.example.org/*' };
    expect(refusal(() => settle(endpoint(), {}, left))).toBe('app_hostname_unavailable');
  });

  test('is an address under the domain of the server, and no other', () => {
    const assigned = {
      url: 'https://my-wiki-team-a.apps.example.org',
      sub: 'my-wiki-team-a',
      route: 'my-wiki-team-a.apps.example.org/*',
    };
    expect(settle(endpoint('apps.example.org'))).toEqual(assigned);
    expect(settle(endpoint('apps.example.org'), { url: assigned.url })).toEqual(assigned);
    expect(refusal(() => settle(endpoint('apps.example.org'), { url: 'https://elsewhere.example' }))).toBe(
      'custom_domain_not_verified',
    );
  });

  test('has a host name of at most 63 characters', () => {
    const named = (length: number) => ({ ...location, slug: 'a'.repeat(length) });
    const parts = endpoint('apps.example.org');
    const at = (length: number) =>
      refusal(() => settleValues({ parts, provided: {}, location: named(length), hostnames: rules() }).variables);
    expect(at(63 - '-team-a'.length)).toMatchObject({ sub: expect.stringMatching(/^a+-team-a$/) });
    expect(at(64 - '-team-a'.length)).toBe('app_hostname_unavailable');
  });
});

describe('a hostname under a domain of the server', () => {
  const domain = 'apps.example.org';
  const parts = endpoint(domain);
  const before = { name: `old.${domain}`, baseDomain: domain };
  const oldValues = { url: `https://old.${domain}`, sub: 'old', route: `old.${domain}/*` };
  const custom = { name: 'wiki.example.net', baseDomain: domain, isCustom: true as const };
  const customValues = { url: 'https://wiki.example.net:8443', sub: 'wiki', route: 'wiki.example.net:8443/*' };
  const proven = rules({ isProven: (hostname) => hostname === 'wiki.example.net' });

  test('is recorded in the configuration', () => {
    expect(settleAll(parts).parts.publicHostname).toEqual({ name: `my-wiki-team-a.${domain}`, baseDomain: domain });
    expect(settleAll({}).parts).toEqual({});
    expect(settleAll(endpoint(), { provided: { url: 'https://wiki.example.net' } }).parts).toEqual(endpoint());
  });

  test('stays when the Capsule or its Workspace is renamed', () => {
    const { variables, parts: settled } = settleAll(parts, { existing: oldValues, previous: before });
    expect([variables, settled.publicHostname]).toEqual([oldValues, before]);
  });

  test('is the name of the Capsule alone in the mode vanity', () => {
    const vanity = { ...parts, managedPublicHostname: { mode: 'vanity' as const } };
    expect(settle(vanity)).toMatchObject({ url: `https://my-wiki.${domain}`, sub: 'my-wiki' });
    const scoped = { ...parts, managedPublicHostname: { mode: 'scoped' as const } };
    expect(settle(scoped)).toMatchObject({ sub: 'my-wiki-team-a' });
  });

  test('follows the domain of a bound Connection, and stays when it is bound no longer', () => {
    const hostnames = rules({ boundDomain: 'cloud.example.com' });
    const bound = settleAll(parts, { existing: oldValues, previous: before, hostnames });
    expect(bound.variables).toMatchObject({ url: 'https://my-wiki-team-a.cloud.example.com' });
    const without = settleAll(endpoint(), { hostnames });
    expect(without.variables).toEqual(bound.variables);
    const { publicHostname, installExperience } = without.parts;
    expect(installExperience?.projections).toMatchObject([{ baseDomain: 'cloud.example.com' }]);
    const unbound = settleAll(without.parts, {
      existing: without.variables,
      ...(publicHostname && { previous: publicHostname }),
    });
    expect(unbound.variables).toEqual(bound.variables);
  });

  test('is one that a person chose when the operator has proven it', () => {
    const provided = { url: 'https://wiki.example.net:8443' };
    expect(refusal(() => settleAll(parts, { provided }))).toBe('custom_domain_not_verified');
    const { variables, parts: settled } = settleAll(parts, { provided, hostnames: proven });
    expect([variables, settled.publicHostname]).toEqual([customValues, custom]);
  });

  test('that a person chose stays until it is removed or its proof ends', () => {
    const retained = { existing: customValues, previous: custom };
    expect(settleAll(parts, { ...retained, hostnames: proven }).variables).toEqual(customValues);
    expect(refusal(() => settleAll(parts, retained))).toBe('custom_domain_not_verified');
    const { url: _removed, ...rest } = customValues;
    expect(settleAll(parts, { existing: rest, previous: custom }).variables).toMatchObject({
      url: `https://my-wiki-team-a.${domain}`,
      route: `my-wiki-team-a.${domain}/*`,
    });
  });

  test('is not the address that was entered before the server had a domain, unless it is proven', () => {
    const existing = { url: 'https://victim-team-b.apps.example.org' };
    expect(refusal(() => settleAll(parts, { existing }))).toBe('custom_domain_not_verified');
    expect(settleAll(parts, { existing: customValues, hostnames: proven }).parts.publicHostname).toEqual(custom);
  });

  test('decides the other variables of the address, which a person cannot set differently', () => {
    const provided = { url: 'https://wiki.example.net:8443', route: 'other.example.net/*' };
    expect(refusal(() => settleAll(parts, { provided, hostnames: proven }))).toBe('custom_domain_not_verified');
  });

  test('is refused when it belongs to another service', () => {
    const taken = rules({
      requireFree: (hostname) => {
        throw failedPrecondition('app_hostname_unavailable', hostname);
      },
      isProven: () => true,
    });
    expect(refusal(() => settleAll(parts, { hostnames: taken }))).toBe('app_hostname_unavailable');
    const provided = { url: 'https://wiki.example.net' };
    expect(refusal(() => settleAll(parts, { provided, hostnames: taken }))).toBe('app_hostname_unavailable');
  });
});

test.each([
  ['https://wiki.example.org', true],
  ['http://localhost:8080', true],
  ['https://wiki.example.org/', false],
  ['https://wiki.example.org/path', false],
  ['https://WIKI.example.org', false],
  ['https://wiki.example.org:443', false],
  ['https://user@wiki.example.org', false],
  ['https://wiki.example.org?x', false],
  ['ftp://wiki.example.org', false],
  ['wiki.example.org', false],
  [7, false],
] as const)('%s as an origin: %s', (value, is) => {
  expect(isOrigin(value)).toBe(is);
});
