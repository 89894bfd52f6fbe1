import { describe, expect, test } from 'vitest';
import {
  all,
  base,
  type Change,
  compiled,
  declare,
  inputs,
  only,
  partsOf,
  set,
  strangeModule,
  variables,
} from '../../../test/compile-fixture.ts';
import { building, endpoint, generated, variableInput } from '../../../test/manifest-fixture.ts';

describe('a compiled manifest', () => {
  const shownOf = (change: Change, name: string) =>
    partsOf(change).variablePresentation?.find((one) => one.name === name);

  test('contains everything that the manifest requests, in its order', () => {
    const parts = partsOf();
    expect(parts.variablePresentation?.map(({ name, source: from }) => `${name} ${from}`)).toEqual([
      'title user',
      'password user',
      'slug capsule_name',
      'region module_default',
      'session_key host',
      'url user',
      'sub host',
      'issuer host',
      'accounts host',
      'client host',
      'redirect host',
    ]);
    expect(parts.installExperience).toEqual({
      projections: [
        { kind: 'service_name', variable: 'title' },
        { kind: 'initial_secret', variable: 'password' },
        { kind: 'public_endpoint', variables: { subdomain: 'sub', url: 'url' } },
        {
          kind: 'oidc_client',
          variables: { issuerUrl: 'issuer', accountsUrl: 'accounts', clientId: 'client', redirectUri: 'redirect' },
          callbackPath: '/auth/callback',
          scopes: ['openid', 'email'],
        },
      ],
      features: [{ id: 'login', label: { ja: '名前', en: 'Name' }, optional: true, inputs: ['password'] }],
      repositoryInstallUx: { status: 'accepted' },
    });
    expect(parts.generatedSecrets).toEqual([{ variable: 'session_key', bytes: 32, encoding: 'base64url' }]);
    expect(parts.requiredInterfaces).toEqual([
      {
        key: 'search',
        type: 'mcp.server',
        version: '2025-11-25',
        permissions: ['mcp.invoke'],
        deliveryType: 'oauth2',
      },
    ]);
    expect(parts.outputAllowlist).toEqual({ app_url: { from: 'app_url', type: 'url' } });
    expect(parts.interfaceBlueprints).toMatchObject([
      {
        key: 'ui',
        spec: {
          inputs: {
            uri: { source: 'capsule_output', outputName: 'app_url' },
            color: { source: 'literal', value: '#fff' },
          },
          access: { visibility: 'workspace', resourceUriInput: 'uri' },
        },
        bindings: [{ key: 'me', subject: { source: 'installing_principal' }, permissions: ['ui.open'] }],
      },
    ]);
    expect(parts.sourceBuild).toEqual(building);
  });

  test('adds only required variables that the manifest does not mention', () => {
    const parts = partsOf(all(only([variableInput('title')]), declare('quiet', { hasDefault: true })));
    const added = parts.variablePresentation?.filter(({ name }) => name !== 'title');
    expect(added?.every(({ source: from, required }) => from === 'user' && required)).toBe(true);
    expect(added?.map(({ name }) => name)).not.toContain('quiet');
    expect(added?.map(({ name }) => name)).not.toContain('region');
    expect(added).toHaveLength(variables.length - 2);
  });

  test('requires variables without a default, unless the manifest or a generated value says otherwise', () => {
    expect(shownOf(only([variableInput('title')]), 'title')?.required).toBe(true);
    expect(shownOf(only([variableInput('region')]), 'region')?.required).toBe(false);
    expect(shownOf(only([variableInput('region', { required: true })]), 'region')?.required).toBe(true);
    const shared = only([variableInput('session_key')], [generated('session_key')]);
    expect(shownOf(shared, 'session_key')).toMatchObject({
      source: 'user',
      required: false,
      secret: true,
      generated: true,
    });
  });

  test('hides values that the manifest, the module or a requirement marks as secret', () => {
    expect(shownOf(only([variableInput('title', { secret: true })]), 'title')?.secret).toBe(true);
    expect(shownOf(only([variableInput('title', { role: 'initial_secret' })]), 'title')?.secret).toBe(true);
    expect(shownOf(all(declare('title', { sensitive: true }), only([variableInput('title')])), 'title')?.secret).toBe(
      true,
    );
    expect(shownOf(all(declare('title', { sensitive: true }), only([])), 'title')?.secret).toBe(true);
    expect(shownOf(only([variableInput('title')]), 'title')).not.toHaveProperty('secret');
  });

  test('gives a service an address under the server’s domain, or requires one without a domain', () => {
    const under: Change = all(
      only([], [endpoint]),
      (_module, input) => void Object.assign(input, { baseDomain: 'apps.example.org' }),
    );
    expect(shownOf(under, 'url')).toMatchObject({ source: 'host' });
    expect(partsOf(under).installExperience?.projections).toEqual([
      { kind: 'public_endpoint', variables: { subdomain: 'sub', url: 'url' }, baseDomain: 'apps.example.org' },
    ]);
    expect(shownOf(only([], [endpoint]), 'url')).toMatchObject({ source: 'user', format: 'url', required: true });
    const relaxed = all(
      declare('url', { hasDefault: true }),
      declare('sub', { hasDefault: true }),
      only([], [endpoint]),
    );
    expect(shownOf(relaxed, 'url')?.required).toBe(false);
    // The address may be omitted, but then the input derived from it would have no value.
    expect(shownOf(all(declare('url', { hasDefault: true }), only([], [endpoint])), 'url')?.required).toBe(true);
    const labelled = only([variableInput('url', { helper: { ja: 'x', en: 'x' } })], [endpoint]);
    expect(shownOf(labelled, 'url')).toMatchObject({ source: 'user', required: true, helper: { ja: 'x', en: 'x' } });
  });

  test('keeps the build of an operator', () => {
    const own = { commands: [{ argv: ['make'] }], outputs: ['a'] };
    expect(partsOf(base({ parts: { sourceBuild: own } })).sourceBuild).toEqual(own);
    expect(partsOf(all(base({ parts: { sourceBuild: own } }), set('sourceBuild', undefined))).sourceBuild).toEqual(own);
    expect(partsOf(set('sourceBuild', undefined))).not.toHaveProperty('sourceBuild');
  });

  test('treats names that every object has as plain names', () => {
    const odd = all(
      declare('__proto__', {}),
      declare('constructor', {}),
      inputs(variableInput('__proto__'), variableInput('constructor')),
      set('requires', []),
      set('features', []),
    );
    const parts = partsOf(odd);
    expect(parts.variablePresentation?.slice(0, 2).map(({ name }) => name)).toEqual(['__proto__', 'constructor']);
  });

  test.each(['v1', 'v2', 'v2.1', 'v2.2', 'v2.3', 'v2.4'])('knows every version (%s)', (version) => {
    expect(compiled(() => {}, version).status).toBe('compiled');
  });
});

describe('for random modules', () => {
  test('the form requires exactly the needed variables, or nothing is adopted', () => {
    const seen = new Set<string>();
    for (let round = 0; round < 400; round += 1) {
      const { change, declared: left } = strangeModule(round);
      const result = compiled(change);
      seen.add(result.status === 'refused' ? result.code : result.status);
      if (result.status === 'refused') continue;
      const shown = result.parts.variablePresentation ?? [];
      const names = shown.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      const declared = new Map(left().map((one) => [one.name, one]));
      expect(names.filter((name) => !declared.has(name))).toEqual([]);
      const needed = [...declared.values()].filter(({ hasDefault }) => !hasDefault).map(({ name }) => name);
      expect(needed.filter((name) => !names.includes(name))).toEqual([]);
      const open = shown.filter(({ name, secret }) => declared.get(name)?.sensitive && secret !== true);
      expect(open).toEqual([]);
    }
    expect(seen.size).toBeGreaterThanOrEqual(5);
  });
});
