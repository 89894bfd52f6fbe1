import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiTables } from '#shared/api';
import { type Endpoint, fullPath } from '#shared/kernel/endpoint';
import { startTestServer, type TestServer, testKeyFile } from '../../../test/harness.ts';

const endpoints = apiTables.flatMap((table): [string, Endpoint][] => Object.entries(table));
const session = () => ({ authorization: `Bearer ${server.token}` });
const operator = () => ({ authorization: `Bearer ${server.operatorToken}` });
const statusAndCode = (answer: { status: number; json: unknown }) => {
  const error = (answer.json as { error?: { code: string; details?: { reason?: string } } }).error;
  return [answer.status, error?.code, error?.details?.reason];
};
const unseal = (body: object, headers: Record<string, string> = operator()) =>
  server.raw({
    method: 'POST',
    path: '/internal/v1/vault/unseal',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

let server: TestServer;
const away = () => `${testKeyFile(server.dataDir)}.away`;

describe('a server whose key is gone', () => {
  let sourceId: string;
  beforeAll(async () => {
    server = await startTestServer();
    const body = { workspaceId: server.workspaceId, name: 'one', url: 'https://example.com/a' };
    sourceId = (await server.api.createSource({ body })).body.source.id;
    fs.renameSync(testKeyFile(server.dataDir), away());
    await server.restart();
  });
  afterAll(() => server.close());

  test('answers health requests, reports that it is not ready, and serves its page', async () => {
    expect((await server.raw({ path: '/healthz' })).status).toBe(200);
    const ready = await server.raw({ path: '/readyz' });
    expect([ready.status, (ready.json as { checks: object[] }).checks]).toEqual([
      503,
      expect.arrayContaining([
        { name: 'vault', ok: false },
        { name: 'ledger', ok: true },
      ]),
    ]);
    const page = await server.raw({ path: '/runs', headers: { accept: 'text/html' } });
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    for (const path of ['/api/v1/capabilities', '/.well-known/svc', '/openapi.json'])
      expect((await server.raw({ path })).status).toBe(200);
  });

  test.each(endpoints.filter(([, { whileSealed }]) => !whileSealed))('refuses %s with 503', async (_, endpoint) => {
    const isWrite = endpoint.method !== 'GET';
    const answer = await server.raw({
      method: endpoint.method,
      path: fullPath(endpoint).replace(/:\w+/g, 'nothing'),
      headers: { ...(endpoint.class === 'Op' ? operator() : session()), 'content-type': 'application/json' },
      ...(isWrite && { body: '{}' }),
    });
    expect(statusAndCode(answer)).toEqual([503, 'vault_sealed', 'key_missing']);
  });

  test('returns the reason, and the location of the key, to the operator only', async () => {
    const { status, json } = await server.raw({ path: '/internal/v1/vault', headers: operator() });
    expect([status, json]).toMatchObject([
      200,
      { vault: { sealed: true, reason: 'key_missing', keySource: 'file', place: testKeyFile(server.dataDir) } },
    ]);
    for (const headers of [{}, session()])
      expect((await server.raw({ path: '/internal/v1/vault', headers })).status).toBe(401);
    expect((await unseal({}, session())).status).toBe(401);
  });

  test('stays sealed until the key is restored, then works as before and records it in its trail', async () => {
    const tries = await Promise.all([unseal({}), unseal({}), unseal({ passphrase: 'no passphrase at all' })]);
    expect(tries.map(({ status, json }) => [status, json])).toEqual(Array(3).fill([200, { sealed: true }]));
    fs.renameSync(away(), testKeyFile(server.dataDir));
    const two = await Promise.all([unseal({}), unseal({})]);
    expect(two.map(({ json }) => json)).toEqual([{ sealed: false }, { sealed: false }]);
    expect((await server.api.getSource({ params: { sourceId } })).body.source.name).toBe('one');
    await server.api.updateSource({ params: { sourceId }, body: { rotateHookSecret: true } });
    const actions = server.ledger((db) =>
      db.sqlite.prepare("SELECT action FROM audit_events WHERE action LIKE 'vault.%'").pluck().all(),
    );
    expect(actions).toEqual(['vault.unsealed']);
    expect((await unseal({})).json).toEqual({ sealed: false });
  });
});

describe('a server with a passphrase', () => {
  const right = 'correct horse battery';

  test('accepts one and is opened by it, refuses a wrong one, and can run without one from then on', async () => {
    server = await startTestServer({ env: { GROUNDCTL_KEY_SOURCE: 'file' } });
    const changed = await server.api.changeKey({ body: { source: 'passphrase', passphrase: right } });
    expect(changed.body.vault).toMatchObject({ sealed: false, keySource: 'passphrase' });
    await server.restart();
    expect(statusAndCode(await server.request('GET', '/api/v1/workspaces'))).toEqual([
      503,
      'vault_sealed',
      'passphrase_required',
    ]);
    expect(statusAndCode(await unseal({ passphrase: 'wrong horse battery' }))).toEqual([
      401,
      'invalid_credentials',
      undefined,
    ]);
    expect((await server.raw({ path: '/internal/v1/vault', headers: operator() })).json).toMatchObject({
      vault: { reason: 'passphrase_wrong' },
    });
    expect((await unseal({ passphrase: right })).json).toEqual({ sealed: false });
    const back = await server.api.changeKey({ body: { source: 'file' } });
    expect(back.body.vault).toMatchObject({ keySource: 'file' });
    await server.restart();
    expect((await server.request('GET', '/api/v1/workspaces')).status).toBe(200);
    await server.close();
  }, 60_000);
});

describe('the vault over the API', () => {
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  test('is shown to the owner of the installation and to no other account', async () => {
    const { vault } = (await server.api.getVault({})).body;
    expect(vault).toMatchObject({ sealed: false, keySource: 'file', oldKeys: 0, keyId: expect.stringMatching(/^mk_/) });
    const other = await server.join('admin');
    for (const [method, path, body] of [
      ['GET', '/api/v1/vault', undefined],
      ['POST', '/api/v1/vault/rotations', {}],
      ['PUT', '/api/v1/vault/key', { source: 'file' }],
    ] as const) {
      const headers = { authorization: `Bearer ${other.token}` };
      expect(statusAndCode(await server.request(method, path, body, headers)).slice(0, 2)).toEqual([403, 'forbidden']);
    }
  });

  test('rotates its keys, and reports the progress of the re-encryption', async () => {
    const body = { workspaceId: server.workspaceId, name: 'one', url: 'https://example.com/a' };
    await server.api.createSource({ body });
    expect((await server.api.rotateKeys({})).body.vault.job).toMatchObject({ kind: 'rotation' });
    await expect
      .poll(async () => (await server.api.getVault({})).body.vault)
      .toMatchObject({ oldKeys: 0, job: { finishedAt: expect.any(String), unreadable: 0 } });
    const heads = server.ledger((db) =>
      db.sqlite.prepare('SELECT hex(substr(hook_secret, 1, 5)) FROM sources').pluck().all(),
    );
    expect(heads).toEqual(['0200000003']);
  });

  test('reports why a key cannot be stored in a location', async () => {
    const { status, json } = await server.request('PUT', '/api/v1/vault/key', {
      source: 'passphrase',
      passphrase: 'short',
    });
    expect([status, json]).toMatchObject([409, { error: { code: 'conflict', message: /12 characters/ } }]);
    expect((await server.request('PUT', '/api/v1/vault/key', { source: 'file', passphrase: 'x' })).status).toBe(400);
    fs.chmodSync(testKeyFile(server.dataDir), 0o644);
    const refused = await server.request('PUT', '/api/v1/vault/key', { source: 'file' });
    expect([refused.status, refused.json]).toMatchObject([409, { error: { details: { reason: 'key_file_refused' } } }]);
    fs.chmodSync(testKeyFile(server.dataDir), 0o600);
    expect(path.dirname(testKeyFile(server.dataDir))).not.toBe('');
  });
});
