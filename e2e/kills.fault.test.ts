import { watch } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InstallPlanAnswer } from '#shared/install-plans/api';
import type { Run } from '#shared/runs/contract';
import {
  addressesOf,
  endOf,
  killVictim,
  type Moment,
  patienceMs,
  randomMoment,
  repeatAtRandom,
  slowModule,
  waitForMoment,
} from './fixtures/crash.ts';
import { expectNoLeftovers, expectSoundLedger, expectTruth } from './fixtures/crash-checks.ts';
import { depth, timesOf } from './fixtures/depth.ts';
import { settled } from './fixtures/feed.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import {
  getRun,
  installPlanned,
  outputsOf,
  type Planned,
  reconcile,
  startApply,
  startInstall,
  startPlan,
} from './fixtures/journey.ts';
import { createRandom } from './fixtures/random.ts';

/** Number of times that the server is killed in the middle of an apply, and of a plan. */
const kills = timesOf({ quick: 1, deep: 100 });
const planKills = depth({ quick: 1, deep: 25 });
const random = createRandom();
/** Steps of an installation before which the server is killed; a quick run chooses one of each half. */
const installSteps = depth({ quick: [random.below(3), 4 + random.below(4)], deep: [0, 1, 2, 4, 5, 6, 7] });

const layer = 5;
const addresses = addressesOf(layer);

let harness: Harness;
let url = '';
let plainUrl = '';
beforeAll(async () => {
  harness = await startHarness({ providers: true });
  ({ url } = harness.repository('kills', { 'main.tf': slowModule(layer) }));
  ({ url: plainUrl } = harness.repository('plain', { 'main.tf': 'resource "terraform_data" "a" {}\n' }));
});
afterAll(() => harness?.stop());

let count = 0;
const createInstallInput = () => {
  count += 1;
  return {
    url,
    name: `kill-${count}`,
    variables: { delays: Array.from({ length: addresses.length }, () => random.below(300)) },
  };
};

/** Kills the server at the moment, starts it again, and waits for the end of the Run. */
async function crash(run: Run, moment: Moment): Promise<Run> {
  await waitForMoment(harness, run.id, moment);
  await killVictim(harness, run.id, 'server');
  const ended = await endOf(harness, run.id);
  expect(ended.ms).toBeLessThan(patienceMs);
  return ended.run;
}

/** Kills the server at the first write to its ledger after a request was sent, or at the answer, and starts it again. */
async function killWhile(request: () => Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watcher = watch(path.join(harness.server.dataDir, 'ledger.db-wal'), () => resolve());
  const answer = request().catch(() => undefined);
  await Promise.race([promise, answer]);
  watcher.close();
  await harness.server.kill9();
  await answer;
  await harness.server.restart();
}

/** An apply that lost its server ends like any other: everything is created, once, and known. */
async function expectWhole({ capsuleId }: Planned, apply: Run): Promise<void> {
  expect(apply).toMatchObject({ type: 'apply', status: 'succeeded' });
  await expectTruth(harness, { capsuleId, apply, addresses });
  expect(await outputsOf(harness, capsuleId)).toEqual({ made: addresses.length });
}

const repeat = (times: number, work: (moment: Moment) => Promise<void>) =>
  repeatAtRandom({ harness, random, times }, () => randomMoment(random), work);

const timeout = 60_000 + kills * 60_000;

describe('a server that is killed', () => {
  it(`${kills} times in the middle of an apply loses nothing of it`, { timeout }, async () => {
    await repeat(kills, async (moment) => {
      const planned = await installPlanned(harness, createInstallInput());
      await expectWhole(planned, await crash(await startApply(harness, planned.plan), moment));
    });
  });

  it('right after it took an apply still carries it out, once', { timeout }, async () => {
    const planned = await installPlanned(harness, createInstallInput());
    const apply = await startApply(harness, planned.plan);
    await harness.server.kill9();
    await harness.server.restart();
    await expectWhole(planned, await settled(harness.server, apply.id));
  });

  it('twice during one apply also loses nothing', { timeout }, async () => {
    const planned = await installPlanned(harness, createInstallInput());
    const apply = await startApply(harness, planned.plan);
    await waitForMoment(harness, apply.id, { what: 'event', number: 15 });
    await harness.server.kill9();
    await harness.server.restart();
    await expectWhole(planned, await crash(apply, { what: 'event', number: 30 }));
  });

  it('while it plans still makes the plan', { timeout }, async () => {
    const { capsuleId } = await installPlanned(harness, createInstallInput());
    await repeat(planKills, async (moment) => {
      const plan = await crash(await startPlan(harness, capsuleId), moment);
      expect(plan).toMatchObject({ status: 'succeeded', awaits: 'apply', summary: { add: addresses.length } });
    });
  });

  it('while it accepts an apply has either accepted it or not', { timeout }, async () => {
    const planned = await installPlanned(harness, createInstallInput());
    const at = `/api/v1/runs/${planned.plan.id}/apply`;
    await killWhile(() => harness.http.post(at, {}));
    const taken = (await getRun(harness, planned.plan.id)).applyRunId;
    const { status, body } = await harness.http.post<{ run: Run }>(at, {});
    expect(status).toBe(taken === undefined ? 201 : 200);
    await expectWhole(planned, await settled(harness.server, body.run.id));
  });

  it('while it installs continues the installation', { timeout }, async () => {
    for (const steps of installSteps) {
      const { body } = await startInstall(harness, { url: plainUrl, name: `step-${steps}` });
      const at = `/api/v1/install-plans/${body.installPlan.id}/reconcile`;
      for (let step = 0; step < steps; step += 1) await harness.http.post<InstallPlanAnswer>(at);
      await killWhile(() => harness.http.post(at));
      expect(await reconcile(harness, body.installPlan.id)).toMatchObject({ phase: 'reviewable' });
    }
  });

  it('leaves an intact ledger, no running Run, and no process', async () => {
    await expectSoundLedger(harness);
    await expectNoLeftovers(harness);
  });
});
