import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

test('smoke', async () => {
  const { body } = await server.api.listWorkspaces({});
  expect(body.workspaces).toHaveLength(1);
  const t = await server.join('viewer');
  expect((await t.api.listWorkspaces({})).body.workspaces).toHaveLength(1);
});
