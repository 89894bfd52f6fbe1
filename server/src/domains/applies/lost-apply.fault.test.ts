import '../../../test/in-memory.ts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { CapsuleRow } from '#server/domains/capsules/index';
import type { PlanResource } from '#shared/plans/document';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule, seedPlan, seedRun } from '../../../test/ledger-rows.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const createdResource = (address: string): PlanResource => ({
  address,
  type: 'x',
  name: 'a',
  providerName: 'p',
  mode: 'managed',
  actions: ['create'],
  before: null,
  after: { name: 'web' },
  afterUnknown: {},
  beforeSensitive: false,
  afterSensitive: {},
});

/** A running apply that was dispatched and has neither a supervisor nor the folder of its Run. */
function seedLost(capsule: CapsuleRow, baseStateGeneration = capsule.currentStateGeneration): string {
  const plan = seedPlan(server, capsule, { document: { resources: [createdResource('x.a'), createdResource('x.b')] } });
  const event = { kind: 'resource' as const, at: 1, payload: { address: 'x.a', action: 'create', state: 'started' } };
  return seedRun(server, {
    type: 'apply',
    capsuleId: capsule.id,
    planRunId: plan.id,
    executionAuthorityEpoch: capsule.executionAuthorityEpoch,
    baseStateGeneration,
    input: { installConfigId: capsule.installConfigId, dispatched: true },
    moves: ['claim'],
    feed: [event],
  }).id;
}

async function endOf(runId: string) {
  await vi.waitFor(
    async () => expect((await server.api.getRun({ params: { runId } })).body.run.status).toBe('failed'),
    { timeout: 15_000 },
  );
  const { run } = (await server.api.getRun({ params: { runId } })).body;
  const { diagnostics, auditEvents } = (await server.api.getRunLogs({ params: { runId } })).body;
  return { run, diagnostics, ended: auditEvents.at(-1) };
}

test('an apply without supervisor and folder ends, and resources it may have created are reported', async () => {
  const capsule = await seedCapsule(server);
  const runId = seedLost(capsule);
  await server.restart();
  const { run, diagnostics, ended } = await endOf(runId);
  expect(run.errorCode).toBe('run_execution_lease_lost');
  expect(ended).toMatchObject({ type: 'apply.failed', data: { providerDispatched: true } });
  expect(diagnostics.flatMap(({ code, address }) => (address === undefined ? [] : [`${code} ${address}`]))).toEqual([
    'orphan_started x.a',
    'orphan_possible x.b',
  ]);
  expect((await server.api.getCapsule({ params: { capsuleId: capsule.id } })).body.capsule).toMatchObject({
    status: 'error',
    runtimeSafety: 'unknown',
    currentStateGeneration: 1,
  });
  const { stateVersions } = (await server.api.listStateVersions({ params: { capsuleId: capsule.id } })).body;
  expect(stateVersions).toMatchObject([{ generation: 1, partial: true, resourceCount: 0, createdByRunId: runId }]);
});

test('an apply whose Capsule has changed since ends too, and leaves the Capsule unchanged', async () => {
  const capsule = await seedCapsule(server);
  const runId = seedLost(capsule, 7);
  await server.restart();
  const { run, diagnostics } = await endOf(runId);
  expect(run.errorCode).toBe('run_execution_lease_lost');
  expect(diagnostics.map(({ code }) => code)).toEqual(['run_execution_lease_lost']);
  expect((await server.api.getCapsule({ params: { capsuleId: capsule.id } })).body.capsule).toMatchObject({
    status: 'pending',
    currentStateGeneration: 0,
  });
});
