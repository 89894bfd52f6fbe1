import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule, seedState } from '../../../test/ledger-rows.ts';
import { makeToken } from '../../../test/tokens.ts';
import { createDashboardViews } from './views.ts';

let server: TestServer;
let second: string;
beforeAll(async () => {
  server = await startTestServer();
  second = (await server.api.createWorkspace({ body: { handle: 'second' } })).body.workspace.id;
});
afterAll(() => server.close());

test('the first read returns the signed-in account and its Workspaces, and only the requested parts', async () => {
  const { body } = await server.api.getBootstrap({});
  expect(body).toMatchObject({
    session: { subject: server.subject },
    workspaceList: { returned: 2, limit: 50, truncated: false },
  });
  expect(body.workspaces?.map(({ id }) => id)).toEqual([server.workspaceId, second]);
  expect(body).not.toHaveProperty('notifications');
  const bare = (await server.api.getBootstrap({ query: { includeWorkspaces: 'false' } })).body;
  expect(bare).toEqual({ session: { subject: server.subject } });
  const query = { workspaceLimit: '1', workspaceId: second, includeNotifications: 'true' } as const;
  const pinned = (await server.api.getBootstrap({ query })).body;
  expect(pinned.workspaceList).toEqual({ returned: 2, limit: 1, truncated: true });
  expect(pinned.notifications?.map(({ event, workspaceHandle }) => [event.action, workspaceHandle])).toContainEqual([
    'workspace.created',
    'second',
  ]);
});

test('the overview is of the requested Workspace, otherwise of the first', async () => {
  const capsule = await seedCapsule(server);
  const gone = await seedCapsule(server, { status: 'destroyed' });
  seedState(server, capsule, { generation: 1 });
  const { body } = await server.api.getOverview({});
  expect(body.workspace?.id).toBe(server.workspaceId);
  expect(body.capsules.map(({ id }) => id)).toContain(capsule.id);
  expect(body.capsules.map(({ id }) => id)).not.toContain(gone.id);
  expect(body.currentStateVersions).toHaveLength(1);
  expect(body.activity.length).toBeGreaterThan(0);
  const other = (await server.api.getOverview({ query: { workspaceId: second } })).body;
  expect(other).toMatchObject({ workspace: { id: second }, capsules: [], currentStateVersions: [] });
  for (const workspaceId of ['ws_nothing', (await joinOutsider()).workspaceId])
    expect((await server.api.getOverview({ query: { workspaceId } })).body.workspace?.id).toBe(server.workspaceId);
  await server.api.updateWorkspace({ params: { workspaceId: second }, body: { archived: true } });
  const archived = (await server.api.getOverview({ query: { workspaceId: second } })).body;
  expect(archived.workspace?.id).toBe(server.workspaceId);
});

async function joinOutsider() {
  const { api } = await server.join(undefined);
  return { api, workspaceId: (await api.listWorkspaces({})).body.workspaces[0]?.id ?? '' };
}

test('it is empty without an active Workspace, and its Capsules are a page', async () => {
  const { api } = await server.join(undefined);
  expect((await api.getOverview({})).body).toEqual({
    workspaces: [],
    workspaceList: { returned: 0, limit: 50, truncated: false },
    workspace: null,
    capsules: [],
    currentStateVersions: [],
    activity: [],
    installConfigs: [],
  });
  await seedCapsule(server);
  const first = (await server.api.getOverview({ query: { capsuleLimit: '1', includeWorkspaces: '0' } })).body;
  expect([first.capsules.length, first.workspaces]).toEqual([1, []]);
  const params = { workspaceId: server.workspaceId };
  const query = { includeDestroyed: 'false', cursor: first.nextCapsuleCursor ?? '' } as const;
  const rest = (await server.api.listCapsules({ params, query })).body.capsules;
  expect(rest.map(({ id }) => id)).not.toContain(first.capsules[0]?.id);
});

test('a bound token reads its Workspace, and is refused another', async () => {
  const { token } = await makeToken(server, { scopes: ['read'], workspace_id: server.workspaceId });
  const bound = server.as(token);
  expect((await bound.getBootstrap({})).body.workspaces?.map(({ id }) => id)).toEqual([server.workspaceId]);
  for (const workspaceId of [second, 'ws_nothing']) {
    await expect(bound.getBootstrap({ query: { workspaceId } })).rejects.toMatchObject({ status: 403 });
    await expect(bound.getOverview({ query: { workspaceId } })).rejects.toMatchObject({ status: 403 });
  }
});

test('limits are whole numbers, and large ones are clamped', async () => {
  for (const bad of ['workspaceLimit=0', 'capsuleLimit=x', 'installConfigLimit=-1', 'activityLimit=1&activityLimit=2'])
    expect((await server.request('GET', `/api/v1/dashboard/overview?${bad}`)).status).toBe(400);
  const query = { workspaceLimit: '1000', capsuleLimit: '1000', activityLimit: '1000', installConfigLimit: '1000' };
  expect((await server.api.getOverview({ query })).body.workspaceList.limit).toBe(100);
});

test('parts that are too slow are left out', () => {
  let now = 0;
  const late = () => {
    now += 2_001;
    return { capsules: [] };
  };
  const views = createDashboardViews({
    workspaces: {
      listWorkspaces: () => ({ workspaces: [{ id: 'ws_1' }], returned: 1, limit: 50, truncated: false }) as never,
    },
    capsules: { listCapsules: late },
    states: { listCurrent: () => expect.unreachable() },
    configs: { listConfigs: () => expect.unreachable() },
    activity: { list: () => expect.unreachable() },
    installation: { findNotice: () => undefined },
    elapsed: () => now,
  });
  const query = { workspaceLimit: 1, capsuleLimit: 1, activityLimit: 1, installConfigLimit: 1 };
  expect(views.overview({ accountId: 'sub_1' }, query)).toMatchObject({
    currentStateVersions: [],
    activity: [],
    installConfigs: [],
  });
});
