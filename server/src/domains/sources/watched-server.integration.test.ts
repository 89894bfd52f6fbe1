import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const listRuns = async () =>
  (await server.api.listRuns({ params: { workspaceId: server.workspaceId }, query: {} })).body.runs;

test('syncs a watched Source, records the schedule as trigger, and does not repeat it after a restart', async () => {
  const body = { workspaceId: server.workspaceId, name: 'n', url: 'http://127.0.0.1:1/r', autoSync: true };
  const { source } = (await server.api.createSource({ body })).body;
  await expect.poll(async () => (await listRuns()).length, { timeout: 15_000 }).toBe(1);
  await server.restart();
  const [run, ...others] = await listRuns();
  expect(run).toMatchObject({ sourceId: source.id, type: 'source_sync', trigger: 'schedule', createdBy: 'system' });
  expect(others).toEqual([]);
});
