import fs from 'node:fs';
import path from 'node:path';
import * as client from 'openid-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { signInAtApp, signInCookie } from '../../../test/issuer/app.ts';
import { issuerClients } from '../../../test/issuer/clients.ts';
import { setUpOwner } from '../../../test/people.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await setUpOwner(server);
  fs.writeFileSync(path.join(server.dataDir, 'oidc-clients.json'), JSON.stringify(issuerClients));
  await server.restart();
});
afterAll(() => server.close());

it.each([
  ['was never seen to receive mail', null, false],
  ['has opened a link in its mail', Date.now(), true],
])('claims a verified e-mail exactly for an account that %s', async (_, verifiedAt, isVerified) => {
  server.ledger(({ sqlite }) => sqlite.prepare('UPDATE accounts SET email_verified_at = ?').run(verifiedAt));
  const cookie = await signInCookie(server);
  const { config, tokens } = await signInAtApp({ origin: server.url, clientId: 'notes', cookie });
  const info = await client.fetchUserInfo(config, tokens.access_token, tokens.claims()?.sub ?? '');
  for (const claims of [tokens.claims(), info])
    expect(claims).toMatchObject({ email: 'owner@example.com', email_verified: isVerified });
});
