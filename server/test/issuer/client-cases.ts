import { tokenPrefixes } from '#shared/vendor';
import { exchangeCases, type NegativeCase } from './case.ts';
import { basicOf, secretOf } from './clients.ts';

const client = '401 invalid_client';
const request = '400 invalid_request';
const form = 'RFC 6749, 2.3.1';
const encode = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const assertion = (header: object): string =>
  `${[header, { iss: 'notes', sub: 'notes', aud: 'https://ground.example', jti: 'a', exp: 4_000_000_000 }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')}.c2ln`;
const asserted = (header: object) => ({
  headers: { authorization: undefined },
  form: { client_assertion_type: assertionType, client_assertion: assertion(header) },
});

const basic = exchangeCases([
  ['no credential', 'RFC 6749, 5.2', { headers: { authorization: undefined } }, client],
  [
    'a confidential client without its secret',
    'RFC 6749, 3.2.1',
    { headers: { authorization: undefined }, form: { client_id: 'notes' } },
    client,
  ],
  ['a wrong secret', 'RFC 6749, 5.2', { headers: { authorization: basicOf('notes', 'wrong') } }, client],
  [
    'the secret of another client',
    'RFC 6749, 2.3',
    { headers: { authorization: basicOf('notes', secretOf('tools')) } },
    client,
  ],
  [
    'the credential of another client for this code',
    'RFC 6749, 4.1.3',
    { headers: { authorization: basicOf('tools') } },
    '400 invalid_grant',
  ],
  ['an unknown client with a secret', 'RFC 6749, 5.2', { headers: { authorization: basicOf('unknown') } }, client],
  [
    'the stored hash as secret',
    'RFC 6819, 5.1.4.1.3',
    { headers: { authorization: basicOf('notes', '0'.repeat(64)) } },
    client,
  ],
  [
    'a secret with one character more',
    form,
    { headers: { authorization: basicOf('notes', `${secretOf('notes')}x`) } },
    client,
  ],
  [
    'a secret in upper case',
    form,
    { headers: { authorization: basicOf('notes', secretOf('notes').toUpperCase()) } },
    client,
  ],
  ['an empty secret in the header', form, { headers: { authorization: encode('notes:') } }, request],
  ['a secret in the form beside the header', 'RFC 6749, 2.3', { form: { client_secret: secretOf('notes') } }, request],
  ['another client in the form than in the header', 'RFC 6749, 2.3', { form: { client_id: 'tools' } }, request],
  [
    'an assertion beside the header',
    'RFC 7521, 4.2',
    { form: { client_assertion_type: assertionType, client_assertion: 'a.b.' } },
    client,
  ],
  ['a header that is not base64', 'RFC 7617, 2', { headers: { authorization: 'Basic %%%' } }, request],
  ['a header without a colon', 'RFC 7617, 2', { headers: { authorization: encode('notes') } }, request],
  [
    'a secret that is not encoded as a form',
    form,
    { headers: { authorization: encode(`notes:${secretOf('notes')}`) } },
    request,
  ],
  ['a percent sign with a wrong encoding', form, { headers: { authorization: encode('notes:%zz') } }, request],
  [
    'an encoded control character in the secret',
    'RFC 6749, appendix A.2',
    { headers: { authorization: encode('notes:a%00b') } },
    request,
  ],
  [
    'a bearer in place of a client',
    form,
    { headers: { authorization: `Bearer ${tokenPrefixes.access}unknown` } },
    request,
  ],
  [
    'two spaces behind the scheme',
    'RFC 7235, 2.1',
    { headers: { authorization: basicOf('notes').replace(' ', '  ') } },
    request,
  ],
  ['an assertion without a signature', 'RFC 7523, 3; RFC 8725, 3.2', asserted({ alg: 'none' }), client],
  ['an assertion of HS256', 'OpenID Connect Core 1.0, 9', asserted({ alg: 'HS256' }), client],
  [
    'an assertion with an injected key',
    'RFC 8725, 3.10',
    asserted({ alg: 'ES256', jwk: { kty: 'EC' }, kid: '../../etc/passwd' }),
    client,
  ],
  [
    'a certificate of the proxy without TLS',
    'RFC 8705, 2',
    { headers: { authorization: undefined, 'x-ssl-client-cert': 'a' }, form: { client_id: 'notes' } },
    client,
  ],
  [
    'a credential in the query',
    form,
    {
      headers: { authorization: undefined },
      query: `?client_id=notes&client_secret=${encodeURIComponent(secretOf('notes'))}`,
    },
    client,
  ],
]);

const posted = exchangeCases(
  [
    ['a wrong secret in the form', 'RFC 6749, 5.2', { form: { client_secret: 'wrong' } }, client],
    ['an empty secret in the form', form, { form: { client_secret: '' } }, client],
    ['a missing secret in the form', 'RFC 6749, 3.2.1', { form: { client_secret: undefined } }, client],
    ['a missing client beside a secret', form, { form: { client_id: undefined } }, client],
    ['a second secret', 'RFC 6749, 3.2', { append: '&client_secret=a' }, request],
    ['a second client in the form', 'RFC 6749, 3.2', { append: '&client_id=notes' }, request],
  ],
  'journal',
);

const publicClient = exchangeCases(
  [
    ['a public client with a secret', form, { form: { client_secret: 'a' } }, client],
    ['a public client with a header', form, { headers: { authorization: encode('board:a') } }, client],
    ['a public client that does not name itself', 'RFC 6749, 4.1.3', { form: { client_id: undefined } }, client],
    ['a public client that names another', 'RFC 6749, 4.1.3', { form: { client_id: 'device' } }, '400 invalid_grant'],
  ],
  'board',
);

export const clientCases: readonly NegativeCase[] = [...basic, ...posted, ...publicClient];
