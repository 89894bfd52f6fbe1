import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { holdCapsule, seedCapsule, seedRun } from '../../../test/ledger-rows.ts';
import { makeToken } from '../../../test/tokens.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const refusal = (status: number, more: Record<string, unknown>) => ({ status, ...more });
const reason = (name: string) => ({ details: { reason: name } });
const trailOf = (id: string) =>
  server.ledger(({ sqlite }) =>
    sqlite
      .prepare('SELECT action, metadata FROM audit_events WHERE workspace_id = ? ORDER BY seq')
      .all(id)
      .map((row) => {
        const { action, metadata } = row as { action: string; metadata: string };
        return [action, JSON.parse(metadata)];
      }),
  );

describe('a new Workspace', () => {
  test('belongs to its creator and has a default Project', async () => {
    const { api, subject } = await server.join(undefined);
    const { status, body } = await api.createWorkspace({ body: { handle: 'team-one', type: 'organization' } });
    const { workspace } = body;
    expect([status, workspace]).toEqual([
      201,
      {
        id: expect.stringMatching(/^ws_/),
        handle: 'team-one',
        driftSchedule: 'off',
        displayName: 'team-one',
        type: 'organization',
        ownerUserId: subject,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ]);
    const params = { workspaceId: workspace.id };
    expect((await api.getWorkspace({ params })).body.workspace).toEqual(workspace);
    expect((await api.listProjects({ params })).body.projects).toMatchObject([{ slug: 'default' }]);
    expect((await api.listMembers({ params })).body.members).toMatchObject([{ accountId: subject, roles: ['owner'] }]);
    expect(trailOf(workspace.id).map(([action]) => action)).toEqual(['workspace.created', 'project.created']);
  });

  test.each(['a', 'A-team', '-team', 'x'.repeat(40), 'te am', ''])('is not called %j', async (handle) => {
    const refused = server.api.createWorkspace({ body: { handle } });
    await expect(refused).rejects.toMatchObject(
      refusal(400, { code: 'invalid_argument', ...reason('handle_invalid') }),
    );
  });

  test('cannot use the handle of another Workspace', async () => {
    const make = () => server.api.createWorkspace({ body: { handle: 'only-once' } });
    await make();
    await expect(make()).rejects.toMatchObject(refusal(409, reason('handle_taken')));
  });

  test('cannot be created with a token that is bound to another Workspace', async () => {
    const { token } = await makeToken(server, { scopes: ['admin'], workspace_id: server.workspaceId });
    const refused = server.as(token).createWorkspace({ body: { handle: 'by-token' } });
    await expect(refused).rejects.toMatchObject(refusal(403, { code: 'forbidden' }));
  });
});

describe('a change', () => {
  test('names at least one field, and an unchanged field is not recorded', async () => {
    const { workspace } = (await server.api.createWorkspace({ body: { handle: 'changes' } })).body;
    const change = (body: Record<string, unknown>) =>
      server.api.updateWorkspace({ params: { workspaceId: workspace.id }, body });
    await expect(change({})).rejects.toMatchObject(refusal(400, reason('empty_patch')));
    await expect(change({ displayName: ' x' })).rejects.toMatchObject(refusal(400, { code: 'invalid_request' }));
    await expect(change({ policy: { approval: {} } })).rejects.toMatchObject(refusal(400, { code: 'invalid_request' }));
    expect((await change({ displayName: 'changes', policy: {}, archived: false })).body.workspace).toEqual(workspace);
    const policy = { approval: { requireSecondPerson: true }, allowedProviders: ['hashicorp/random'] };
    const changed = (await change({ displayName: 'Changes', policy })).body.workspace;
    expect(changed).toMatchObject({ displayName: 'Changes', policy });
    expect(trailOf(workspace.id).slice(2)).toEqual([
      ['workspace.updated', { fields: ['displayName', 'policy'], policyDigest: expect.stringMatching(/^sha256:/) }],
    ]);
  });

  test('is not for members and viewers', async () => {
    for (const role of ['member', 'viewer'] as const) {
      const { api } = await server.join(role);
      const refused = api.updateWorkspace({ params: { workspaceId: server.workspaceId }, body: { displayName: 'x' } });
      await expect(refused).rejects.toMatchObject(refusal(403, { code: 'forbidden' }));
    }
  });
});

describe('the archive', () => {
  test('refuses the last Workspace of its owner', async () => {
    const { api } = await server.join(undefined);
    const [only] = (await api.listWorkspaces({})).body.workspaces;
    const params = { workspaceId: only?.id ?? '' };
    const archive = api.updateWorkspace({ params, body: { archived: true } });
    await expect(archive).rejects.toMatchObject(refusal(409, reason('last_active_workspace')));
  });

  test('cancels queued Runs, refuses new work, and can be undone', async () => {
    await server.api.createWorkspace({ body: { handle: 'elsewhere' } });
    const capsule = await seedCapsule(server);
    holdCapsule(server, capsule.id);
    const queued = seedRun(server, { capsuleId: capsule.id });
    const params = { workspaceId: server.workspaceId };
    const change = (archived: boolean) => server.api.updateWorkspace({ params, body: { archived } });
    expect((await change(true)).body.workspace.archivedAt).toEqual(expect.any(String));
    expect((await server.api.getRun({ params: { runId: queued.id } })).body.run.status).toBe('cancelled');
    const project = { params, body: { name: 'n', slug: 'n' } };
    await expect(server.api.createProject(project)).rejects.toMatchObject(refusal(409, reason('workspace_archived')));
    const source = { body: { workspaceId: server.workspaceId, name: 'n', url: 'https://example.com/a' } };
    await expect(server.api.createSource(source)).rejects.toMatchObject(refusal(409, reason('workspace_archived')));
    expect((await server.api.updateWorkspace({ params, body: { displayName: 'Kept' } })).status).toBe(200);
    expect((await change(false)).body.workspace).not.toHaveProperty('archivedAt');
    expect((await server.api.createProject(project)).status).toBe(201);
  });
});

describe('a Project', () => {
  test('has a slug of its own in its Workspace', async () => {
    const params = { workspaceId: server.workspaceId };
    const make = (slug: string) =>
      server.api.createProject({ params, body: { name: 'Shop', slug, projectJson: { team: 'a' } } });
    const { project } = (await make('shop')).body;
    expect(project).toMatchObject({ id: expect.stringMatching(/^prj_/), slug: 'shop', projectJson: { team: 'a' } });
    await expect(make('shop')).rejects.toMatchObject(refusal(409, reason('slug_taken')));
    for (const slug of ['', 'Shop', '-a', 'x'.repeat(64)])
      await expect(make(slug)).rejects.toMatchObject(refusal(400, reason('slug_invalid')));
    expect(trailOf(server.workspaceId)).toContainEqual(['project.created', {}]);
  });
});

test('a role that is lost between the check and the write prevents the write', async () => {
  const admin = await server.join('admin');
  const demote = () =>
    server.ledger((db) =>
      db.sqlite.prepare("UPDATE members SET role = 'viewer' WHERE account_id = ?").run(admin.subject),
    );
  const body = { displayName: 'Taken' };
  const params = { workspaceId: server.workspaceId };
  // The body comes late: the gate has already accepted the request.
  const refused = await lateBody(`/api/v1/workspaces/${params.workspaceId}`, {
    token: admin.token,
    body,
    between: demote,
  });
  expect(refused).toBe(403);
  expect((await server.api.getWorkspace({ params })).body.workspace.displayName).not.toBe('Taken');
});

/** Sends the head of a PATCH, runs an action, and sends the body. */
async function lateBody(
  path: string,
  { token, body, between }: { token: string; body: unknown; between: () => void },
): Promise<number> {
  const { default: http } = await import('node:http');
  const text = JSON.stringify(body);
  const { hostname, port } = new URL(server.url);
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': String(text.length),
    expect: '100-continue',
  };
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, path, method: 'PATCH', headers });
    request.on('error', reject);
    request.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    // The server requests the body when it has read the head.
    request.on('continue', () => {
      between();
      request.end(text);
    });
    request.flushHeaders();
  });
}
