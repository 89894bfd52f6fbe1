import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule, seedPlan, seedRun, seedState } from '../../../test/ledger-rows.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const lock = `provider "registry.opentofu.org/hashicorp/random" {
  version     = "3.6.0"
  constraints = ">= 3.0.0"
  hashes      = ["h1:x"]
}
`;
const toolchainOf = async (capsuleId: string) =>
  (await server.api.getToolchain({ params: { capsuleId } })).body.toolchain;

/** A Capsule whose state was made by a plan with this lock, and a newer plan that was not applied. */
async function applied(text: string): Promise<{ capsuleId: string; planRunId: string }> {
  const capsule = await seedCapsule(server, { status: 'active', runtimeSafety: 'safe' });
  const plan = seedPlan(server, capsule, { seal: { lock: text, toolVersion: '1.11.0' } });
  const apply = seedRun(server, { type: 'apply', capsuleId: capsule.id, planRunId: plan.id });
  const stateVersionId = seedState(server, capsule, { generation: 1 });
  server.ledger(({ sqlite }) =>
    sqlite.prepare('UPDATE state_versions SET created_by_run_id = ? WHERE id = ?').run(apply.id, stateVersionId),
  );
  seedPlan(server, capsule, { seal: { lock: '', toolVersion: '9.9.9' } });
  return { capsuleId: capsule.id, planRunId: plan.id };
}

test('the toolchain of a Capsule is that of the plan that made its state', async () => {
  const { capsuleId, planRunId } = await applied(lock);
  expect(await toolchainOf(capsuleId)).toEqual({
    planRunId,
    toolName: 'tofu',
    toolVersion: '1.11.0',
    providers: [{ address: 'registry.opentofu.org/hashicorp/random', version: '3.6.0' }],
  });
});

test('a lock that cannot be read names no provider', async () => {
  expect(await toolchainOf((await applied('provider {')).capsuleId)).toMatchObject({
    toolVersion: '1.11.0',
    providers: [],
  });
});

test('a Capsule that was never applied, or whose state came from elsewhere, has none', async () => {
  const capsule = await seedCapsule(server);
  expect(await toolchainOf(capsule.id)).toBeNull();
  seedState(server, capsule, { generation: 1 });
  expect(await toolchainOf(capsule.id)).toBeNull();
});
