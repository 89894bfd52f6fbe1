import { afterAll, beforeAll, expect, test } from 'vitest';
import { groundctl } from '../../../test/command-line.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule } from '../../../test/ledger-rows.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const remove = (...argv: string[]) => groundctl('workspaces', 'delete', ...argv, '--data-dir', server.dataDir);
async function makeWorkspace(handle: string): Promise<TestServer> {
  const { workspace } = (await server.api.createWorkspace({ body: { handle } })).body;
  return { ...server, workspaceId: workspace.id };
}

test('shows what is deleted and left, and deletes when each Capsule is named', async () => {
  const own = await makeWorkspace('cli-one');
  const web = await seedCapsule(own, { status: 'active', name: 'web' });
  const db = await seedCapsule(own, { status: 'error', name: 'db' });
  const refused = await remove('cli-one', '--confirm', 'cli-one', '--leave', 'web');
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(`db (${db.id}, error): unknown resources`)]);
  expect(refused.err).toContain('--leave CAPSULE');
  const { code, out } = await remove('cli-one', '--confirm', 'cli-one', '--leave', 'web', '--leave', db.id);
  expect([code, out]).toEqual([0, expect.stringContaining('cli-one is deleted and its keys are destroyed.')]);
  expect(out).toContain(`Left in place: the resources of web (${web.id})`);
  expect(out).toContain(`rows of the audit trail, and the id ${own.workspaceId} with its name.`);
});

test('deletes nothing without a confirmation or with another handle', async () => {
  await makeWorkspace('cli-two');
  const unconfirmed = await remove('cli-two');
  expect([unconfirmed.code, unconfirmed.err]).toEqual([2, expect.stringContaining('--confirm HANDLE')]);
  const wrong = await remove('cli-two', '--confirm', 'cli-2');
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('Type it as it is shown.')]);
  const none = await remove('cli-two', '--confirm', 'cli-two', '--leave', 'nothing');
  expect([none.code, none.err]).toEqual([2, expect.stringContaining('No Capsule with resources is called "nothing".')]);
  const unknown = await remove('cli-three', '--confirm', 'cli-three');
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('There is no Workspace "cli-three".')]);
});

test('prints one JSON document', async () => {
  const own = await makeWorkspace('cli-json');
  const { code, out } = await remove('cli-json', '--confirm', 'cli-json', '--json');
  expect([code, JSON.parse(out)]).toEqual([
    0,
    { deletion: expect.objectContaining({ workspaceId: own.workspaceId, handle: 'cli-json', leftCapsules: [] }) },
  ]);
});
