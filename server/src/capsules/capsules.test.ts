import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../test/harness.ts';
import { seedCapsule, seedPlan, seedState } from '../../test/ledger-rows.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const read = async (capsuleId: string) => (await server.api.getCapsule({ params: { capsuleId } })).body;

describe('a Capsule', () => {
  test('shows what it is, its newest Run and no null', async () => {
    const row = await seedCapsule(server);
    const bare = (await read(row.id)).capsule;
    expect(bare).toMatchObject({
      id: row.id,
      status: 'pending',
      currentStateGeneration: 0,
      executionAuthorityEpoch: 1,
    });
    expect(Object.values(bare)).not.toContain(null);
    expect(bare).not.toHaveProperty('latestRun');
    seedPlan(server, row);
    const plan = seedPlan(server, row, {
      moves: ['claim', 'ask'],
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

  test('carries an authority guard, twice the same, that moves with whatever it binds', async () => {
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
      db.sqlite.prepare('UPDATE install_configs SET digest = ? WHERE id = ?').run('other', row.installConfigId),
    );
    seen.push(await guardOf());
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('stands in the list of its Workspace, which takes no POST', async () => {
    const row = await seedCapsule(server);
    const params = { workspaceId: server.workspaceId };
    expect((await server.api.listCapsules({ params })).body.capsules.map(({ id }) => id)).toContain(row.id);
    const answer = await server.ask('POST', `/api/v1/workspaces/${server.workspaceId}/capsules`, {});
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET']);
  });
});

describe('an InstallConfig', () => {
  test('that is built in is read by every account, one of a Workspace by its members', async () => {
    const row = await seedCapsule(server);
    const stranger = await server.join(undefined);
    const get = (capsuleConfigId: string) => stranger.api.getInstallConfig({ params: { capsuleConfigId } });
    expect((await get('cfg-default-opentofu-capsule')).body.installConfig).toMatchObject({
      id: 'cfg-default-opentofu-capsule',
      variableMapping: {},
    });
    await expect(get(row.installConfigId)).rejects.toMatchObject({ status: 403 });
  });

  test('made for one Capsule is left out of the list', async () => {
    const row = await seedCapsule(server);
    const query = { workspaceId: server.workspaceId };
    const ids = (await server.api.listInstallConfigs({ query })).body.installConfigs.map(({ id }) => id);
    expect(ids).toEqual(['cfg-default-opentofu-capsule']);
    expect(ids).not.toContain(row.installConfigId);
  });
});
