import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findInstallationId } from '#server/kernel/installation';
import { formHostPath } from '#shared/vendor';
import { fenceAt } from '../../../test/fence-fixture.ts';
import { changing, creating, startFormHost } from '../../../test/form-host.ts';
import { bodyRoutes, callRoute, exactRoutes, refusalOf, writeRoutes } from '../../../test/form-rules.ts';
import { type RawAnswer, startTestServer, tempDir, testKeyFile } from '../../../test/harness.ts';
import { bucketKeys, startObjectBucket } from '../../../test/object-bucket.ts';

it('an account that calls too often is 429', { timeout: 60_000 }, async () => {
  const env = { GROUNDCTL_PUBLIC_URL: 'https://ground.example', GROUNDCTL_TRUST_PROXY: '127.0.0.1' };
  const f = await startFormHost({ env });
  try {
    const { token } = await f.server.join('viewer');
    const read = () =>
      f.server.raw({
        path: `${formHostPath}/resources?space=${f.server.workspaceId}`,
        headers: { authorization: `Bearer ${token}` },
      });
    let last = await read();
    for (let round = 0; round < 61; round += 1)
      last = (await Promise.all(Array.from({ length: 20 }, read))).at(-1) as RawAnswer;
    expect(refusalOf(last)).toEqual([429, 'invalid_argument', 'rate_limited', false]);
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(0);
  } finally {
    await f.server.close();
  }
});

it('every route is 503 and retryable while the vault is sealed, except discovery', async () => {
  const f = await startFormHost();
  try {
    fs.renameSync(testKeyFile(f.dataDir), `${testKeyFile(f.dataDir)}.away`);
    await f.server.restart();
    const refusal = [503, 'backend_unavailable', 'vault_sealed', true];
    for (const route of exactRoutes)
      expect([route, ...refusalOf(await callRoute(route, f))]).toEqual([route, ...refusal]);
    for (const list of [`${formHostPath}/forms`, `${formHostPath}/resources`, '/v1/resources'])
      expect(refusalOf(await f.send('GET', `${list}?space=${f.server.workspaceId}`))).toEqual(refusal);
    for (const address of ['/v1/capabilities', '/.well-known/formhost'])
      expect((await f.server.raw({ path: address })).status).toBe(200);
  } finally {
    await f.server.close();
  }
});

it('a write is 503 and retryable while the ledger is read-only, and a read is answered', async () => {
  const dir = tempDir();
  const keyFile = path.join(dir, 'keys.json');
  fs.writeFileSync(keyFile, JSON.stringify(bucketKeys), { mode: 0o600 });
  const bucket = await startObjectBucket();
  const f = await startFormHost({
    env: {
      GROUNDCTL_FENCE_URL: `${bucket.connection.endpoint}/backups/fence`,
      GROUNDCTL_FENCE_KEY_FILE: keyFile,
      GROUNDCTL_FENCE_REGION: bucket.connection.region,
    },
  });
  try {
    await f.apply({ name: 'present' });
    const installationId = f.server.ledger((db) => findInstallationId(db)) ?? '';
    await fenceAt(bucket, 'server-new', { installationId }).take('operator');
    await f.server.restart();
    for (const route of writeRoutes) {
      const headers = bodyRoutes.includes(route) ? creating() : changing(1);
      const answer = await callRoute(route, f, { name: 'present', headers });
      expect([route, ...refusalOf(answer)]).toEqual([route, 503, 'backend_unavailable', 'ledger_read_only', true]);
    }
    expect((await f.read('present')).status).toBe(200);
    expect((await f.events('present')).status).toBe(200);
  } finally {
    await f.server.close();
    await bucket.close();
    fs.rmSync(dir, { recursive: true });
  }
});

describe('a server without a form host', () => {
  it('has nothing at its addresses', async () => {
    const server = await startTestServer();
    try {
      const errorOf = ({ status, json }: RawAnswer) => [status, (json as { error: object }).error];
      const headers = { authorization: `Bearer ${server.token}` };
      const members = { message: expect.any(String), requestId: expect.any(String) };
      for (const path of ['/v1', '/v1/resources', '/v1/capabilities', '/.well-known/formhost'])
        for (const method of ['GET', 'POST', 'OPTIONS'])
          expect([path, ...errorOf(await server.raw({ method, path, headers }))]).toEqual([
            path,
            404,
            { code: 'not_found', ...members },
          ]);
      for (const path of [`${formHostPath}/forms`, `${formHostPath}/resources/Bucket/one`, '/apis/x'])
        for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS'])
          expect([path, ...errorOf(await server.raw({ method, path, headers }))]).toEqual([
            path,
            501,
            { code: 'capability_not_available', ...members },
          ]);
    } finally {
      await server.close();
    }
  });
});
