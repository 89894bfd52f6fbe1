import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findInstallationId } from '#server/kernel/installation';
import { removeTree } from '#server/kernel/remove-tree';
import { fenceAt } from '../../../test/fence-fixture.ts';
import { startTestServer, type TestServer, tempDir } from '../../../test/harness.ts';
import { seedCapsule, seedRun } from '../../../test/ledger-rows.ts';
import { bucketKeys, type ObjectBucket, startObjectBucket } from '../../../test/object-bucket.ts';
import { markRestored, signInAgain } from '../../../test/restored-fixture.ts';

const dir = tempDir();
let bucket: ObjectBucket;
let server: TestServer;
let capsule: Awaited<ReturnType<typeof seedCapsule>>;
beforeAll(async () => {
  bucket = await startObjectBucket();
  const keyFile = path.join(dir, 'keys.json');
  fs.writeFileSync(keyFile, JSON.stringify(bucketKeys), { mode: 0o600 });
  const env = {
    GROUNDCTL_FENCE_URL: `${bucket.connection.endpoint}/backups/fence`,
    GROUNDCTL_FENCE_KEY_FILE: keyFile,
    GROUNDCTL_FENCE_REGION: bucket.connection.region,
  };
  server = await startTestServer({ env });
});
afterAll(async () => {
  await server.close();
  await bucket.close();
  removeTree(dir);
});

const operator = () => server.as(server.operatorToken);
const fenceOf = async () => (await operator().getFence({})).body.fence;
const write = () =>
  server.request('PATCH', `/api/v1/workspaces/${server.workspaceId}`, { displayName: 'Another name' });
const countSyncs = () =>
  server.ledger(({ sqlite }) => sqlite.prepare("SELECT count(*) FROM runs WHERE type = 'source_sync'").pluck().get());
/** Watches the Source of the Capsule, which was due long ago. */
const makeSyncDue = () =>
  server.ledger(({ sqlite }) => sqlite.prepare('UPDATE sources SET auto_sync = 1, polled_at = 1').run());
const takeElsewhere = () => {
  const installationId = server.ledger((db) => findInstallationId(db)) ?? '';
  return fenceAt(bucket, 'server-new', { installationId }).take('operator');
};

describe('a server with a fence', () => {
  test('is named in the bucket by an id beside its ledger, and keeps it over a restart', async () => {
    const fence = await fenceOf();
    expect(fence).toMatchObject({ status: 'held', location: 's3://backups/fence/groundctl-fence.json' });
    expect(fs.readFileSync(path.join(server.dataDir, 'server-id'), 'utf8').trim()).toBe(fence.serverId);
    await server.restart();
    expect(await fenceOf()).toMatchObject({ status: 'held', holder: { serverId: fence.serverId, term: 1 } });
  });

  test('reads and refuses to write once another one has the fence, also after a restart without the bucket', async () => {
    capsule = await seedCapsule(server);
    makeSyncDue();
    await takeElsewhere();
    await server.restart();
    const lost = { status: 'lost', holder: { serverId: 'server-new', term: 2 } };
    expect(await fenceOf()).toMatchObject(lost);
    expect(await write()).toMatchObject({
      status: 503,
      json: {
        error: { code: 'ledger_read_only', message: expect.stringContaining('Another server has taken the fence') },
      },
    });
    expect((await server.api.listWorkspaces({})).body.workspaces).toHaveLength(1);
    bucket.fail(() => 'cut');
    await server.restart();
    expect(await fenceOf()).toMatchObject(lost);
    expect((await write()).status).toBe(503);
    expect(countSyncs()).toBe(0);
    bucket.fail(undefined);
  });

  test('takes the fence back only after a start as a restored one, which ends what waited', async () => {
    const queued = seedRun(server, { capsuleId: capsule.id });
    await expect(operator().takeFence({})).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('groundctl restore mark'),
    });
    markRestored(server);
    await server.restart();
    expect(await fenceOf()).toMatchObject({ status: 'lost' });
    const { fence } = (await operator().takeFence({})).body;
    expect(fence).toMatchObject({ status: 'held', holder: { term: 3 } });
    const api = await signInAgain(server);
    expect((await api.getInstallation({})).body.installation).toMatchObject({
      paused: true,
      ended: { cancelledRuns: 1 },
    });
    expect((await api.getRun({ params: { runId: queued.id } })).body.run.status).toBe('cancelled');
    expect(countSyncs()).toBe(0);
    await operator().resumeInstallationAsOperator({});
    expect(countSyncs()).toBe(1);
    const { events } = (await operator().listAudit({ query: { action: 'fence.taken' } })).body;
    expect(events).toEqual([expect.objectContaining({ actorId: 'operator', targetType: 'fence' })]);
  });

  test('starts and writes when the bucket does not answer', async () => {
    bucket.fail(() => 'cut');
    await server.restart();
    expect(await fenceOf()).toMatchObject({ status: 'unknown', message: expect.stringContaining('did not answer') });
    const api = await signInAgain(server);
    const named = { params: { workspaceId: server.workspaceId }, body: { displayName: 'Another name' } };
    expect((await api.updateWorkspace(named)).body.workspace.displayName).toBe('Another name');
    await expect(operator().takeFence({})).rejects.toMatchObject({ code: 'feature_unavailable' });
    bucket.fail(undefined);
  });
});

test('a server without a fence has none to take', async () => {
  const plain = await startTestServer();
  const operatorOfPlain = plain.as(plain.operatorToken);
  expect((await operatorOfPlain.getFence({})).body.fence).toEqual({ status: 'off' });
  await expect(operatorOfPlain.takeFence({})).rejects.toMatchObject({ code: 'capability_not_available' });
  await plain.close();
});
