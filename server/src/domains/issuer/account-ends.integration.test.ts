import fs from 'node:fs';
import path from 'node:path';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heldClock, startTestServer, type TestServer } from '../../../test/harness.ts';
import { signInAtApp, signInCookie } from '../../../test/issuer/app.ts';
import { issuerClients } from '../../../test/issuer/clients.ts';
import { goodPassword, otherPassword, setUpOwner } from '../../../test/people.ts';

const day = 86_400_000;
const clock = heldClock(Date.now());
const cliFlow = {
  clientId: 'groundctl-cli',
  parameters: { redirect_uri: 'http://127.0.0.1:43111/callback', scope: 'openid offline_access capsules:read' },
};

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ clock });
  await setUpOwner(server);
  fs.writeFileSync(path.join(server.dataDir, 'oidc-clients.json'), JSON.stringify(issuerClients));
  await server.restart();
});
afterAll(() => server.close());

const signIn = async (cookie: string, { clientId, parameters }: { clientId: string; parameters?: object }) => {
  const named = { workspace_id: server.workspaceId, ...parameters };
  return signInAtApp({ origin: server.url, clientId, cookie, parameters: named });
};
type SignedIn = Awaited<ReturnType<typeof signIn>>;
const refresh = ({ config, tokens }: SignedIn) => client.refreshTokenGrant(config, tokens.refresh_token ?? '');
const call = ({ tokens }: SignedIn) => server.as(tokens.access_token).listWorkspaces({});

async function expectEnded(app: SignedIn): Promise<void> {
  await expect(call(app)).rejects.toMatchObject({ code: 'invalid_token' });
  await expect(refresh(app)).rejects.toMatchObject({ error: 'invalid_grant' });
}

/** Calls a route with the session of a browser. */
const asBrowser = (cookie: string, method: string, address: string, body?: object) =>
  server.raw({
    method,
    path: `/api/v1${address}`,
    headers: { cookie, origin: server.url, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });

describe('an app that signs an account in', () => {
  it('is signed out by a sign-out everywhere, and asks no second time when it signs in again', async () => {
    const cookie = await signInCookie(server);
    const apps = [await signIn(cookie, { clientId: 'notes' }), await signIn(cookie, cliFlow)];
    expect((await asBrowser(cookie, 'DELETE', '/account/sessions')).status).toBe(204);
    for (const app of apps) await expectEnded(app);
    const again = { clientId: 'notes', parameters: { prompt: 'none' } };
    await expect(signIn(await signInCookie(server), again).then(call)).resolves.toBeDefined();
  });

  it('is signed out by a new password, also when no other session exists', async () => {
    const cookie = await signInCookie(server);
    const app = await signIn(cookie, { clientId: 'notes' });
    const body = { currentPassword: goodPassword, newPassword: otherPassword };
    expect((await asBrowser(cookie, 'POST', '/account/password', body)).status).toBe(204);
    await expectEnded(app);
    await expect(signIn(cookie, { clientId: 'notes' }).then(call)).resolves.toBeDefined();
  });

  it('stays signed in when one session signs out', async () => {
    const cookie = await signInCookie(server);
    const app = await signIn(cookie, { clientId: 'notes' });
    expect((await asBrowser(cookie, 'DELETE', '/account/session/me')).status).toBe(204);
    await expect(call(app)).resolves.toBeDefined();
    await expect(refresh(app)).resolves.toBeDefined();
  });

  it('is signed out while its account is disabled', async () => {
    const cookie = await signInCookie(server);
    const app = await signIn(cookie, { clientId: 'notes' });
    const setDisabled = (at: number | null) =>
      server.ledger(({ sqlite }) => sqlite.prepare('UPDATE accounts SET disabled_at = ?').run(at));
    setDisabled(clock.now());
    await expectEnded(app);
    setDisabled(null);
    await expectEnded(app);
  });
});

describe('a refresh token', () => {
  it('lives 30 days from its own issue, and its grant as long', async () => {
    const app = await signIn(await signInCookie(server), { clientId: 'notes' });
    for (let round = 0; round < 3; round += 1) {
      clock.advance(29 * day);
      app.tokens = (await refresh(app)) as SignedIn['tokens'];
      await expect(call(app)).resolves.toBeDefined();
    }
    clock.advance(30 * day + 1);
    await expect(refresh(app)).rejects.toMatchObject({ error: 'invalid_grant' });
  });
});

describe('a spent refresh token', () => {
  it('ends everything that it led to, and is in the audit trail', async () => {
    const app = await signIn(await signInCookie(server), { clientId: 'notes' });
    const next = { ...app, tokens: (await refresh(app)) as SignedIn['tokens'] };
    await expect(refresh(app)).rejects.toMatchObject({ error: 'invalid_grant' });
    await expectEnded(next);
    const { events } = (await server.as(server.operatorToken).listAudit({ query: {} })).body;
    const reuses = events.filter(({ action }) => action === 'oidc.refresh_reused');
    expect(reuses).toMatchObject([{ targetId: server.subject, metadata: { clientId: 'notes' } }]);
  });
});

describe('consents of an account', () => {
  it('list the command line and every other app, and end the tokens of one at once', async () => {
    const cookie = await signInCookie(server);
    const [notes, cli] = [await signIn(cookie, { clientId: 'notes' }), await signIn(cookie, cliFlow)];
    const { json } = await asBrowser(cookie, 'GET', '/account/consents');
    const { consents } = json as { consents: { id: string; clientId: string; name: string; scopes: string[] }[] };
    const found = consents.find(({ clientId }) => clientId === 'groundctl-cli');
    expect(found).toMatchObject({
      name: 'groundctl',
      workspaceId: server.workspaceId,
      scopes: ['capsules:read', 'offline_access', 'openid'],
    });
    expect((await asBrowser(cookie, 'DELETE', `/account/consents/${found?.id}`)).status).toBe(204);
    await expectEnded(cli);
    await expect(call(notes)).resolves.toBeDefined();
    expect((await asBrowser(cookie, 'DELETE', `/account/consents/${found?.id}`)).status).toBe(404);
  });

  it('belong to their account: another one can neither see nor withdraw them', async () => {
    const cookie = await signInCookie(server);
    await signIn(cookie, { clientId: 'notes' });
    const { json } = await asBrowser(cookie, 'GET', '/account/consents');
    const [{ id } = { id: '' }] = (json as { consents: { id: string }[] }).consents;
    const other = server.as((await server.join('member')).token);
    expect((await other.listConsents({})).body.consents).toEqual([]);
    await expect(other.withdrawConsent({ params: { consentId: id } })).rejects.toMatchObject({ status: 404 });
  });
});

describe('a grant without a refresh token', () => {
  it('lives as long as its code and its access token, and one with a refresh token as long as that', async () => {
    const cookie = await signInCookie(server);
    const listEnds = () =>
      server.ledger(({ sqlite }) =>
        (sqlite.prepare('SELECT expires_at AS at FROM oidc_grants ORDER BY rowid').all() as { at: number }[]).map(
          ({ at }) => at - clock.now(),
        ),
      );
    await signIn(cookie, { clientId: 'notes', parameters: { scope: 'openid' } });
    expect(listEnds().at(-1)).toBe(600_000);
    await signIn(cookie, { clientId: 'notes' });
    expect(listEnds().at(-1)).toBe(30 * day);
  });
});

describe('a start with other clients', () => {
  const writeClients = (clients: readonly object[]) =>
    fs.writeFileSync(path.join(server.dataDir, 'oidc-clients.json'), JSON.stringify(clients));
  const listScopes = async (cookie: string, clientId: string) => {
    const { json } = await asBrowser(cookie, 'GET', '/account/consents');
    const { consents } = json as { consents: { clientId: string; scopes: string[] }[] };
    return consents.filter((one) => one.clientId === clientId).map(({ scopes }) => scopes);
  };

  it('ends grants with a scope that their client has lost, and consents lose that scope', async () => {
    const cookie = await signInCookie(server);
    await signIn(cookie, { clientId: 'notes' });
    await signIn(cookie, { clientId: 'notes', parameters: { scope: 'openid offline_access' } });
    await signIn(cookie, { clientId: 'board' });
    writeClients(
      issuerClients
        .filter(({ clientId }) => clientId !== 'board')
        .map((one) => ({ ...one, scopes: one.scopes.filter((scope) => scope !== 'capsules:read') })),
    );
    await server.restart();
    const silent = { clientId: 'notes', parameters: { prompt: 'none', scope: 'openid profile' } };
    await expect(signIn(cookie, silent)).resolves.toBeDefined();
    const left = new Set(
      server.ledger(({ sqlite }) => sqlite.prepare('SELECT client_id || scopes FROM oidc_grants').pluck().all()),
    );
    expect([...left].filter((one) => /^board|^notes.*capsules:read/.test(String(one)))).toEqual([]);
    expect([...left]).toContainEqual(expect.stringMatching(/^notes.*offline_access/));
    expect([await listScopes(cookie, 'notes'), await listScopes(cookie, 'board')]).toEqual([
      [['email', 'offline_access', 'openid', 'profile']],
      [],
    ]);
  });
});
