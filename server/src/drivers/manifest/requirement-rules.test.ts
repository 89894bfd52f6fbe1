import { describe, expect, test } from 'vitest';
import {
  consuming,
  endpoint,
  generated,
  type Invalid,
  many,
  oidc,
  problemsAfter,
  requires,
  root,
  type Valid,
} from '../../../test/manifest-fixture.ts';

const oidcWith = (more: object) => requires(endpoint, { ...oidc, ...more });

describe('these are valid', () => {
  const valid: Valid[] = [
    [
      '16 requirements, 8 of them secrets',
      requires(...many(8, (at) => generated(`s${at}`)), ...many(8, (at) => ({ ...consuming, key: `k${at}` }))),
    ],
    ['16 bytes', requires({ ...generated('s'), bytes: 16, encoding: 'hex' })],
    ['64 bytes', requires({ ...generated('s'), bytes: 64, encoding: 'base64url' })],
    ['16 scopes', oidcWith({ scopes: ['openid', ...many(15, (at) => `s${at}`)] })],
    ['no scopes', oidcWith({ scopes: undefined })],
    ['a callback path of 512 characters', oidcWith({ callbackPath: `/${'a'.repeat(511)}` })],
    ['a callback path that is the root', oidcWith({ callbackPath: '/' })],
    ['a double slash inside a callback path', oidcWith({ callbackPath: '/a//b..c' })],
    [
      'bindings, which only the compiler refuses',
      requires({ kind: 'http.endpoint', deliver: { bindings: { url: 'APP_URL' } } }),
    ],
    [
      'runtime bindings of the sign-in in v2.4',
      requires(endpoint, { ...oidc, deliver: { bindings: { ownerSubject: 'OWNER' } } }),
      'v2.4',
    ],
    [
      '16 permissions of 256 characters',
      requires({ ...consuming, permissions: many(16, (at) => `${at}`.padEnd(256, '!')) }),
    ],
  ];
  test.each(valid)('%s', (_name, change, version) => expect(problemsAfter(change, version)).toEqual([]));
});

describe('these are invalid, each with its code and location', () => {
  const invalid: Invalid[] = [
    [
      '17 requirements',
      requires(...many(17, (at) => ({ ...consuming, key: `k${at}` }))),
      'count_out_of_range',
      `${root}/requires`,
    ],
    ['9 secrets', requires(...many(9, (at) => generated(`s${at}`))), 'count_out_of_range', `${root}/requires`],
    ['an unknown requirement', requires({ kind: 'database' }), 'value_invalid', `${root}/requires/0/kind`],
    ['15 bytes', requires({ ...generated('s'), bytes: 15 }), 'number_out_of_range', `${root}/requires/0/bytes`],
    ['65 bytes', requires({ ...generated('s'), bytes: 65 }), 'number_out_of_range', `${root}/requires/0/bytes`],
    [
      'bytes that are not an integer',
      requires({ ...generated('s'), bytes: 32.5 }),
      'type_invalid',
      `${root}/requires/0/bytes`,
    ],
    [
      'an encoding that is not known',
      requires({ ...generated('s'), encoding: 'base64' }),
      'value_invalid',
      `${root}/requires/0/encoding`,
    ],
    [
      'delivery both ways',
      requires({ kind: 'http.endpoint', deliver: { variables: { url: 'a' }, bindings: { url: 'b' } } }),
      'count_out_of_range',
      `${root}/requires/0/deliver`,
    ],
    [
      'no delivery',
      requires({ kind: 'http.endpoint', deliver: {} }),
      'count_out_of_range',
      `${root}/requires/0/deliver`,
    ],
    [
      'delivery of nothing',
      requires({ kind: 'http.endpoint', deliver: { variables: {} } }),
      'count_out_of_range',
      `${root}/requires/0/deliver/variables`,
    ],
    [
      'an unknown slot',
      requires({ kind: 'http.endpoint', deliver: { variables: { port: 'p' } } }),
      'field_unknown',
      `${root}/requires/0/deliver/variables/port`,
    ],
    [
      'a binding that is not an environment variable name',
      requires({ kind: 'http.endpoint', deliver: { bindings: { url: 'A-B' } } }),
      'text_invalid',
      `${root}/requires/0/deliver/bindings/url`,
    ],
    [
      'two endpoints',
      requires(endpoint, { ...endpoint, deliver: { variables: { url: 'other' } } }),
      'not_unique',
      `${root}/requires`,
    ],
    [
      'one target for two things',
      requires(generated('url'), endpoint),
      'delivery_repeated',
      `${root}/requires/1/deliver/variables/url`,
    ],
    [
      'one target for two slots',
      requires({ kind: 'http.endpoint', deliver: { variables: { url: 'a', subdomain: 'a' } } }),
      'delivery_repeated',
      `${root}/requires/0/deliver/variables/subdomain`,
    ],
    [
      'three slots of the sign-in',
      oidcWith({ deliver: { variables: { ...oidc.deliver.variables, clientId: undefined } } }),
      'oidc_slots_incomplete',
      `${root}/requires/1/deliver`,
    ],
    [
      'bindings of the sign-in before v2.4',
      oidcWith({ deliver: { bindings: { clientId: 'ID' } } }),
      'oidc_slots_incomplete',
      `${root}/requires/1/deliver`,
    ],
    [
      'a slot of v2.4 before it',
      oidcWith({ deliver: { bindings: { ownerSubject: 'ID' } } }),
      'field_unknown',
      `${root}/requires/1/deliver/bindings/ownerSubject`,
    ],
    [
      'an old slot in v2.4',
      oidcWith({ deliver: { bindings: { accountsUrl: 'ID' } } }),
      'field_unknown',
      `${root}/requires/1/deliver/bindings/accountsUrl`,
      'v2.4',
    ],
    ['a sign-in without endpoint', requires(oidc), 'oidc_endpoint_missing', `${root}/requires/0`],
    [
      'a sign-in whose endpoint gives no url',
      requires({ kind: 'http.endpoint', deliver: { variables: { subdomain: 's' } } }, oidc),
      'oidc_endpoint_missing',
      `${root}/requires/1`,
    ],
    [
      'a sign-in whose endpoint gives url to a binding',
      requires({ kind: 'http.endpoint', deliver: { bindings: { url: 's' } } }, oidc),
      'oidc_endpoint_missing',
      `${root}/requires/1`,
    ],
    [
      'scopes without openid',
      oidcWith({ scopes: ['email'] }),
      'oidc_scope_openid_missing',
      `${root}/requires/1/scopes`,
    ],
    ['no scope in a list', oidcWith({ scopes: [] }), 'count_out_of_range', `${root}/requires/1/scopes`],
    [
      '17 scopes',
      oidcWith({ scopes: ['openid', ...many(16, (at) => `s${at}`)] }),
      'count_out_of_range',
      `${root}/requires/1/scopes`,
    ],
    ['one scope twice', oidcWith({ scopes: ['openid', 'openid'] }), 'not_unique', `${root}/requires/1/scopes/1`],
    ...['', 'a', '//a', '/a?b', '/a#b', '/a\\b', '/a/../b', '/a/.', '/%2e%2E/b', '/a b', `/${'a'.repeat(512)}`].map(
      (callbackPath): Invalid => [
        `the callback path ${callbackPath.slice(0, 9)}`,
        oidcWith({ callbackPath }),
        'text_invalid',
        `${root}/requires/1/callbackPath`,
      ],
    ),
    ['one consumed key twice', requires(consuming, consuming), 'not_unique', `${root}/requires/1/key`],
    [
      'no permission',
      requires({ ...consuming, permissions: [] }),
      'count_out_of_range',
      `${root}/requires/0/permissions`,
    ],
    [
      '17 permissions',
      requires({ ...consuming, permissions: many(17, String) }),
      'count_out_of_range',
      `${root}/requires/0/permissions`,
    ],
    [
      'one permission twice',
      requires({ ...consuming, permissions: ['a', 'a'] }),
      'not_unique',
      `${root}/requires/0/permissions/1`,
    ],
    [
      'a permission of 257 characters',
      requires({ ...consuming, permissions: ['a'.repeat(257)] }),
      'text_invalid',
      `${root}/requires/0/permissions/0`,
    ],
    ...[' ', '"', '\\', 'é', '\x7f'].map(
      (sign): Invalid => [
        `a permission with ${JSON.stringify(sign)}`,
        requires({ ...consuming, permissions: [`a${sign}`] }),
        'text_invalid',
        `${root}/requires/0/permissions/0`,
      ],
    ),
    [
      'delivery with options',
      requires({ ...consuming, delivery: { type: 'none', options: {} } }),
      'field_unknown',
      `${root}/requires/0/delivery/options`,
    ],
  ];
  test.each(invalid)('%s', (_name, change, code, pointer, version) => {
    expect(problemsAfter(change, version)).toContainEqual([code, pointer]);
  });
});
