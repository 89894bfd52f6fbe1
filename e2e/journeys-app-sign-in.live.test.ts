import http from 'node:http';
import type { AddressInfo } from 'node:net';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  accessibilityFindings,
  hasChromium,
  keepPicture,
  shareBrowser,
  signInLink,
  type TestBrowser,
} from './fixtures/browser.ts';
import { startServer, type TestServer } from './fixtures/server.ts';

/** An app with a server of its own, which uses a public OpenID Connect library. */
type App = { redirectUri: string; signInUrl(workspaceId: string): Promise<string>; close(): Promise<void> };

async function startApp(issuer: string): Promise<App> {
  const insecure = { execute: [client.allowInsecureRequests] };
  const config = await client.discovery(new URL(issuer), 'groundctl-cli', undefined, client.None(), insecure);
  const verifier = client.randomPKCECodeVerifier();
  const answer = async (request: http.IncomingMessage): Promise<string> => {
    const callback = new URL(request.url ?? '/', redirectUri);
    const denied = callback.searchParams.get('error');
    if (denied !== null) return `The app was refused: ${denied}`;
    const checks = { pkceCodeVerifier: verifier, expectedState: 'state' };
    const tokens = await client.authorizationCodeGrant(config, callback, checks);
    const { svc } = tokens.claims() as unknown as { svc: { role: string } };
    return `Signed in with the role ${svc.role}`;
  };
  const server = http.createServer((request, response) => {
    answer(request).then(
      (text) => response.end(text),
      (error) => response.end(`The app failed: ${error}`),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  return {
    redirectUri,
    async signInUrl(workspaceId) {
      const code_challenge = await client.calculatePKCECodeChallenge(verifier);
      const parameters = { redirect_uri: redirectUri, scope: 'openid capsules:read', state: 'state' };
      const challenge = { code_challenge, code_challenge_method: 'S256', workspace_id: workspaceId };
      return client.buildAuthorizationUrl(config, { ...parameters, ...challenge }).href;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

let server: TestServer;
let browser: TestBrowser;
let app: App;

describe.skipIf(!hasChromium)('a sign-in at an app', () => {
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), shareBrowser()]);
    app = await startApp(server.url);
  });
  afterAll(async () => {
    await app?.close();
    await browser?.close();
    await server?.stop();
  });

  it('is denied, then allowed, then goes without a question, until it is withdrawn', async () => {
    const { page, close } = await browser.open(await signInLink(server));
    await page.getByRole('link', { name: 'Your account' }).waitFor();
    const { workspaces } = (await (await page.request.get(`${server.url}/api/v1/workspaces`)).json()) as {
      workspaces: { id: string }[];
    };
    const url = await app.signInUrl(workspaces[0]?.id ?? '');
    await page.goto(url);
    await page.getByRole('heading', { name: 'Sign in to groundctl' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'consent');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('The app was refused: access_denied').waitFor();

    await page.goto(url);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Signed in with the role owner').waitFor();
    await page.goto(url);
    await page.getByText('Signed in with the role owner').waitFor();

    await page.goto(`${server.url}/account`);
    await page.getByRole('button', { name: 'Withdraw groundctl' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw', exact: true }).click();
    await page.getByText('You have not allowed any app yet.').waitFor();
    await page.goto(url);
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    await close();
  });
});
