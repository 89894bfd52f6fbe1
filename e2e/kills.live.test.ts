import { watch } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InstallPlanAnswer } from '#shared/coordinators/api';
import type { Run } from '#shared/runs/contract';
import {
  addressesOf,
  endOf,
  killVictim,
  type Moment,
  patienceMs,
  randomMoment,
  reach,
  repeatAtRandom,
  slowModule,
} from './fixtures/crash.ts';
import { expectNoLeftovers, expectSoundLedger, expectTruth } from './fixtures/crash-checks.ts';
import { depth, timesOf } from './fixtures/depth.ts';
import { settled } from './fixtures/feed.ts';
import { type Ground, startGround } from './fixtures/ground.ts';
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

/** How often the server is killed in the middle of an apply, and of a plan. */
const kills = timesOf({ quick: 3, deep: 100 });
const planKills = depth({ quick: 3, deep: 25 });
const random = createRandom();

const layer = 5;
const addresses = addressesOf(layer);

let ground: Ground;
let url = '';
let plainUrl = '';
beforeAll(async () => {
  ground = await startGround({ providers: true });
  ({ url } = ground.repository('kills', { 'main.tf': slowModule(layer) }));
  ({ url: plainUrl } = ground.repository('plain', { 'main.tf': 'resource "terraform_data" "a" {}\n' }));
});
afterAll(() => ground?.stop());

let count = 0;
const ask = () => {
  count += 1;
  return {
    url,
    name: `kill-${count}`,
    variables: { delays: Array.from({ length: addresses.length }, () => random.below(300)) },
  };
};

/** Kills the server at the moment, starts it again, and waits for the end of the Run. */
async function crash(run: Run, moment: Moment): Promise<Run> {
  await reach(ground, run.id, moment);
  await killVictim(ground, run.id, 'server');
  const ended = await endOf(ground, run.id);
  expect(ended.ms).toBeLessThan(patienceMs);
  return ended.run;
}

/** Kills the server at the first write to its ledger after a request was sent, or at the answer, and starts it again. */
async function killWhile(request: () => Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watcher = watch(path.join(ground.server.dataDir, 'ledger.db-wal'), () => resolve());
  const answer = request().catch(() => undefined);
  await Promise.race([promise, answer]);
  watcher.close();
  await ground.server.kill9();
  await answer;
  await ground.server.restart();
}

/** An apply that lost its server is as good as any other: all is made, once, and known. */
async function expectWhole({ capsuleId }: Planned, apply: Run): Promise<void> {
  expect(apply).toMatchObject({ type: 'apply', status: 'succeeded' });
  await expectTruth(ground, { capsuleId, apply, addresses });
  expect(await outputsOf(ground, capsuleId)).toEqual({ made: addresses.length });
}

const repeat = (times: number, work: (moment: Moment) => Promise<void>) =>
  repeatAtRandom({ ground, random, times }, () => randomMoment(random), work);

const timeout = 60_000 + kills * 60_000;

describe('a server that is killed', () => {
  it(`${kills} times in the middle of an apply loses nothing of it`, { timeout }, async () => {
    await repeat(kills, async (moment) => {
      const planned = await installPlanned(ground, ask());
      await expectWhole(planned, await crash(await startApply(ground, planned.plan), moment));
    });
  });

  it('right after it took an apply still carries it out, once', { timeout }, async () => {
    const planned = await installPlanned(ground, ask());
    const apply = await startApply(ground, planned.plan);
    await ground.server.kill9();
    await ground.server.restart();
    await expectWhole(planned, await settled(ground.server, apply.id));
  });

  it('twice during one apply loses nothing either', { timeout }, async () => {
    const planned = await installPlanned(ground, ask());
    const apply = await startApply(ground, planned.plan);
    await reach(ground, apply.id, { what: 'event', number: 15 });
    await ground.server.kill9();
    await ground.server.restart();
    await expectWhole(planned, await crash(apply, { what: 'event', number: 30 }));
  });

  it('while it plans makes the plan all the same', { timeout }, async () => {
    const { capsuleId } = await installPlanned(ground, ask());
    await repeat(planKills, async (moment) => {
      const plan = await crash(await startPlan(ground, capsuleId), moment);
      expect(plan).toMatchObject({ status: 'succeeded', awaits: 'apply', summary: { add: addresses.length } });
    });
  });

  it('while it takes an apply has either taken it or not', { timeout }, async () => {
    const planned = await installPlanned(ground, ask());
    const at = `/api/v1/runs/${planned.plan.id}/apply`;
    await killWhile(() => ground.http.post(at, {}));
    const taken = (await getRun(ground, planned.plan.id)).applyRunId;
    const { status, body } = await ground.http.post<{ run: Run }>(at, {});
    expect(status).toBe(taken === undefined ? 201 : 200);
    await expectWhole(planned, await settled(ground.server, body.run.id));
  });

  it('while it installs goes on with the installation', { timeout }, async () => {
    for (const steps of [0, 1, 2, 4, 5, 6, 7]) {
      const { body } = await startInstall(ground, { url: plainUrl, name: `step-${steps}` });
      const at = `/api/v1/install-plans/${body.installPlan.id}/reconcile`;
      for (let step = 0; step < steps; step += 1) await ground.http.post<InstallPlanAnswer>(at);
      await killWhile(() => ground.http.post(at));
      expect(await reconcile(ground, body.installPlan.id)).toMatchObject({ phase: 'reviewable' });
    }
  });

  it('leaves a ledger without a fault, no Run that still runs, and no process', async () => {
    await expectSoundLedger(ground);
    await expectNoLeftovers(ground);
  });
});
