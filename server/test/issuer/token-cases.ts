import { casesOf, exchangeCases, type NegativeCase } from './case.ts';
import { challengeOf, redirectOf, verifier } from './clients.ts';
import { outcomeOf } from './outcome.ts';
import { exchangeOf, type Fields } from './world.ts';

const grant = '400 invalid_grant';
const request = '400 invalid_request';
const once = 'RFC 6749, 3.2';
const unsupported = '400 unsupported_grant_type';

const codes = exchangeCases([
  ['an unknown code', 'RFC 6749, 5.2', { form: { code: 'c'.repeat(43) } }, grant],
  ['an empty code', 'RFC 6749, 3.2', { form: { code: '' } }, request],
  ['a missing code', 'RFC 6749, 4.1.3', { form: { code: undefined } }, request],
  ['a redirect URI that was not used', 'RFC 6749, 4.1.3', { form: { redirect_uri: `${redirectOf('notes')}/` } }, grant],
  [
    'another registered redirect URI',
    'RFC 6749, 4.1.3',
    { form: { redirect_uri: 'https://notes.example.com/second?tenant=a' } },
    grant,
  ],
  ['a missing redirect URI', 'RFC 6749, 4.1.3', { form: { redirect_uri: undefined } }, request],
  ['another verifier', 'RFC 7636, 4.6', { form: { code_verifier: 'w'.repeat(43) } }, grant],
  ['a missing verifier', 'RFC 9700, 2.1.1', { form: { code_verifier: undefined } }, grant],
  ['an empty verifier', 'RFC 7636, 4.5', { form: { code_verifier: '' } }, grant],
  ['the challenge as verifier', 'RFC 9700, 4.8.2', { form: { code_verifier: challengeOf(verifier) } }, grant],
  ['a verifier in upper case', 'RFC 7636, 4.1', { form: { code_verifier: verifier.toUpperCase() } }, grant],
  ['a verifier of 42 characters', 'RFC 7636, 4.1', { form: { code_verifier: verifier.slice(1) } }, request],
  ['a verifier of 129 characters', 'RFC 7636, 4.1', { form: { code_verifier: 'v'.repeat(129) } }, request],
  ['a verifier with a space', 'RFC 7636, 4.1', { form: { code_verifier: `${verifier} ` } }, request],
]);

const grants = exchangeCases([
  [
    'the password grant',
    'RFC 9700, 2.4',
    { form: { grant_type: 'password', username: 'ada', password: 'a' } },
    unsupported,
  ],
  ['the grant of the client itself', 'RFC 6749, 4.4', { form: { grant_type: 'client_credentials' } }, unsupported],
  [
    'the device grant',
    'RFC 8628, 3.4',
    { form: { grant_type: 'urn:ietf:params:oauth:grant-type:device_code' } },
    unsupported,
  ],
  [
    'a token exchange',
    'RFC 8693, 2.1',
    { form: { grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange' } },
    unsupported,
  ],
  [
    'a JWT as grant',
    'RFC 7523, 2.1',
    { form: { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'a.b.' } },
    unsupported,
  ],
  ['a grant type in upper case', 'RFC 6749, 4.1.3', { form: { grant_type: 'AUTHORIZATION_CODE' } }, unsupported],
  ['a missing grant type', 'RFC 6749, 4.1.3', { form: { grant_type: undefined } }, request],
  ['an empty grant type', 'RFC 6749, 3.2', { form: { grant_type: '' } }, request],
]);

const forms = exchangeCases([
  ['a second grant type', once, { append: '&grant_type=refresh_token' }, request],
  ['the same code twice', once, { append: '&code=a' }, request],
  ['a second redirect URI in the form', once, { append: '&redirect_uri=a' }, request],
  ['a second verifier', once, { append: '&code_verifier=a' }, request],
  ['an unknown parameter twice', once, { append: '&a=1&a=1' }, request],
  [
    'JSON in place of a form',
    'RFC 6749, 4.1.3',
    { headers: { 'content-type': 'application/json' }, body: '{}' },
    request,
  ],
  [
    'a form of several parts',
    'RFC 6749, 4.1.3',
    { headers: { 'content-type': 'multipart/form-data; boundary=a' } },
    request,
  ],
  ['a form as plain text', 'RFC 6749, 4.1.3', { headers: { 'content-type': 'text/plain' } }, request],
  ['a form without a content type', 'RFC 6749, 4.1.3', { headers: { 'content-type': undefined } }, request],
  ['no body', 'RFC 6749, 4.1.3', { body: '' }, request],
  [
    'parameters in the query alone',
    'RFC 6749, 3.2; RFC 9700, 4.3.1',
    { query: '?grant_type=authorization_code&code=a', body: '' },
    request,
  ],
  ['GET', 'RFC 6749, 3.2', { method: 'GET' }, '405 method_not_allowed'],
  ['PUT', 'RFC 6749, 3.2', { method: 'PUT' }, '405 method_not_allowed'],
  ['a body above 32 KiB', 'RFC 9110, 15.5.14', { append: `&a=${'a'.repeat(32_768)}` }, '413 request_too_large'],
  [
    'an origin of another site',
    'RFC 9700, 2.6 (no CORS)',
    { headers: { origin: 'https://evil.example' } },
    '403 csrf_failed',
  ],
]);

/** The form of a fresh code of `notes`, sent as another client or with one change. */
const stolen =
  (clientId: string, changes: Fields = {}): Parameters<typeof casesOf>[0][number][2] =>
  async (world) => {
    const code = await world.codeOf();
    const answer = await world.postAs(clientId, '/oauth/token', { ...exchangeOf('notes', code), ...changes });
    const later = await world.postAs('notes', '/oauth/token', exchangeOf('notes', code));
    return [outcomeOf(answer), outcomeOf(later)];
  };

const misuse = casesOf([
  ['a code of another confidential client', 'RFC 6749, 10.5', stolen('tools'), grant, '200'],
  ['a code of another client at a public one', 'RFC 6749, 4.1.3', stolen('board'), grant, '200'],
  [
    'a code used twice, with all it led to',
    'RFC 6749, 4.1.2; RFC 9700, 4.5',
    async (world) => {
      const form = exchangeOf('notes', await world.codeOf());
      const { json } = await world.postAs('notes', '/oauth/token', form);
      const { access_token, refresh_token } = json as { access_token: string; refresh_token: string };
      const replay = await world.postAs('notes', '/oauth/token', form);
      const after = [
        await world.refresh(refresh_token),
        await world.userinfo(access_token),
        await world.readApi(access_token),
      ];
      return [replay, ...after].map(outcomeOf);
    },
    grant,
    grant,
    '401 invalid_token',
    '401 invalid_token',
  ],
  [
    'a refreshed token after its code is used again',
    'RFC 6749, 10.5',
    async (world) => {
      const form = exchangeOf('notes', await world.codeOf());
      const { json } = await world.postAs('notes', '/oauth/token', form);
      const next = (await world.refresh((json as { refresh_token: string }).refresh_token)).json as {
        access_token: string;
        refresh_token: string;
      };
      await world.postAs('notes', '/oauth/token', form);
      return [outcomeOf(await world.userinfo(next.access_token)), outcomeOf(await world.refresh(next.refresh_token))];
    },
    '401 invalid_token',
    grant,
  ],
  [
    'an access token as code',
    'RFC 9700, 4.2.4',
    async (world) => {
      const { access_token } = await world.tokensOf();
      return [outcomeOf(await world.postAs('notes', '/oauth/token', exchangeOf('notes', access_token)))];
    },
    grant,
  ],
  [
    'a refresh token as code',
    'RFC 6749, 5.2',
    async (world) => {
      const { refresh_token } = await world.tokensOf();
      return [outcomeOf(await world.postAs('notes', '/oauth/token', exchangeOf('notes', refresh_token)))];
    },
    grant,
  ],
  [
    'a code of a loopback redirect at another port',
    'RFC 6749, 4.1.3; RFC 8252, 7.3',
    async (world) => {
      const changes = { redirect_uri: 'http://127.0.0.1:43111/callback', workspace_id: undefined };
      const code = await world.codeOf({ clientId: 'device', changes });
      const form = { ...exchangeOf('device', code), redirect_uri: 'http://127.0.0.1:43112/callback' };
      return [outcomeOf(await world.postAs('device', '/oauth/token', form))];
    },
    grant,
  ],
]);

export const tokenCases: readonly NegativeCase[] = [...codes, ...grants, ...forms, ...misuse];
