import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const countAuditEvents = () =>
  server.ledger((db) => db.sqlite.prepare('SELECT count(*) AS n FROM audit_events').get() as { n: number }).n;

test('an account without a membership gets its personal Workspace, once', async () => {
  const { api, subject } = await server.join(undefined);
  const before = countAuditEvents();
  const [first, second] = [(await api.listWorkspaces({})).body, (await api.listWorkspaces({})).body];
  expect(first).toEqual({
    workspaces: [
      {
        id: expect.stringMatching(/^ws_[0-9A-Z]{26}$/),
        handle: expect.stringMatching(/^personal-[a-z0-9]{8}$/),
        displayName: 'Personal',
        type: 'personal',
        ownerUserId: subject,
        driftSchedule: 'off',
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ],
    returned: 1,
    limit: 100,
    truncated: false,
  });
  expect(second).toEqual(first);
  expect(countAuditEvents()).toBe(before + 2);
  const workspaceId = first.workspaces[0]?.id ?? '';
  const { projects } = (await api.listProjects({ params: { workspaceId } })).body;
  expect(projects).toMatchObject([{ id: `prj_default_${workspaceId}`, slug: 'default', projectJson: {} }]);
  expect((await api.getProject({ params: { projectId: projects[0]?.id ?? '' } })).body.project).toEqual(projects[0]);
});

test('the local owner has the main Workspace', async () => {
  const { workspaces } = (await server.api.listWorkspaces({})).body;
  expect(workspaces).toMatchObject([{ handle: 'main', displayName: 'Main', type: 'personal' }]);
});

test('an account sees only the Workspaces it is an active member of', async () => {
  const member = await server.join('member');
  const idsOf = async () => (await member.api.listWorkspaces({})).body.workspaces.map(({ id }) => id);
  expect(await idsOf()).toEqual([server.workspaceId]);
  const setStatus = (status: string) =>
    server.ledger((db) =>
      db.sqlite.prepare('UPDATE members SET status = ? WHERE account_id = ?').run(status, member.subject),
    );
  setStatus('suspended');
  expect(await idsOf()).not.toContain(server.workspaceId);
  setStatus('active');
  expect(await idsOf()).toContain(server.workspaceId);
});

test('an archived Workspace is left out of the list, and its owner gets no replacement', async () => {
  const { api } = await server.join(undefined);
  const [own] = (await api.listWorkspaces({})).body.workspaces;
  server.ledger((db) => db.sqlite.prepare('UPDATE workspaces SET archived_at = 1 WHERE id = ?').run(own?.id));
  expect((await api.listWorkspaces({})).body.workspaces).toEqual([]);
  const { workspace } = (await api.getWorkspace({ params: { workspaceId: own?.id ?? '' } })).body;
  expect(workspace.archivedAt).toBe('1970-01-01T00:00:00.001Z');
});

test('members are listed with role and status', async () => {
  const viewer = await server.join('viewer');
  const { members } = (await viewer.api.listMembers({ params: { workspaceId: server.workspaceId } })).body;
  expect(members.find(({ accountId }) => accountId === server.subject)).toMatchObject({
    roles: ['owner'],
    status: 'active',
  });
  expect(members.find(({ accountId }) => accountId === viewer.subject)).toMatchObject({ roles: ['viewer'] });
});

test('reading writes nothing', async () => {
  const before = countAuditEvents();
  const seq = () => server.ledger((db) => db.sqlite.pragma('data_version', { simple: true }));
  const version = seq();
  const { workspaceId } = server;
  await server.api.listWorkspaces({});
  await server.api.getWorkspace({ params: { workspaceId } });
  await server.api.listActivity({ params: { workspaceId } });
  await server.api.listRuns({ params: { workspaceId } });
  await server.api.getSession({});
  expect([countAuditEvents(), seq()]).toEqual([before, version]);
});
