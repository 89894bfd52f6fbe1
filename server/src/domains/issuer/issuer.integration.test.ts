import fs from 'node:fs';
import path from 'node:path';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliClientId } from '#shared/issuer/contract';
import { type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';
import { type Flow, openAs, requestOfApp, signInAtApp, signInCookie } from '../../../test/issuer/app.ts';
import { issuerClients } from '../../../test/issuer/clients.ts';
import { formType } from '../../../test/issuer/world.ts';

let server: TestServer;
let cookie: string;
beforeAll(async () => {
  server = await startTestServer();
  fs.writeFileSync(path.join(server.dataDir, 'oidc-clients.json'), JSON.stringify(issuerClients));
  await server.restart();
  cookie = await signInCookie(server);
});
afterAll(() => server.close());

const notes = (by = cookie): Flow => ({
  origin: server.url,
  clientId: 'notes',
  cookie: by,
  parameters: { workspace_id: server.workspaceId },
});
const commandLine = (): Flow => ({
  origin: server.url,
  clientId: cliClientId,
  cookie,
  parameters: {
    redirect_uri: 'http://127.0.0.1:43111/callback',
    scope: 'openid offline_access capsules:read capsules:write',
    workspace_id: server.workspaceId,
  },
});
/** Requests an authorization of `notes`, and returns the address that the browser is sent to. */
const openNotes = async () => openAs(cookie, (await requestOfApp(notes())).url);

describe('a sign-in at a client', () => {
  it('asks once, and gives an ID token, a refresh token and an access token of the Workspace', async () => {
    const { config, tokens } = await signInAtApp(notes());
    expect(tokens.claims()).toMatchObject({
      iss: server.url,
      aud: 'notes',
      svc: { workspace_id: server.workspaceId, role: 'owner' },
    });
    const info = await client.fetchUserInfo(config, tokens.access_token, tokens.claims()?.sub ?? '');
    expect(info).toMatchObject({ aud: 'notes', workspace_memberships: [server.workspaceId] });
    expect((await openNotes()).origin).toBe('https://notes.example.com');
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
  });

  it('reads the API in its Workspace by its scopes, and nothing else', async () => {
    const { access_token: token } = (await signInAtApp(notes())).tokens;
    const api = server.as(token);
    const { capsules } = (await api.listCapsules({ params: { workspaceId: server.workspaceId } })).body;
    expect(capsules).toEqual([]);
    await expect(
      api.createProject({ params: { workspaceId: server.workspaceId }, body: { name: 'P', slug: 'p' } }),
    ).rejects.toMatchObject({ code: 'insufficient_scope' });
    const { workspaceId: foreign } = { workspaceId: `ws_${'0'.repeat(15)}` };
    await expect(api.listCapsules({ params: { workspaceId: foreign } })).rejects.toMatchObject({ status: 404 });
  });

  it('serves a native client at any port of the loopback address', async () => {
    const { tokens } = await signInAtApp(commandLine());
    const api = server.as(tokens.access_token);
    const body = { name: 'From the command line', slug: 'cli' };
    const { project } = (await api.createProject({ params: { workspaceId: server.workspaceId }, body })).body;
    expect(project.slug).toBe('cli');
  });

  it('ends everything that a client received when its consent is withdrawn', async () => {
    const { config, tokens } = await signInAtApp(notes());
    const { consents } = (await server.api.listConsents({})).body;
    const consent = consents.find(({ clientId }) => clientId === 'notes');
    expect(consent).toMatchObject({ name: 'Notes <b>', workspaceId: server.workspaceId });
    await server.api.withdrawConsent({ params: { consentId: consent?.id ?? '' } });
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    await expect(server.as(tokens.access_token).listWorkspaces({})).rejects.toMatchObject({ code: 'invalid_token' });
    expect((await openNotes()).pathname).toMatch(/^\/oauth\/consent\/[\w-]{43}$/);
  });
});

describe('an end of authority', () => {
  it('ends grants when their account leaves the Workspace, also when it comes back', async () => {
    const { subject, token } = await server.join('admin');
    const { config, tokens } = await signInAtApp(notes(await signInCookie(server, subject)));
    const params = { workspaceId: server.workspaceId, subject };
    await server.api.removeMember({ params });
    await server.api.addMember({ params, body: { accountId: subject, role: 'admin' } });
    await expect(server.as(token).listCapsules({ params })).resolves.toBeDefined();
    await expect(server.as(tokens.access_token).listCapsules({ params })).rejects.toMatchObject({ status: 401 });
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });
});

describe('an introspection', () => {
  const introspect = (form: Record<string, string>) =>
    server.raw({
      method: 'POST',
      path: '/oauth/introspect',
      headers: formType,
      body: String(new URLSearchParams(form)),
    });

  it.each([
    ['of a client without a secret', { client_id: 'groundctl-cli' }],
    ['without a client', {}],
    ['with a wrong secret', { client_id: 'notes', client_secret: 'wrong' }],
  ])('%s is 401 with a challenge, whatever the token', async (_, form) => {
    const body = { name: 'pat', scopes: ['read' as const] };
    const { token = '' } = (await server.api.createToken({ body })).body as { token?: string };
    const answer = await introspect({ token, ...form });
    expect([answer.status, (answer.json as { error: string }).error]).toEqual([401, 'invalid_client']);
    expect(answer.headers['www-authenticate']).toBe('Basic realm="svc"');
  });
});

describe('the page of consent', () => {
  const openPage = async () => {
    const { consents } = (await server.api.listConsents({})).body;
    for (const { id } of consents) await server.api.withdrawConsent({ params: { consentId: id } });
    return openNotes();
  };
  const read = ({ pathname }: URL): Promise<RawAnswer> =>
    server.raw({ path: pathname, headers: { accept: 'text/html', cookie } });
  const deny = ({ pathname }: URL): Promise<RawAnswer> => {
    const headers = { cookie, origin: server.url, ...formType };
    return server.raw({ method: 'POST', path: pathname, headers, body: 'decision=deny' });
  };

  it('names client, host, Workspace and scopes, has no script, and lets its form lead to the redirect', async () => {
    const answer = await read(await openPage());
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('Notes &lt;b&gt;');
    expect(answer.text).toContain('notes.example.com');
    expect(answer.text).not.toContain('<script');
    expect(answer.headers['content-security-policy']).toContain("form-action 'self' https://notes.example.com");
  });

  it('sends a denial to the client, with state and issuer', async () => {
    const { headers } = await deny(await openPage());
    const { searchParams } = new URL(headers.location ?? '');
    expect([searchParams.get('error'), searchParams.get('iss')]).toEqual(['access_denied', server.url]);
    expect(searchParams.get('state')).toMatch(/^[\w-]{43}$/);
  });
});
