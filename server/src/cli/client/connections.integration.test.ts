import { afterAll, beforeAll, expect, test } from 'vitest';
import { groundctl } from '../../../test/command-line.ts';
import { awsBody } from '../../../test/connection-bodies.ts';
import { issuedRecipe, writeServiceFiles } from '../../../test/credential-service.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const list = (...more: string[]) => groundctl('connections', '--data-dir', server.dataDir, ...more);

test('says that there are none, and how to create one', async () => {
  expect(await list()).toMatchObject({ code: 0, out: expect.stringMatching(/^There are no Connections .*dashboard/) });
});

test('lists Connections with their recipes, and whether credentials are stored or exist for each Run', async () => {
  await server.api.createConnection({ body: awsBody(server.workspaceId, { displayName: 'Shop' }) });
  const recipe = issuedRecipe('acme', 'ACME_TOKEN', ['acme/cloud']);
  writeServiceFiles(server.dataDir, { recipe, service: { url: 'http://127.0.0.1:1/' } });
  const body = { provider: 'acme/cloud', credentialRecipe: { id: 'acme', authMode: 'issued' }, values: {} };
  const headers = { authorization: `Bearer ${server.operatorToken}` };
  await server.request('POST', '/internal/v1/connections', body, headers);
  const { out } = await list();
  expect(out).toMatch(/Shop\s+\S*hashicorp\/aws\s+pending\s+workspace\s+aws\/static\s+stored/);
  expect(out).toMatch(/acme\/cloud\s+pending\s+operator\s+acme\/issued\s+issued to each Run/);
  const { connections } = JSON.parse((await list('--json')).out) as { connections: { scope: string }[] };
  expect(connections.map(({ scope }) => scope).sort()).toEqual(['operator', 'workspace']);
});
