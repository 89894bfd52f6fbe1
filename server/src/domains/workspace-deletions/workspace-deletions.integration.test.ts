import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { awsBody, canary } from '../../../test/connection-bodies.ts';
import { filesHolding } from '../../../test/data-files.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { holdCapsule, seedCapsule, seedState } from '../../../test/ledger-rows.ts';
import { asNeighbour } from '../../../test/one-of-each.ts';
import { addWorkspace } from '../../../test/second-workspace.ts';
import { makeToken } from '../../../test/tokens.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const refused = (status: number, code: string, reason?: string) => ({
  status,
  code,
  ...(reason !== undefined && { details: { reason } }),
});
let number = 0;
/** Another Workspace of the owner, as the server of tests sees it. */
async function makeWorkspace(): Promise<TestServer & { handle: string }> {
  number += 1;
  const handle = `leaving-${number}`;
  const { workspace } = (await server.api.createWorkspace({ body: { handle } })).body;
  return { ...server, workspaceId: workspace.id, handle };
}
const bodyOf = ({ workspaceId, handle }: { workspaceId: string; handle: string }, more: object = {}) => ({
  body: { workspaceId, confirmHandle: handle, ...more },
});
const previewOf = async ({ api, workspaceId }: TestServer) =>
  (await api.previewWorkspaceDeletion({ params: { workspaceId } })).body.preview;

describe('a request', () => {
  test.each(['admin', 'member', 'viewer'] as const)('of a member with the role %s is refused', async (role) => {
    const { api } = await server.join(role);
    const { workspace } = (await server.api.getWorkspace({ params: { workspaceId: server.workspaceId } })).body;
    const params = { workspaceId: workspace.id };
    await expect(api.previewWorkspaceDeletion({ params })).rejects.toMatchObject(refused(403, 'forbidden'));
    const request = api.deleteWorkspace(bodyOf({ ...params, handle: workspace.handle }));
    await expect(request).rejects.toMatchObject(refused(403, 'forbidden'));
  });

  test('of another account, of a bound token and for an unknown Workspace is refused', async () => {
    const own = await makeWorkspace();
    const { api } = await server.join(undefined);
    await expect(api.deleteWorkspace(bodyOf(own))).rejects.toMatchObject(refused(403, 'forbidden'));
    const bound = await makeToken(server, { scopes: ['admin'], workspace_id: own.workspaceId });
    await expect(server.as(bound.token).deleteWorkspace(bodyOf(own))).rejects.toMatchObject(refused(403, 'forbidden'));
    const reader = await makeToken(server, { scopes: ['read'] });
    await expect(server.as(reader.token).deleteWorkspace(bodyOf(own))).rejects.toMatchObject({ status: 403 });
    const unknown = server.api.deleteWorkspace(bodyOf({ workspaceId: 'ws_none', handle: 'x' }));
    await expect(unknown).rejects.toMatchObject(refused(404, 'not_found'));
    expect((await own.api.getWorkspace({ params: { workspaceId: own.workspaceId } })).status).toBe(200);
  });

  test('with an unbound token of an owner deletes', async () => {
    const own = await makeWorkspace();
    const { token } = await makeToken(server, { scopes: ['write'] });
    expect((await server.as(token).deleteWorkspace(bodyOf(own))).body.deletion.displayName).toBe(own.handle);
  });

  test('without the typed handle is refused', async () => {
    const own = await makeWorkspace();
    for (const confirmHandle of ['', own.handle.toUpperCase(), `${own.handle} `])
      await expect(own.api.deleteWorkspace(bodyOf(own, { confirmHandle }))).rejects.toMatchObject(
        refused(400, 'invalid_argument', 'handle_mismatch'),
      );
  });

  test('for the only Workspace of its owner is refused', async () => {
    const other = await asNeighbour(server);
    const { handle } = (await other.api.getWorkspace({ params: { workspaceId: other.workspaceId } })).body.workspace;
    await expect(other.api.deleteWorkspace(bodyOf({ ...other, handle }))).rejects.toMatchObject(
      refused(409, 'failed_precondition', 'last_active_workspace'),
    );
    expect((await previewOf(other)).blockers).toEqual([{ reason: 'last_active_workspace', count: 1 }]);
  });

  test('is refused while a Run is queued or runs', async () => {
    const own = await makeWorkspace();
    const capsule = await seedCapsule(own);
    const run = holdCapsule(own, capsule.id);
    await expect(own.api.deleteWorkspace(bodyOf(own))).rejects.toMatchObject(
      refused(409, 'failed_precondition', 'run_in_progress'),
    );
    expect((await previewOf(own)).blockers).toEqual([{ reason: 'run_in_progress', count: 1 }]);
    server.ledger(({ sqlite }) => sqlite.prepare("UPDATE runs SET status = 'cancelled' WHERE id = ?").run(run.id));
    expect((await own.api.deleteWorkspace(bodyOf(own))).status).toBe(201);
  });

  test('is refused while a credential of an ended Run is not revoked', async () => {
    const own = await makeWorkspace();
    const capsule = await seedCapsule(own);
    const run = holdCapsule(own, capsule.id);
    const connectionId = (await own.api.createConnection({ body: awsBody(own.workspaceId) as never })).body.connection
      .id;
    server.ledger(({ sqlite }) => {
      sqlite.prepare("UPDATE runs SET status = 'failed' WHERE id = ?").run(run.id);
      sqlite
        .prepare(
          `INSERT INTO credential_issuances (key, run_id, connection_id, recipe_id, request, tries, due_at)
           VALUES ('k', ?, ?, 'none', '{}', 0, ?)`,
        )
        .run(run.id, connectionId, Date.now() + 3_600_000);
    });
    await expect(own.api.deleteWorkspace(bodyOf(own))).rejects.toMatchObject(
      refused(409, 'failed_precondition', 'workspace_credentials_pending'),
    );
  });
});

describe('Capsules with resources', () => {
  test('are named exactly as the preview shows them', async () => {
    const own = await makeWorkspace();
    const applied = await seedCapsule(own, { status: 'active', name: 'web' });
    seedState(own, applied, { generation: 1 });
    const unsafe = await seedCapsule(own, { status: 'error', runtimeSafety: 'unknown', name: 'db' });
    await seedCapsule(own, { status: 'pending' });
    await seedCapsule(own, { status: 'destroyed' });
    const preview = await previewOf(own);
    expect(preview.capsulesByStatus).toEqual({ active: 1, error: 1, pending: 1, destroyed: 1 });
    expect(preview.capsulesWithResources).toEqual([
      { id: unsafe.id, name: 'db', environment: 'test', status: 'error' },
      { id: applied.id, name: 'web', environment: 'test', status: 'active', resourceCount: 0 },
    ]);
    for (const leaveCapsuleIds of [[], [applied.id], [applied.id, unsafe.id, 'cap_none'], [applied.id, applied.id]])
      await expect(own.api.deleteWorkspace(bodyOf(own, { leaveCapsuleIds }))).rejects.toMatchObject(
        refused(409, 'failed_precondition', 'workspace_capsules_changed'),
      );
    const { deletion } = (await own.api.deleteWorkspace(bodyOf(own, { leaveCapsuleIds: [applied.id, unsafe.id] })))
      .body;
    expect(deletion.leftCapsules).toEqual([
      { id: unsafe.id, name: 'db' },
      { id: applied.id, name: 'web' },
    ]);
  });
});

describe('shares', () => {
  test('that another Workspace uses end only when the request says so', async () => {
    const own = await makeWorkspace();
    const user = await makeWorkspace();
    const producer = await seedCapsule(own, { status: 'active', name: 'net' });
    seedState(own, producer, { generation: 1, outputs: { url: 'x' } });
    const sides = { fromWorkspaceId: own.workspaceId, toWorkspaceId: user.workspaceId };
    const share = { ...sides, producerCapsuleId: producer.id, outputs: [{ name: 'url' }] };
    const { id: shareId } = (await own.api.createShare({ body: share })).body.share;
    await user.api.approveShare({ params: { shareId } });
    const consumer = await seedCapsule(user);
    const wiring = { producerCapsuleId: producer.id, outputs: { url: { from: 'url', to: 'url' } } };
    await user.api.createDependency({ params: { capsuleId: consumer.id }, body: wiring });
    expect((await previewOf(own)).sharesInUse).toEqual([
      { id: shareId, toWorkspaceId: user.workspaceId, capsuleName: 'net', outputs: ['url'] },
    ]);
    const leaveCapsuleIds = [producer.id];
    await expect(own.api.deleteWorkspace(bodyOf(own, { leaveCapsuleIds }))).rejects.toMatchObject(
      refused(409, 'failed_precondition', 'workspace_shares_in_use'),
    );
    await own.api.deleteWorkspace(bodyOf(own, { leaveCapsuleIds, endShares: true }));
    const { shares } = (await user.api.listShares({ query: { workspaceId: user.workspaceId } })).body;
    expect(shares).toEqual([]);
    const { edges } = (await user.api.getGraph({ params: { workspaceId: user.workspaceId } })).body;
    expect(edges).toEqual([]);
    const { events } = (await user.api.listActivity({ params: { workspaceId: user.workspaceId } })).body;
    expect(events.map(({ action }) => action)).toContain('dependency.deleted');
  });
});

describe('a repeated request', () => {
  test('with the same key gets the same answer, without one finds nothing', async () => {
    const own = await makeWorkspace();
    const key = { 'idempotency-key': 'delete-once' };
    const first = await own.api.deleteWorkspace(bodyOf(own), key);
    const again = await own.api.deleteWorkspace(bodyOf(own), key);
    expect([first.status, again.status, again.body]).toEqual([201, 200, first.body]);
    await expect(own.api.deleteWorkspace(bodyOf(own))).rejects.toMatchObject(refused(404, 'not_found'));
    const other = own.api.deleteWorkspace(bodyOf(own, { endShares: true }), key);
    await expect(other).rejects.toMatchObject(refused(409, 'idempotency_conflict'));
  });
});

/** Resolves with the finished deletion. */
async function finished(of: TestServer) {
  const params = { deletedWorkspaceId: of.workspaceId };
  for (;;) {
    const { deletion } = (await of.api.getWorkspaceDeletion({ params })).body;
    if (deletion.status === 'deleted') return deletion;
  }
}
const trail = (id: string) =>
  server.ledger(({ sqlite }) =>
    sqlite.prepare('SELECT action FROM audit_events WHERE workspace_id = ? ORDER BY seq').pluck().all(id),
  );

describe('the record of a deletion', () => {
  test('lists what remains, and only its account reads it', async () => {
    const own = await makeWorkspace();
    await own.api.deleteWorkspace(bodyOf(own));
    const deletion = await finished(own);
    const events = trail(own.workspaceId);
    expect(deletion).toMatchObject({
      workspaceId: own.workspaceId,
      handle: own.handle,
      displayName: own.handle,
      deletedBy: server.subject,
      leftCapsules: [],
      remains: { auditEvents: events.length, tombstone: true },
    });
    expect(events).toEqual(['workspace.created', 'project.created', 'workspace.deleted', 'workspace.erased']);
    const params = { deletedWorkspaceId: own.workspaceId };
    const { api } = await server.join('owner');
    await expect(api.getWorkspaceDeletion({ params })).rejects.toMatchObject(refused(404, 'not_found'));
    const bound = await makeToken(server, { scopes: ['admin'], workspace_id: server.workspaceId });
    await expect(server.as(bound.token).getWorkspaceDeletion({ params })).rejects.toMatchObject(
      refused(404, 'not_found'),
    );
  });

  test('frees the handle, and not the id', async () => {
    const own = await makeWorkspace();
    await own.api.deleteWorkspace(bodyOf(own));
    const { workspace } = (await own.api.createWorkspace({ body: { handle: own.handle } })).body;
    expect(workspace.id).not.toBe(own.workspaceId);
  });
});

test('files of Runs and Capsules are removed, and those of other Workspaces stay', async () => {
  const own = await makeWorkspace();
  const mine = await seedCapsule(own);
  const theirs = await seedCapsule(server);
  const run = holdCapsule(own, mine.id);
  server.ledger(({ sqlite }) => sqlite.prepare("UPDATE runs SET status = 'failed' WHERE id = ?").run(run.id));
  const put = (...names: string[]) => {
    const file = path.join(server.dataDir, ...names);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, canary('file'));
    return file;
  };
  const gone = [
    put('runs', run.id, 'errored.tfstate'),
    put('runs', `${run.id}.0`, 'journal.ndjson'),
    put('capsules', mine.id, 'tree', 'main.tf'),
    put('packages', own.workspaceId, 'archives', 'private.tar'),
  ];
  const retained = [
    put('runs', 'plan_other', 'plan'),
    put('capsules', theirs.id, 'tree', 'main.tf'),
    put('packages', server.workspaceId, 'archives', 'private.tar'),
  ];
  await own.api.deleteWorkspace(bodyOf(own));
  await finished(own);
  expect([gone.filter((file) => fs.existsSync(file)), retained.filter((file) => !fs.existsSync(file))]).toEqual([
    [],
    [],
  ]);
  expect(filesHolding(server.dataDir, canary('file')).sort()).toEqual(retained.sort());
});

test('event streams of its members end', async () => {
  const partner = await server.join(undefined);
  const id = server.ledger((db) => addWorkspace(db, [server.subject, partner.subject], 'Shared', 'shared-one'));
  const events = await server.events(`/api/v1/workspaces/${id}/events`);
  await partner.api.listWorkspaces({});
  await partner.api.createWorkspace({ body: { handle: 'left-to-partner' } });
  await partner.api.deleteWorkspace(bodyOf({ workspaceId: id, handle: 'shared-one' }));
  await events.rest();
  await expect(server.api.getWorkspace({ params: { workspaceId: id } })).rejects.toMatchObject(
    refused(404, 'not_found'),
  );
});
