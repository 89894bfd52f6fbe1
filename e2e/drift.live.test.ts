import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PlanDocument } from '#shared/plans/document';
import type { Run } from '#shared/runs/contract';
import { settled } from './fixtures/feed.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import {
  applyPlan,
  getCapsule,
  getRun,
  installPlanned,
  logsOf,
  stateVersions,
  takeNewest,
} from './fixtures/journey.ts';
import { fakeModule, thing } from './fixtures/modules.ts';
import { effects } from './fixtures/provider/index.ts';

/* Drift checks and destroy Runs with the real tool and objects that another party changes. */

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ providers: true });
});
afterAll(() => harness?.stop());

const worldOf = (capsuleId: string) => path.join(harness.server.dataDir, 'capsules', capsuleId, 'tree', 'world');
const thingsIn = (world: string) => readdirSync(world).filter((name) => name.endsWith('.json'));

async function postAndSettle(address: string, body?: object): Promise<Run> {
  const answer = await harness.http.post<{ run: Run }>(`/api/v1${address}`, body);
  expect(answer.status, answer.text).toBe(201);
  const { id } = await settled(harness.server, answer.body.run.id);
  return getRun(harness, id);
}
const planOf = async (run: Run) =>
  (await harness.http.get<{ plan: PlanDocument }>(`/api/v1/runs/${run.id}/plan`)).body.plan;

it('finds outside changes and removals, and changes nothing', async () => {
  const { url } = harness.repository('drifting', { 'main.tf': fakeModule(thing('a', 'note = "mine"') + thing('b')) });
  const { capsuleId, plan } = await installPlanned(harness, { url, name: 'drifting' });
  await applyPlan(harness, plan);
  const check = () => postAndSettle(`/capsules/${capsuleId}/drift-check`);

  const calm = await check();
  expect(calm, JSON.stringify((await logsOf(harness, calm.id)).diagnostics)).toMatchObject({
    type: 'drift_check',
    status: 'succeeded',
    driftCount: 0,
  });

  const world = worldOf(capsuleId);
  for (const name of thingsIn(world)) {
    const file = path.join(world, name);
    const text = readFileSync(file, 'utf8');
    if (text.includes('mine')) writeFileSync(file, text.replace('mine', 'theirs'));
    else rmSync(file);
  }
  const driftRun = await check();
  expect(driftRun).toMatchObject({ status: 'succeeded', driftCount: 2 });
  expect(driftRun.awaits).toBeUndefined();
  const { drift } = await planOf(driftRun);
  expect(drift.map(({ address, actions }) => [address, actions])).toEqual([
    ['fake_thing.b', ['delete']],
    ['fake_thing.a', ['update']],
  ]);
  const refused = await harness.http.post<{ error: { details: object } }>(`/api/v1/runs/${driftRun.id}/apply`, {});
  expect([refused.status, refused.body.error.details]).toEqual([409, { reason: 'run_not_appliable' }]);
  expect(effects(world).map(({ op }) => op)).toEqual(['create', 'create']);
  expect(await stateVersions(harness, capsuleId)).toHaveLength(1);
  const { events } = (
    await harness.http.get<{ events: { action: string }[] }>(`/api/v1/workspaces/${harness.workspaceId}/activity`)
  ).body;
  expect(events.filter(({ action }) => action === 'capsule.drift_detected')).toHaveLength(1);
});

it('destroys the resources of a Capsule after an approval, and keeps its record', async () => {
  const { url } = harness.repository('ending', { 'main.tf': fakeModule(thing('a') + thing('b')) });
  const { capsuleId, plan } = await installPlanned(harness, { url, name: 'ending' });
  await applyPlan(harness, plan);
  const world = worldOf(capsuleId);
  expect(thingsIn(world)).toHaveLength(2);

  const end = await postAndSettle(`/capsules/${capsuleId}/destroy-plan`, {});
  expect(end).toMatchObject({ type: 'destroy_plan', status: 'waiting_approval', summary: { add: 0, destroy: 2 } });
  expect((await planOf(end)).resources.map(({ actions }) => actions)).toEqual([['delete'], ['delete']]);
  const apply = await applyPlan(harness, end);
  expect(apply, JSON.stringify((await logsOf(harness, apply.id)).diagnostics)).toMatchObject({
    type: 'destroy_apply',
    status: 'succeeded',
  });
  expect(thingsIn(world)).toEqual([]);
  expect(await getCapsule(harness, capsuleId)).toMatchObject({ status: 'destroyed', currentStateGeneration: 2 });
  expect((await stateVersions(harness, capsuleId)).map(({ resourceCount }) => resourceCount)).toEqual([0, 2]);

  // The name is free again, and a second destroy has nothing to do.
  const again = await harness.http.post<{ error: { details: object } }>(
    `/api/v1/capsules/${capsuleId}/destroy-plan`,
    {},
  );
  expect([again.status, again.body.error.details]).toEqual([409, { reason: 'capsule_destroyed' }]);
  expect((await installPlanned(harness, { url, name: 'ending' })).capsuleId).not.toBe(capsuleId);
});

it('rolls back to an earlier commit with a plan that is reviewed like any other', async () => {
  const repository = harness.repository('returning', { 'main.tf': fakeModule(thing('a', 'note = "first"')) });
  const { capsuleId, sourceId, plan } = await installPlanned(harness, { url: repository.url, name: 'returning' });
  await applyPlan(harness, plan);
  const [first] = await stateVersions(harness, capsuleId);
  repository.commit({ 'main.tf': fakeModule(thing('a', 'note = "second"')) });
  await takeNewest(harness, sourceId);
  await applyPlan(harness, await postAndSettle(`/capsules/${capsuleId}/plan`, {}));
  const back = await postAndSettle(`/state-versions/${first?.id}/rollback-plan`);
  expect(back).toMatchObject({
    type: 'plan',
    status: 'succeeded',
    summary: { change: 1 },
    rollbackStateVersionId: first?.id,
  });
  expect(await applyPlan(harness, back)).toMatchObject({ status: 'succeeded' });
  const [file = ''] = thingsIn(worldOf(capsuleId));
  expect(readFileSync(path.join(worldOf(capsuleId), file), 'utf8')).toContain('first');
});
