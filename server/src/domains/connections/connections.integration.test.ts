import { describe, expect, test } from 'vitest';
import { awsBody, gitBody, githubBody } from '../../../test/connection-bodies.ts';
import { clock, create, list, make, refusalOf, serveConnections, server } from '../../../test/connections-fixture.ts';
import { startTestServer } from '../../../test/harness.ts';

serveConnections();

const find = async (id: string) => (await list()).find((one) => one.id === id);
const materialsOf = (id: string) =>
  server.ledger((db) => db.sqlite.prepare('SELECT id FROM connection_materials WHERE connection_id = ?').all(id));
const operator = (method: string, path: string, body?: unknown) =>
  server.request(method, `/internal/v1${path}`, body, { authorization: `Bearer ${server.operatorToken}` });

describe('values', () => {
  test('are each sealed separately, and open nowhere else', async () => {
    const { id } = await make(awsBody(server.workspaceId));
    const rows = server.ledger((db) =>
      db.sqlite.prepare('SELECT id, name, sealed FROM connection_materials WHERE connection_id = ?').all(id),
    ) as { id: string; name: string; sealed: Buffer }[];
    expect(rows.map(({ id: row }) => row).sort()).toEqual([
      `${id}/env/AWS_ACCESS_KEY_ID`,
      `${id}/env/AWS_SECRET_ACCESS_KEY`,
    ]);
    for (const { sealed } of rows) expect(sealed.includes('canary')).toBe(false);
  });
});

describe('lists', () => {
  test('are paged, each Workspace on its own', async () => {
    const other = await startTestServer({ clock });
    const ids: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      clock.advance(1_000);
      const { body } = await other.api.createConnection({ body: githubBody(other.workspaceId) });
      ids.push(body.connection.id);
    }
    const read: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { workspaceId: other.workspaceId, limit: '2', ...(cursor && { cursor }) };
      const { body } = await other.api.listConnections({ query });
      read.push(...body.connections.map(({ id }) => id));
      cursor = body.nextCursor;
    } while (cursor !== undefined);
    expect(read).toEqual(ids);
    await other.close();
  });

  test('that can be bound leave out Git tokens and include those of the operator', async () => {
    const git = await make(gitBody(server.workspaceId));
    const { workspaceId: _, ...body } = githubBody('');
    const answer = await operator('POST', '/connections', { ...body, displayName: 'Everyone' });
    const shared = (answer.json as { connection: { id: string } }).connection;
    expect(shared).toMatchObject({ scope: 'operator' });
    expect(shared).not.toHaveProperty('workspaceId');
    const { providerConnections } = (
      await server.api.listProviderConnections({ query: { workspaceId: server.workspaceId } })
    ).body;
    const ids = providerConnections.map(({ id }) => id);
    expect(ids).toContain(shared.id);
    expect(ids).not.toContain(git.id);
    expect((await list()).map(({ id }) => id)).not.toContain(shared.id);
  });
});

describe('time', () => {
  test('expires a Connection without any write', async () => {
    const expiresAt = new Date(clock.now() + 60_000).toISOString();
    const { id } = await make(githubBody(server.workspaceId, { expiresAt }));
    expect(await find(id)).toMatchObject({ status: 'pending', expiresAt });
    clock.advance(60_000);
    expect((await find(id))?.status).toBe('expired');
    const tested = await server.api.testConnection({ params: { connectionId: id } });
    expect(tested.body).toMatchObject({ status: 'expired', detail: expect.stringContaining('was to expire') });
  });
});

test('an account may request sixty tests a minute', { timeout: 60_000 }, async () => {
  const { id } = await make(githubBody(server.workspaceId));
  // A revoked Connection has nothing to check, so each answer is quick.
  await server.api.revokeConnection({ params: { connectionId: id } });
  clock.advance(60_000);
  const requestTest = async () => (await server.request('POST', `/api/v1/connections/${id}/test`)).status;
  for (let call = 0; call < 60; call += 1) expect(await requestTest()).toBe(409);
  expect(await requestTest()).toBe(429);
  clock.advance(60_000);
  expect(await requestTest()).toBe(409);
});

describe('a revoke', () => {
  test('erases the values at once and permanently, and succeeds when it is repeated', async () => {
    const { id } = await make(awsBody(server.workspaceId));
    expect(materialsOf(id)).toHaveLength(2);
    const params = { connectionId: id };
    expect((await server.api.revokeConnection({ params })).status).toBe(204);
    expect(materialsOf(id)).toEqual([]);
    expect(await find(id)).toMatchObject({
      status: 'revoked',
      envNames: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
    });
    expect((await server.api.revokeConnection({ params })).status).toBe(204);
    const { events } = (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body;
    expect(events.filter(({ action, targetId }) => action === 'connection.revoked' && targetId === id)).toMatchObject([
      { metadata: { erased: 2 } },
    ]);
    const again = await server.request('POST', `/api/v1/connections/${id}/test`);
    expect(refusalOf(again)).toEqual([409, 'failed_precondition', 'connection_revoked', undefined]);
  });

  test('is possible in an archived Workspace, where nothing is created or tested', async () => {
    const { id } = await make(githubBody(server.workspaceId));
    const archive = (at: number | null) =>
      server.ledger((db) => db.sqlite.prepare('UPDATE workspaces SET archived_at = ?').run(at));
    archive(1);
    const answers = [
      await create(githubBody(server.workspaceId)),
      await server.request('POST', `/api/v1/connections/${id}/test`),
    ];
    const revoked = await server.request('POST', `/api/v1/connections/${id}/revoke`);
    archive(null);
    for (const answer of answers) expect(refusalOf(answer)[2]).toBe('workspace_archived');
    expect(revoked.status).toBe(204);
  });
});

describe('a caller', () => {
  test('of another Workspace cannot find any Connection', async () => {
    const { id } = await make(githubBody(server.workspaceId));
    const outsiderToken = (await server.join(undefined)).token;
    const as = (token: string, method: string, path: string) =>
      server.request(method, path, undefined, { authorization: `Bearer ${token}` });
    for (const path of [`/api/v1/connections/${id}/test`, `/api/v1/connections/${id}/revoke`]) {
      expect(refusalOf(await as(outsiderToken, 'POST', path)).slice(0, 2)).toEqual([404, 'connection_not_found']);
      expect(refusalOf(await as(outsiderToken, 'POST', path.replace(id, 'conn_nothing'))).slice(0, 2)).toEqual([
        404,
        'connection_not_found',
      ]);
    }
    expect(refusalOf(await as(outsiderToken, 'GET', `/api/v1/connections/${id}/uses`))[0]).toBe(404);
    for (const role of ['member', 'viewer'] as const) {
      const { token } = await server.join(role);
      expect(refusalOf(await as(token, 'POST', `/api/v1/connections/${id}/revoke`))[0]).toBe(403);
      expect((await as(token, 'GET', `/api/v1/connections/${id}/uses`)).json).toEqual({ uses: [] });
    }
  });

  test('without the operator role cannot find Connections of the operator, which the operator tests and revokes', async () => {
    const { workspaceId: _, ...body } = githubBody('');
    const created = (await operator('POST', '/connections', body)).json as { connection: { id: string } };
    const { id } = created.connection;
    for (const verb of ['test', 'revoke'])
      expect(refusalOf(await server.request('POST', `/api/v1/connections/${id}/${verb}`))).toEqual([
        404,
        'connection_not_found',
        undefined,
        undefined,
      ]);
    expect((await operator('GET', '/connections')).json).toMatchObject({
      connections: expect.arrayContaining([expect.objectContaining({ id })]),
    });
    expect((await operator('GET', `/connections/${id}`)).json).toMatchObject({ connection: { id, status: 'pending' } });
    expect((await operator('POST', `/connections/${id}/test`)).json).toEqual({ status: 'verified' });
    expect((await operator('DELETE', `/connections/${id}`)).status).toBe(204);
    expect((await operator('POST', `/connections/${id}/revoke`)).status).toBe(204);
    expect((await operator('GET', `/connections/${id}`)).json).toMatchObject({ connection: { status: 'revoked' } });
    expect(refusalOf(await operator('GET', '/connections/conn_nothing'))).toEqual([
      404,
      'connection_not_found',
      undefined,
      undefined,
    ]);
    expect(refusalOf(await operator('GET', '/connections?workspaceId=ws_nothing'))[0]).toBe(404);
    expect(refusalOf(await operator('POST', '/connections', { ...body, workspaceId: 'ws_nothing' }))[0]).toBe(404);
    const ofWorkspace = await operator('GET', `/connections?workspaceId=${server.workspaceId}`);
    expect((ofWorkspace.json as { connections: unknown[] }).connections).toHaveLength((await list()).length);
  });
});
