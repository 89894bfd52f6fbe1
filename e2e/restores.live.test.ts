import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RestoreReview } from '#shared/restores/contract';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { applyPlan, getCapsule, planAgain } from './fixtures/journey.ts';
import { applyAroundBackup, completeRestore, requestRestore } from './fixtures/restores.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness?.stop());

it('a plan after a restore shows exactly what later applies changed', { timeout: 180_000 }, async () => {
  const { capsuleId, backup } = await applyAroundBackup(harness, 'counted');
  const run = await requestRestore(harness, backup.id);
  const { restore } = (await harness.http.get<{ restore: RestoreReview }>(`/api/v1/runs/${run.id}/restore`)).body;
  expect(restore.capsules).toMatchObject([
    {
      currentGeneration: 2,
      sourceGeneration: 1,
      newGeneration: 3,
      added: { total: 0 },
      removed: { total: 2, addresses: ['terraform_data.note[1]', 'terraform_data.note[2]'] },
      changed: { total: 0 },
    },
  ]);
  expect(await completeRestore(harness, run.id)).toMatchObject({ status: 'succeeded' });
  expect(await getCapsule(harness, capsuleId)).toMatchObject({
    status: 'stale',
    currentStateGeneration: 3,
    runtimeSafety: 'safe',
  });
  const plan = await planAgain(harness, capsuleId);
  expect(plan.planResources).toEqual([
    { address: 'terraform_data.note[1]', type: 'terraform_data', actions: ['create'] },
    { address: 'terraform_data.note[2]', type: 'terraform_data', actions: ['create'] },
  ]);
  expect(await applyPlan(harness, plan)).toMatchObject({ status: 'succeeded' });
  expect(await getCapsule(harness, capsuleId)).toMatchObject({ status: 'active', currentStateGeneration: 4 });
});
