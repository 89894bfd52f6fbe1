import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createTestRepository,
  type GitFixture,
  goodCredential,
  startGitFixture,
} from '../../../../e2e/fixtures/git-server.ts';
import { canary, gitBody, githubBody } from '../../../test/connection-bodies.ts';
import { type RawAnswer, startTestServer, type TestServer, tempDir } from '../../../test/harness.ts';

let server: TestServer;
let away: GitFixture;
let git: GitFixture;
const root = tempDir();
beforeAll(async () => {
  createTestRepository(path.join(root, 'secret')).commit({ 'main.tf': 'output "a" { value = 1 }\n' });
  away = await startGitFixture({ root });
  [server, git] = await Promise.all([startTestServer(), startGitFixture({ root, awayTo: `${away.url}/plain` })]);
});
afterAll(async () => {
  await Promise.all([server.close(), git.close(), away.close()]);
  fs.rmSync(root, { recursive: true });
});

const values = { GIT_HTTPS_TOKEN: goodCredential.password, GIT_HTTPS_USERNAME: goodCredential.username };
const connect = async (more: Record<string, unknown> = { values }) =>
  (await server.api.createConnection({ body: gitBody(server.workspaceId, more) })).body.connection.id;
const register = async (mode: string, authConnectionId?: string) => {
  const body = {
    workspaceId: server.workspaceId,
    name: 'Private',
    url: `${git.url}/${mode}/secret`,
    ...(authConnectionId && { authConnectionId }),
  };
  return (await server.api.createSource({ body })).body.source;
};
const sync = async (sourceId: string) => {
  const { run } = (await server.api.syncSource({ params: { sourceId }, body: {} })).body;
  await server.ended(run.id);
  return (await server.api.getRun({ params: { runId: run.id } })).body.run;
};
const statusAndCode = ({ status, json }: RawAnswer) => {
  const { code, details } =
    (json as { error?: { code: string; details?: { reason?: string; field?: string } } }).error ?? {};
  return [status, code, details?.reason, details?.field];
};
const createSource = (authConnectionId: string, token = server.token) =>
  server.request(
    'POST',
    '/api/v1/sources',
    { workspaceId: server.workspaceId, name: 'n', url: `${git.url}/private/secret`, authConnectionId },
    { authorization: `Bearer ${token}` },
  );

describe('a private repository', () => {
  test('is read with the token of its Connection, which then records the Run', async () => {
    const connectionId = await connect();
    const source = await register('private', connectionId);
    expect(source.authConnectionId).toBe(connectionId);
    const run = await sync(source.id);
    expect(run).toMatchObject({ status: 'succeeded' });
    const { uses } = (await server.api.listConnectionUses({ params: { connectionId } })).body;
    expect(uses).toEqual([{ runId: run.id, names: ['GIT_HTTPS_TOKEN'], usedAt: expect.any(String) }]);
    expect(await server.api.testConnection({ params: { connectionId } })).toMatchObject({
      body: { status: 'verified' },
    });
  });

  test('is not readable without a token, with a wrong one, or with a revoked one', async () => {
    const bare = await register('private');
    expect(await sync(bare.id)).toMatchObject({ status: 'failed', errorCode: 'source_auth_failed' });
    const wrong = await connect({ values: { GIT_HTTPS_TOKEN: canary('wrong') } });
    const source = await register('private', wrong);
    expect(await sync(source.id)).toMatchObject({ status: 'failed', errorCode: 'source_auth_failed' });
    const tested = (await server.api.testConnection({ params: { connectionId: wrong } })).body;
    expect(tested).toMatchObject({ status: 'error', detail: expect.stringContaining('does not accept') });
    await server.api.revokeConnection({ params: { connectionId: wrong } });
    const run = await sync(source.id);
    expect(run).toMatchObject({ status: 'failed', errorCode: 'source_auth_failed' });
    const right = await connect();
    await server.api.updateSource({ params: { sourceId: source.id }, body: { authConnectionId: right } });
    expect(await sync(source.id)).toMatchObject({ status: 'succeeded' });
    const { body } = await server.api.updateSource({
      params: { sourceId: source.id },
      body: { authConnectionId: null },
    });
    expect(body.source).not.toHaveProperty('authConnectionId');
  });

  test('that redirects elsewhere does not receive the token', async () => {
    const source = await register('away', await connect());
    away.seen.length = 0;
    git.seen.length = 0;
    expect(await sync(source.id)).toMatchObject({ status: 'succeeded' });
    expect(git.seen.every(({ authorization }) => authorization !== undefined)).toBe(true);
    expect(away.seen.length).toBeGreaterThan(0);
    expect(away.seen.every(({ authorization }) => authorization === undefined)).toBe(true);
  });

  test('is installed from with its Connection', async () => {
    const authConnectionId = await connect();
    const source = { name: 'Install', url: `${git.url}/private/secret`, ref: 'main', path: '.', authConnectionId };
    const body = { source, capsule: { name: 'web', environment: 'test' } };
    const params = { workspaceId: server.workspaceId };
    const { installPlan } = (await server.api.createInstallPlan({ params, body }, { 'idempotency-key': 'git' })).body;
    expect(installPlan.source.authConnectionId).toBe(authConnectionId);
    const id = installPlan.id;
    await server.api.reconcileInstallPlan({ params: { installPlanId: id } });
    const { sourceId = '' } = (await server.api.getInstallPlan({ params: { installPlanId: id } })).body.installPlan;
    const privateSource = (await server.api.getSource({ params: { sourceId } })).body.source;
    expect(privateSource.authConnectionId).toBe(authConnectionId);
    for (const [connection, expected] of [
      ['conn_00000000', [404, 'connection_not_found', undefined, undefined]],
      ['nothing', [400, 'invalid_request', undefined, '/source/authConnectionId']],
    ] as const) {
      const answer = await server.request(
        'POST',
        `/api/v1/workspaces/${server.workspaceId}/install-plans`,
        { ...body, source: { ...source, authConnectionId: connection } },
        { 'idempotency-key': `git-${connection}` },
      );
      expect(statusAndCode(answer)).toEqual(expected);
    }
  });
});

describe('a Connection for Git', () => {
  test('is the only kind that a Source accepts', async () => {
    const provider = (await server.api.createConnection({ body: githubBody(server.workspaceId) })).body.connection.id;
    expect(statusAndCode(await createSource(provider))).toEqual([
      400,
      'invalid_argument',
      'connection_kind_mismatch',
      '/authConnectionId',
    ]);
    expect(statusAndCode(await createSource('conn_00000000'))[1]).toBe('connection_not_found');
    expect(statusAndCode(await createSource('nothing'))[1]).toBe('invalid_request');
    const revoked = await connect();
    await server.api.revokeConnection({ params: { connectionId: revoked } });
    expect(statusAndCode(await createSource(revoked))[2]).toBe('connection_revoked');
    const { token } = await server.join('member');
    expect(statusAndCode(await createSource(await connect(), token)).slice(0, 2)).toEqual([403, 'forbidden']);
  });

  test('that is not used yet cannot be tested without an address for the test', async () => {
    const unused = await connect();
    expect((await server.api.testConnection({ params: { connectionId: unused } })).body).toEqual({
      status: 'pending',
      detail: expect.stringContaining('No Source uses'),
    });
    const scopeHints = { providerConfig: { url: `${git.url}/private/secret` } };
    const hinted = await connect({ values, scopeHints });
    expect((await server.api.testConnection({ params: { connectionId: hinted } })).body).toEqual({
      status: 'verified',
    });
  });

  test('is not marked as failed because its server does not answer', async () => {
    const scopeHints = { providerConfig: { url: 'http://127.0.0.1:9/secret' } };
    const id = await connect({ values, scopeHints });
    const { body } = await server.api.testConnection({ params: { connectionId: id } });
    expect(body).toMatchObject({ status: 'pending', detail: expect.any(String) });
    const query = { workspaceId: server.workspaceId };
    const { connections } = (await server.api.listConnections({ query })).body;
    expect(connections.find((one) => one.id === id)?.status).toBe('pending');
  });
});
