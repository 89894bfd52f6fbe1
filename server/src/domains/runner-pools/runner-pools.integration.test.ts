import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestClient, type TestServer } from '../../../test/harness.ts';
import { seedCapsule, seedRun } from '../../../test/ledger-rows.ts';

let server: TestServer;
let api: TestClient;
beforeAll(async () => {
  server = await startTestServer({ env: { GROUNDCTL_NATS_URL: 'nats://127.0.0.1:1' } });
  api = server.api;
});
afterAll(() => server.close());

let made = 0;
const createPool = async (name = `Pool ${++made}`) => (await api.createRunnerPool({ body: { name } })).body.runnerPool;
const refused = (status: number, reason: string) =>
  expect.objectContaining({ status, details: expect.objectContaining({ reason }) });
const workspace = () => ({ workspaceId: server.workspaceId });
const allow = (poolIds: string[], defaultPoolId: string = 'local') =>
  api.setWorkspaceRunnerPools({ params: workspace(), body: { poolIds, defaultPoolId } });
const listAllowed = async () => (await api.listWorkspaceRunnerPools({ params: workspace() })).body.runnerPools;
const remove = (poolId: string) => api.removeRunnerPool({ params: { poolId } });

beforeEach(() => allow([]));

describe('a pool', () => {
  it('has a name that is unique until the pool is removed', async () => {
    const pool = await createPool('Office');
    expect(pool).toMatchObject({ name: 'Office', machines: 0, liveMachines: 0, queue: { waiting: 0, running: 0 } });
    await expect(createPool('OFFICE')).rejects.toEqual(refused(409, 'runner_pool_name_taken'));
    const params = { poolId: (await createPool()).id };
    await expect(api.updateRunnerPool({ params, body: { name: 'Office' } })).rejects.toEqual(
      refused(409, 'runner_pool_name_taken'),
    );
    await expect(api.updateRunnerPool({ params, body: {} })).rejects.toEqual(refused(400, 'empty_patch'));
    await remove(pool.id);
    expect((await createPool('Office')).name).toBe('Office');
    await expect(remove(pool.id)).rejects.toMatchObject({ status: 404 });
  });

  it('is renamed, and recorded only when something differs', async () => {
    const { id: poolId } = await createPool();
    const body = { name: 'Site', note: 'Behind the gate' };
    for (let n = 0; n < 2; n += 1)
      expect((await api.updateRunnerPool({ params: { poolId }, body })).body.runnerPool).toMatchObject(body);
    const { events } = (await server.as(server.operatorToken).listAudit({ query: { action: 'runner_pool.updated' } }))
      .body;
    expect(events.filter(({ targetId }) => targetId === poolId)).toHaveLength(1);
  });

  it('is not removed while a Run, a Capsule or a Workspace uses it, and the answer says which', async () => {
    const { id } = await createPool();
    const capsule = await seedCapsule(server);
    await allow([id]);
    const params = { capsuleId: capsule.id };
    await api.updateCapsule({ params, body: { runnerPoolId: id } });
    const usedBy = (kind: string, names?: string[]) => ({
      status: 409,
      details: { reason: 'runner_pool_in_use', usedBy: kind, ...(names && { users: names.map((name) => ({ name })) }) },
    });
    const run = seedRun(server, { runnerPool: id });
    await expect(remove(id)).rejects.toMatchObject(usedBy('runs'));
    server.ledger((db) => db.sqlite.prepare("UPDATE runs SET status = 'cancelled' WHERE id = ?").run(run.id));
    await expect(remove(id)).rejects.toMatchObject(usedBy('capsules', [capsule.name]));
    await api.updateCapsule({ params, body: { runnerPoolId: null } });
    const { displayName } = (await api.getWorkspace({ params: workspace() })).body.workspace;
    await expect(remove(id)).rejects.toMatchObject(usedBy('workspaces', [displayName]));
    await allow([]);
    await remove(id);
    expect((await api.getRun({ params: { runId: run.id } })).body.run.runnerPoolId).toBe(id);
    expect((await listAllowed()).find((pool) => pool.id === id)).toMatchObject({ isAllowed: false });
  });

  it('is listed in pages, with what waits in it and in `local`', async () => {
    const before = (await api.listRunnerPools({ query: {} })).body;
    const [first, second] = [await createPool(), await createPool()];
    const waiting = seedRun(server, { runnerPool: second.id });
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await api.listRunnerPools({ query: { limit: '1', ...(cursor && { cursor }) } });
      ids.push(...body.runnerPools.map(({ id }) => id));
      cursor = body.nextCursor;
    } while (cursor !== undefined);
    expect(ids).toEqual([...before.runnerPools.map(({ id }) => id), first.id, second.id]);
    const { isConfigured, runnerPools } = (await api.listRunnerPools({ query: {} })).body;
    expect(isConfigured).toBe(true);
    expect(runnerPools.at(-1)?.queue).toEqual({
      waiting: 1,
      running: 0,
      oldestWaitingAt: new Date(waiting.createdAt).toISOString(),
    });
  });
});

describe('the installation-wide routes', () => {
  it('refuse everyone but the local owner and the operator', async () => {
    const { id: poolId } = await createPool();
    const other = (await server.join('owner')).api;
    for (const call of [
      other.listRunnerPools({ query: {} }),
      other.createRunnerPool({ body: { name: 'Mine' } }),
      other.removeRunnerPool({ params: { poolId } }),
      other.createRunnerEnrolment({ params: { poolId } }),
      other.setWorkspaceRunnerPools({ params: workspace(), body: { poolIds: [poolId], defaultPoolId: 'local' } }),
    ])
      await expect(call).rejects.toMatchObject({ status: 403 });
    const operator = server.as(server.operatorToken);
    await operator.removeRunnerPoolAsOperator({ params: { poolId } });
  });
});

describe('a Workspace', () => {
  it('may use `local` and the pools that were allowed, which every member sees', async () => {
    const pool = await createPool();
    await allow([pool.id], pool.id);
    const viewer = (await server.join('viewer')).api;
    const { runnerPools } = (await viewer.listWorkspaceRunnerPools({ params: workspace() })).body;
    expect(runnerPools.filter(({ isAllowed }) => isAllowed)).toMatchObject([
      { id: 'local', isDefault: false },
      { id: pool.id, name: pool.name, isDefault: true, liveMachines: 0 },
    ]);
    const outsider = (await server.join(undefined)).api;
    await expect(outsider.listWorkspaceRunnerPools({ params: workspace() })).rejects.toMatchObject({ status: 403 });
  });

  it('is refused a default that it may not use, and a pool that does not exist', async () => {
    const pool = await createPool();
    await expect(allow([], pool.id)).rejects.toEqual(refused(400, 'runner_pool_default_invalid'));
    await remove(pool.id);
    await expect(allow([pool.id])).rejects.toMatchObject({ status: 404 });
    const params = { workspaceId: 'ws_none' };
    await expect(
      api.setWorkspaceRunnerPools({ params, body: { poolIds: [], defaultPoolId: 'local' } }),
    ).rejects.toMatchObject({ status: 404 });
  });
});

describe('a Capsule', () => {
  it('chooses an allowed pool or none, recorded once; a withdrawn choice stays visible', async () => {
    const [pool, other] = [await createPool(), await createPool()];
    const params = { capsuleId: (await seedCapsule(server)).id };
    const choose = async (runnerPoolId: string | null) =>
      (await api.updateCapsule({ params, body: { runnerPoolId } })).body.capsule.runnerPoolId;
    await allow([pool.id]);
    expect([await choose(pool.id), await choose(pool.id)]).toEqual([pool.id, pool.id]);
    await expect(choose(other.id)).rejects.toEqual(refused(409, 'runner_pool_not_allowed'));
    await allow([]);
    expect((await api.getCapsule({ params })).body.capsule.runnerPoolId).toBe(pool.id);
    expect([await choose('local'), await choose(null)]).toEqual(['local', null]);
    const { events } = (await api.listActivity({ params: workspace(), query: {} })).body;
    expect(
      events.filter(
        ({ targetId, action }) => targetId === params.capsuleId && action === 'capsule.runner_pool_changed',
      ),
    ).toHaveLength(3);
    const member = (await server.join('member')).api;
    await expect(member.updateCapsule({ params, body: { runnerPoolId: null } })).rejects.toMatchObject({ status: 403 });
  });
});

describe('without a NATS server', () => {
  it('no pool is made, and the answer says how to switch pools on', async () => {
    const bare = await startTestServer();
    await expect(bare.api.createRunnerPool({ body: { name: 'Office' } })).rejects.toMatchObject({
      message: expect.stringContaining('GROUNDCTL_NATS_URL'),
      status: 409,
      details: { reason: 'runners_not_configured' },
    });
    expect((await bare.api.listRunnerPools({ query: {} })).body).toMatchObject({
      isConfigured: false,
      runnerPools: [],
    });
    await bare.close();
  });

  it('a pool of an earlier time is read and removed, and no machine joins it', async () => {
    const earlier = await startTestServer();
    const poolId = 'pool_01K8Z3QF7M2XW5N9B4C6D8EQ10';
    earlier.ledger((db) =>
      db.sqlite
        .prepare("INSERT INTO runner_pools (id, name, created_at, created_by) VALUES (?, 'Office', 1, 'operator')")
        .run(poolId),
    );
    const params = { poolId };
    await expect(earlier.api.createRunnerEnrolment({ params })).rejects.toEqual(refused(409, 'runners_not_configured'));
    expect((await earlier.api.listRunnerPools({ query: {} })).body.runnerPools).toHaveLength(1);
    await earlier.api.removeRunnerPool({ params });
    await earlier.close();
  });
});
