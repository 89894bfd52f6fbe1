import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule, seedState } from '../../../test/ledger-rows.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const outputsOf = (capsuleId: string) => server.api.getOutputs({ params: { capsuleId } });

describe('the Outputs of a Capsule', () => {
  test('are null before the first state, then those of the current one', async () => {
    const capsule = await seedCapsule(server);
    expect((await outputsOf(capsule.id)).body).toEqual({ output: null });
    seedState(server, capsule, { generation: 1, outputs: { url: 'http://one' } });
    const current = seedState(server, capsule, { generation: 2, outputs: { url: 'http://two', list: [1, null] } });
    expect((await outputsOf(capsule.id)).body.output).toMatchObject({
      capsuleId: capsule.id,
      stateGeneration: 2,
      publicOutputs: { url: 'http://two', list: [1, null] },
    });
    const { body } = await server.api.getStateVersion({ params: { stateVersionId: current } });
    expect(body).toMatchObject({ stateVersion: { id: current, generation: 2 }, output: { stateGeneration: 2 } });
  });

  test('of another generation than the current one are refused', async () => {
    const capsule = await seedCapsule(server);
    seedState(server, capsule, { generation: 1 });
    server.ledger((db) =>
      db.sqlite.prepare('UPDATE capsules SET current_state_generation = 2 WHERE id = ?').run(capsule.id),
    );
    await expect(outputsOf(capsule.id)).rejects.toMatchObject({
      status: 409,
      details: { reason: 'current_output_inconsistent' },
    });
  });
});

test('StateVersions are listed newest first, page by page, without the state', async () => {
  const capsule = await seedCapsule(server);
  for (let generation = 1; generation <= 5; generation += 1)
    seedState(server, capsule, { generation, partial: generation === 3 });
  const params = { capsuleId: capsule.id };
  const first = (await server.api.listStateVersions({ params, query: { limit: '3' } })).body;
  const cursor = first.nextCursor ?? '';
  const second = (await server.api.listStateVersions({ params, query: { limit: '3', cursor } })).body;
  const all = [...first.stateVersions, ...second.stateVersions];
  expect(all.map(({ generation, partial }) => [generation, partial])).toEqual([
    [5, undefined],
    [4, undefined],
    [3, true],
    [2, undefined],
    [1, undefined],
  ]);
  expect(second.nextCursor).toBeUndefined();
  expect(Object.keys(all[0] ?? {})).not.toContain('state');
});

test('the current StateVersions of a Workspace come in the order of their Capsules; those without are skipped', async () => {
  const fresh = await startTestServer();
  const capsules = [await seedCapsule(fresh), await seedCapsule(fresh), await seedCapsule(fresh)];
  const [one, , three] = capsules;
  for (const capsule of [three, one])
    if (capsule) for (const generation of [1, 2]) seedState(fresh, capsule, { generation });
  const { stateVersions } = (await fresh.api.listCurrentStateVersions({ params: { workspaceId: fresh.workspaceId } }))
    .body;
  expect(stateVersions.map(({ capsuleId, generation }) => [capsuleId, generation])).toEqual([
    [one?.id, 2],
    [three?.id, 2],
  ]);
  await fresh.close();
});
