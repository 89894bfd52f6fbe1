import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule, seedPlan, seedState } from '../../../test/ledger-rows.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const read = async (capsuleId: string) => (await server.api.getCapsule({ params: { capsuleId } })).body;

describe('a Capsule', () => {
  test('shows its fields and its newest Run; only `hold`, `drift` and `runnerPoolId` are null when absent', async () => {
    const row = await seedCapsule(server);
    const bare = (await read(row.id)).capsule;
    expect(bare).toMatchObject({
      id: row.id,
      status: 'pending',
      currentStateGeneration: 0,
      executionAuthorityEpoch: 1,
    });
    const { hold, drift, runnerPoolId, ...others } = bare;
    expect([hold, drift, runnerPoolId]).toEqual([null, null, null]);
    expect(Object.values(others)).not.toContain(null);
    expect(bare).not.toHaveProperty('latestRun');
    seedPlan(server, row);
    const plan = seedPlan(server, row, {
      moves: ['claim', 'requestApproval'],
      facts: { summary: { add: 1, change: 0, destroy: 2 } },
    });
    expect((await read(row.id)).capsule.latestRun).toEqual({
      id: plan.id,
      type: 'plan',
      status: 'waiting_approval',
      createdAt: expect.any(String),
      summary: { add: 1, change: 0, destroy: 2 },
      awaits: 'approve',
    });
  });

  test('carries an authority guard that is stable and changes with everything it binds', async () => {
    const row = await seedCapsule(server);
    const guardOf = async () => {
      const { capsule, installConfigReAdoption } = await read(row.id);
      expect(capsule.installConfigReAdoption).toEqual(installConfigReAdoption);
      return installConfigReAdoption.authorityGuard;
    };
    const seen = [await guardOf()];
    expect(await guardOf()).toBe(seen[0]);
    const change = (text: string) =>
      server.ledger((db) => db.sqlite.prepare(`UPDATE capsules SET ${text} WHERE id = ?`).run(row.id));
    for (const text of ["status = 'active'", 'execution_authority_epoch = 2', 'current_state_generation = 9']) {
      change(text);
      seen.push(await guardOf());
    }
    seedState(server, row, { generation: 9 });
    seen.push(await guardOf());
    server.ledger((db) =>
      db.sqlite.prepare('UPDATE install_configs SET name = ? WHERE id = ?').run('other', row.installConfigId),
    );
    seen.push(await guardOf());
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('is in the list of its Workspace, which does not accept POST', async () => {
    const row = await seedCapsule(server);
    const params = { workspaceId: server.workspaceId };
    expect((await server.api.listCapsules({ params })).body.capsules.map(({ id }) => id)).toContain(row.id);
    const answer = await server.request('POST', `/api/v1/workspaces/${server.workspaceId}/capsules`, {});
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET']);
  });
});

describe('an InstallConfig', () => {
  test('that is built in is readable by every account, one of a Workspace by its members', async () => {
    const row = await seedCapsule(server);
    const outsider = await server.join(undefined);
    const get = (capsuleConfigId: string) => outsider.api.getInstallConfig({ params: { capsuleConfigId } });
    expect((await get('cfg-default-opentofu-capsule')).body.installConfig).toMatchObject({
      id: 'cfg-default-opentofu-capsule',
      variableMapping: {},
    });
    await expect(get(row.installConfigId)).rejects.toMatchObject({ status: 403 });
  });

  test('created for one Capsule is left out of the list', async () => {
    const row = await seedCapsule(server);
    const query = { workspaceId: server.workspaceId };
    const ids = (await server.api.listInstallConfigs({ query })).body.installConfigs.map(({ id }) => id);
    expect(ids).toEqual(['cfg-default-opentofu-capsule']);
    expect(ids).not.toContain(row.installConfigId);
    const offered = await server.api.listInstallConfigs({ query: { ...query, view: 'store' } });
    expect(offered.body).toEqual({ installConfigs: [] });
  });
});

describe('the list of Capsules', () => {
  type Query = { q?: string; order?: 'updated_desc'; includeDestroyed?: 'false'; limit?: string; cursor?: string };
  let lister: TestServer;
  const ids: string[] = [];
  beforeAll(async () => {
    lister = await startTestServer();
    const add = async (name: string, more: object) => {
      ids.push((await seedCapsule(lister, { name, slug: `slug-${ids.length}`, ...more })).id);
    };
    await add('Web Shop', { createdAt: 1, updatedAt: 9 });
    await add('shop_data', { createdAt: 2, updatedAt: 2 });
    await add('Old shop', { createdAt: 3, updatedAt: 5, status: 'destroyed' });
    await add('Network', { createdAt: 4, updatedAt: 5 });
  });
  afterAll(() => lister.close());
  const page = async (query: Query) =>
    (await lister.api.listCapsules({ params: { workspaceId: lister.workspaceId }, query })).body;
  const positions = async (query: Query) => (await page(query)).capsules.map(({ id }) => ids.indexOf(id));

  test('is searched by name or id, with or without destroyed ones, in both orders', async () => {
    expect(await positions({ q: 'SHOP' })).toEqual([0, 1, 2]);
    expect(await positions({ q: 'p_d' })).toEqual([1]);
    expect(await positions({ q: 'shop', includeDestroyed: 'false' })).toEqual([0, 1]);
    expect(await positions({ q: ids[3] ?? '' })).toEqual([3]);
    expect(await positions({ order: 'updated_desc' })).toEqual([0, 3, 2, 1]);
    expect(await positions({ order: 'updated_desc', q: 'shop' })).toEqual([0, 2, 1]);
    expect(await positions({ q: 'nothing' })).toEqual([]);
  });

  test('is paged, also among equal times, and binds its cursors to search and order', async () => {
    const read: number[] = [];
    let cursor: string | undefined;
    do {
      const part = await page({ order: 'updated_desc', limit: '1', ...(cursor && { cursor }) });
      read.push(...part.capsules.map(({ id }) => ids.indexOf(id)));
      cursor = part.nextCursor;
    } while (cursor);
    expect(read).toEqual([0, 3, 2, 1]);
    const { nextCursor = '' } = await page({ q: 'shop', limit: '1' });
    for (const other of [{}, { q: 'web' }, { q: 'shop', order: 'updated_desc' }] as Query[])
      await expect(page({ ...other, cursor: nextCursor })).rejects.toMatchObject({ status: 400 });
  });
});
