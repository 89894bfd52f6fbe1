import { createHash, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { systemClock } from '#server/kernel/clock';
import { sha256Hex } from '#server/kernel/digest';
import { tokenPrefixes } from '#shared/vendor';
import { createIssuer, type IssuerClient, type IssuerRequest, type RecordStore, type SigningKey } from './index.ts';

const tokenOf = (prefix: string) => new RegExp(`^${prefix}[\\w-]{43}$`);
const issuerUrl = 'https://ground.example.com';
const person = { accountId: 'sub_ada', sessionId: 'ses_1', signedInAt: Date.now() - 60_000 };
const verifier = 'a'.repeat(43);
const challenge = createHash('sha256').update(verifier).digest('base64url');
const secret = 'a secret of this test alone';
const web: IssuerClient = {
  clientId: 'web',
  name: 'Notes',
  redirectUris: ['https://notes.example.com/callback'],
  isNative: false,
  authMethod: 'client_secret_basic',
  secretHash: sha256Hex(secret),
  scopes: ['openid', 'profile', 'email', 'offline_access', 'capsules:read'],
};
const native: IssuerClient = {
  clientId: 'cli',
  name: 'Command line',
  redirectUris: ['http://127.0.0.1/callback', 'com.example.app://signed-in/callback'],
  isNative: true,
  authMethod: 'none',
  scopes: ['openid', 'offline_access'],
};

function memoryRecords(): RecordStore {
  type Row = Parameters<RecordStore['save']>[0] & { consumedAt?: number };
  const rows = new Map<string, Row>();
  const keyOf = (kind: string, id: string) => `${kind} ${id}`;
  return {
    save: (row) => void rows.set(keyOf(row.kind, row.id), row),
    find: (kind, id) => rows.get(keyOf(kind, id)),
    consume(kind, id) {
      const row = rows.get(keyOf(kind, id));
      if (!row || row.consumedAt !== undefined) return false;
      row.consumedAt = Date.now();
      return true;
    },
    remove: (kind, id) => void rows.delete(keyOf(kind, id)),
    removeGrant(grantId) {
      for (const [key, row] of rows) if (row.grantId === grantId) rows.delete(key);
    },
  };
}

function newKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...(privateKey.export({ format: 'jwk' }) as Omit<SigningKey, 'kid'>), kid: 'k1' };
}

function setUp() {
  const consents: string[] = [];
  const workspaces = new Map<string, string | undefined>();
  const members = new Set(['ws_1']);
  const faults: Error[] = [];
  const reuses: { accountId: string; clientId: string }[] = [];
  const state = { takesWrites: true, isFull: false };
  const records = memoryRecords();
  const issuer = createIssuer({
    clock: systemClock,
    issuer: issuerUrl,
    takesWrites: () => state.takesWrites,
    isOutage: (error) => error instanceof RangeError,
    keys: [newKey()],
    records: {
      ...records,
      save(row) {
        if (state.isFull) throw new RangeError('no space');
        records.save(row);
      },
      removeGrant(id) {
        if (state.isFull) throw new RangeError('no space');
        records.removeGrant(id);
      },
    },
    findClient: (id) => [web, native].find(({ clientId }) => clientId === id),
    findDenial: ({ workspaceId }) =>
      workspaceId === undefined || members.has(workspaceId) ? undefined : 'the account is no member',
    hasConsent: ({ clientId }) => consents.includes(clientId),
    createLoginMark: () => String(Date.now()),
    isAfterMark: (mark, _request, { signedInAt }) => signedInAt > Number(mark),
    requestConsent: ({ clientId }) => `/oauth/consent/${clientId}`,
    bindGrant: (grantId, { workspaceId }) => void workspaces.set(grantId, workspaceId),
    findClaims: (_accountId, grantId) => {
      const workspaceId = workspaces.get(grantId);
      if (workspaceId !== undefined && !members.has(workspaceId)) return undefined;
      const workspace = workspaceId === undefined ? undefined : { workspace_id: workspaceId, role: 'owner' };
      return { profile: { name: 'Ada' }, email: { email: 'ada@example.com', email_verified: true }, workspace };
    },
    subjectOf: (accountId, clientId) => `${clientId}-${accountId}`,
    onFault: (error) => void faults.push(error),
    onReuse: (token) => void reuses.push(token),
  });
  return { issuer, consents, members, faults, reuses, state };
}
type World = ReturnType<typeof setUp>;

const userinfo = async ({ issuer }: World, token: string) => {
  const headers = { authorization: `Bearer ${token}` };
  const { status, body } = await issuer.answer({ method: 'GET', url: '/oauth/userinfo', headers });
  return { status, json: JSON.parse(body) };
};

const authorizeUrl = (more: Record<string, string> = {}): string =>
  `/oauth/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: 'web',
    redirect_uri: web.redirectUris[0] ?? '',
    scope: 'openid profile email offline_access',
    state: 's',
    nonce: 'n',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    workspace_id: 'ws_1',
    ...more,
  })}`;

const authorize = ({ issuer }: World, more: Record<string, string> = {}, by: IssuerRequest['person'] | null = person) =>
  issuer.answer({ method: 'GET', url: authorizeUrl(more), headers: { accept: 'text/html' }, person: by ?? undefined });

const basic = `Basic ${Buffer.from(`web:${encodeURIComponent(secret)}`).toString('base64')}`;
const post = async ({ issuer }: World, url: string, form: Record<string, string>) => {
  const headers = { authorization: basic, 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await issuer.answer({ method: 'POST', url, headers, body: String(new URLSearchParams(form)) });
  return { status: answer.status, json: answer.body === '' ? {} : JSON.parse(answer.body) };
};
const exchange = (world: World, code: string) =>
  post(world, '/oauth/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: web.redirectUris[0] ?? '',
    code_verifier: verifier,
  });
const refresh = (world: World, token: string) =>
  post(world, '/oauth/token', { grant_type: 'refresh_token', refresh_token: token });

const locationOf = ({ headers }: { headers: Record<string, unknown> }) =>
  new URL(String(headers['location']), issuerUrl);
async function codeOf(world: World): Promise<string> {
  world.consents.push('web');
  return locationOf(await authorize(world)).searchParams.get('code') ?? '';
}
const payloadOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());

describe('an authorization', () => {
  it('leads to the sign-in page without a session, and back to the same request', async () => {
    const world = setUp();
    const location = locationOf(await authorize(world, {}, null));
    expect([location.pathname, location.searchParams.get('return')]).toEqual(['/sign-in', authorizeUrl()]);
  });

  it('asks for consent once, then gives a code with state and issuer, and sets no cookie', async () => {
    const world = setUp();
    expect(locationOf(await authorize(world)).pathname).toBe('/oauth/consent/web');
    world.consents.push('web');
    const answer = await authorize(world);
    const { origin, searchParams } = locationOf(answer);
    expect([origin, searchParams.get('state'), searchParams.get('iss')]).toEqual([
      'https://notes.example.com',
      's',
      issuerUrl,
    ]);
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(world.faults).toEqual([]);
  });

  it.each([
    ['an unknown client', { client_id: 'unknown' }],
    ['another redirect', { redirect_uri: 'https://evil.example/callback' }],
  ])('answers %s itself, and never redirects', async (_, more) => {
    const answer = await authorize(setUp(), more);
    expect([answer.status, answer.headers['location']]).toEqual([400, undefined]);
  });

  it.each([
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['no PKCE', { code_challenge: '' }, 'invalid_request'],
    ['PKCE without a hash', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a scope of another client', { scope: 'openid capsules:write' }, 'invalid_scope'],
    ['a scope without openid', { scope: 'profile', nonce: '' }, 'invalid_scope'],
    ['a scope that does not exist', { scope: 'openid capsules:admin' }, 'invalid_scope'],
    ['the name that a scope has inside', { scope: 'openid offline' }, 'invalid_scope'],
    ['an empty Workspace', { workspace_id: '' }, 'invalid_request'],
    ['a challenge of another length', { code_challenge: 'a'.repeat(44) }, 'invalid_request'],
    ['another Workspace', { workspace_id: 'ws_2' }, 'access_denied'],
    ['a forced consent', { prompt: 'consent' }, 'invalid_request'],
    ['no consent yet and no prompt', { prompt: 'none' }, 'consent_required'],
    ['a form as answer', { response_mode: 'form_post' }, 'unsupported_response_mode'],
  ])('refuses %s at the redirect', async (_, more, error) => {
    const { search, hash, origin } = locationOf(await authorize(setUp(), more));
    // An answer to a response type that is not served comes in the fragment (OAuth 2.0 Multiple Response Types, 5).
    const answer = new URLSearchParams(search === '' ? hash.slice(1) : search);
    expect([origin, answer.get('error'), answer.get('iss')]).toEqual(['https://notes.example.com', error, issuerUrl]);
  });

  it('keeps a state that has a question mark', async () => {
    const world = setUp();
    world.consents.push('web');
    const url = authorizeUrl({ state: 'a?b' }).replace('a%3Fb', 'a?b');
    const answer = await world.issuer.answer({ method: 'GET', url, headers: {}, person });
    expect(locationOf(answer).searchParams.get('state')).toBe('a?b');
  });

  it.each([{ prompt: 'login' }, { max_age: '0' }])(
    'requires one new sign-in for %o, and no second one',
    async (more) => {
      const world = setUp();
      world.consents.push('web');
      const first = locationOf(await authorize(world, more));
      expect(first.pathname).toBe('/sign-in');
      const back = first.searchParams.get('return') ?? '';
      const again = (signedInAt: number) =>
        world.issuer.answer({ method: 'GET', url: back, headers: {}, person: { ...person, signedInAt } });
      expect(locationOf(await again(person.signedInAt)).pathname).toBe('/sign-in');
      expect(locationOf(await again(Date.now() + 1)).origin).toBe('https://notes.example.com');
    },
  );

  it('gives login_required without a session and without a prompt', async () => {
    const { searchParams } = locationOf(await authorize(setUp(), { prompt: 'none' }, null));
    expect(searchParams.get('error')).toBe('login_required');
  });

  it('accepts any port of the loopback address of a native client', async () => {
    const world = setUp();
    world.consents.push('cli');
    const redirect = 'http://127.0.0.1:43123/callback';
    const answer = await authorize(world, { client_id: 'cli', redirect_uri: redirect, scope: 'openid' });
    expect(locationOf(answer).origin).toBe('http://127.0.0.1:43123');
  });
});

describe('a token request', () => {
  it('exchanges a code for tokens with the product prefixes and an ID token of the Workspace', async () => {
    const world = setUp();
    const { status, json } = await exchange(world, await codeOf(world));
    expect([status, json.token_type, json.expires_in]).toEqual([200, 'Bearer', 300]);
    expect(json.access_token).toMatch(tokenOf(tokenPrefixes.access));
    expect(json.refresh_token).toMatch(tokenOf(tokenPrefixes.refresh));
    expect(json.scope.split(' ')).toContain('offline_access');
    expect(payloadOf(json.id_token)).toMatchObject({
      iss: issuerUrl,
      aud: 'web',
      sub: 'web-sub_ada',
      nonce: 'n',
      name: 'Ada',
      email: 'ada@example.com',
      svc: { workspace_id: 'ws_1', role: 'owner' },
    });
    expect(world.faults).toEqual([]);
  });

  it('ends everything of a code that is used twice', async () => {
    const world = setUp();
    const code = await codeOf(world);
    const { json } = await exchange(world, code);
    expect(await exchange(world, code)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
    expect(await refresh(world, json.refresh_token)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  });

  it('rotates a refresh token, and ends the chain when a spent one is used', async () => {
    const world = setUp();
    const first = (await exchange(world, await codeOf(world))).json.refresh_token;
    const second = (await refresh(world, first)).json.refresh_token;
    expect(second).not.toBe(first);
    expect(await refresh(world, first)).toMatchObject({ json: { error: 'invalid_grant' } });
    expect(world.reuses).toEqual([{ accountId: person.accountId, clientId: 'web' }]);
    expect(await refresh(world, second)).toMatchObject({ json: { error: 'invalid_grant' } });
    expect(await refresh(world, 'unknown')).toMatchObject({ json: { error: 'invalid_grant' } });
    expect(world.reuses).toHaveLength(1);
  });

  it('answers one of many requests with the same refresh token, and leaves nothing usable', async () => {
    const world = setUp();
    const { refresh_token: token } = (await exchange(world, await codeOf(world))).json;
    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(world, token)));
    const successes = answers.filter(({ status }) => status === 200);
    expect(successes.length).toBeLessThanOrEqual(1);
    for (const { json } of successes)
      expect(await refresh(world, json.refresh_token)).toMatchObject({ json: { error: 'invalid_grant' } });
  });

  it('ends a chain when its account has left the Workspace', async () => {
    const world = setUp();
    const { refresh_token: token } = (await exchange(world, await codeOf(world))).json;
    world.members.clear();
    expect(await refresh(world, token)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
    world.members.add('ws_1');
    expect(await refresh(world, token)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  });
});

describe('an access token', () => {
  it('reads the claims of its scopes with the Workspace', async () => {
    const world = setUp();
    const { access_token: token } = (await exchange(world, await codeOf(world))).json;
    expect(await userinfo(world, token)).toMatchObject({
      status: 200,
      json: { sub: 'web-sub_ada', aud: 'web', name: 'Ada', workspace_memberships: ['ws_1'] },
    });
    world.members.clear();
    expect(await userinfo(world, token)).toMatchObject({ status: 401, json: { error: 'invalid_token' } });
  });

  it('is described to a client with a secret, and refused after it is revoked', async () => {
    const world = setUp();
    const { access_token: token } = (await exchange(world, await codeOf(world))).json;
    expect((await post(world, '/oauth/introspect', { token })).json).toMatchObject({ active: true, client_id: 'web' });
    await post(world, '/oauth/revoke', { token });
    expect((await post(world, '/oauth/introspect', { token })).json).toEqual({ active: false });
  });
});

describe('an outage', () => {
  const answerAt = ({ headers }: { headers: Record<string, unknown> }) => {
    const { origin, searchParams } = locationOf({ headers });
    return [origin, searchParams.get('error'), searchParams.get('state'), searchParams.get('iss')];
  };
  const unavailable = ['https://notes.example.com', 'temporarily_unavailable', 's', issuerUrl];

  it('is sent to the redirect of a known client', async () => {
    const world = setUp();
    world.state.takesWrites = false;
    expect(answerAt(await authorize(world, {}, null))).toEqual(unavailable);
    expect(answerAt(await authorize(world, { prompt: 'none' }))).toEqual(unavailable);
  });

  it.each([
    ['an unknown client', { client_id: 'unknown' }],
    ['another redirect', { redirect_uri: 'https://evil.example/callback' }],
  ])('is sent nowhere for %s', async (_, parameters) => {
    const world = setUp();
    world.state.takesWrites = false;
    const answer = await authorize(world, parameters);
    expect([answer.status, answer.headers['location']]).toEqual([400, undefined]);
  });

  it('is sent to the redirect while the ledger takes no writes, and passes', async () => {
    const world = setUp();
    world.consents.push('web');
    world.state.isFull = true;
    expect(answerAt(await authorize(world))).toEqual(unavailable);
    world.state.isFull = false;
    expect(locationOf(await authorize(world)).searchParams.get('code')).toMatch(/^[\w-]{43}$/);
    expect(world.faults).toEqual([]);
  });

  it('is a 503 at the token endpoint, so that a client tries again', async () => {
    const world = setUp();
    const code = await codeOf(world);
    world.state.isFull = true;
    expect(await exchange(world, code)).toMatchObject({ status: 503, json: { error: 'temporarily_unavailable' } });
  });

  it('is a 503 for a token that has lost its access, and whose grant cannot be removed', async () => {
    const world = setUp();
    const { access_token: token } = (await exchange(world, await codeOf(world))).json;
    world.members.clear();
    world.state.isFull = true;
    expect(await userinfo(world, token)).toMatchObject({ status: 503, json: { error: 'temporarily_unavailable' } });
    expect(world.faults).toEqual([]);
  });
});
