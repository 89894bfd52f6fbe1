import { describe, expect, test } from 'vitest';
import type { InstallParts } from '#shared/install-configs/parts';
import type { VariablePresentation } from '#shared/install-configs/presentation';
import type { JsonObject } from '#shared/kernel/json';
import { isOrigin, settleValues } from './host-values.ts';

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
const settle = (parts: InstallParts, provided: JsonObject = {}, existing: JsonObject = {}) =>
  settleValues({ parts, provided, existing, location });
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
    const before = { url: 'https://old.apps.example.org', sub: 'old', route: 'old.apps.example.org/*' };
    expect(settle(endpoint('apps.example.org'), {}, before)).toEqual(before);
  });

  test('has a host name of at most 63 characters', () => {
    const named = (length: number) => ({ ...location, slug: 'a'.repeat(length) });
    const parts = endpoint('apps.example.org');
    const at = (length: number) => refusal(() => settleValues({ parts, provided: {}, location: named(length) }));
    expect(at(63 - '-team-a'.length)).toMatchObject({ sub: expect.stringMatching(/^a+-team-a$/) });
    expect(at(64 - '-team-a'.length)).toBe('app_hostname_unavailable');
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
