import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  server.ledger(({ sqlite }) =>
    sqlite
      .prepare(
        'INSERT INTO run_groups (id, workspace_id, type, created_by, layers, created_at) VALUES (?, ?, ?, ?, ?, ?)',
      )
      .run('rg_01ARZ3NDEKTSV4RRFFQ69G5FAV', server.workspaceId, 'workspace_update', 'system', '[]', 1),
  );
});
afterAll(() => server.close());

test.each(['member', 'viewer'] as const)('a %s cannot apply the plans of a group', async (role) => {
  const { api } = await server.join(role);
  const params = { runGroupId: 'rg_01ARZ3NDEKTSV4RRFFQ69G5FAV' };
  expect((await api.getRunGroup({ params })).body.runGroup.status).toBe('succeeded');
  const refused = api.applyRunGroup({ params, body: { planDigests: {} } });
  await expect(refused).rejects.toMatchObject({ status: 403, code: 'forbidden' });
});
