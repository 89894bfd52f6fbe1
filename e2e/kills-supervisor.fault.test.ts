import { describe, expect, it } from 'vitest';
import type { Run } from '#shared/runs/contract';
import {
  addressesOf,
  endOf,
  killVictim,
  patienceMs,
  randomMoment,
  repeatAtRandom,
  supervisorOf,
  type Victim,
  waitForChanges,
  waitForMoment,
} from './fixtures/crash.ts';
import { expectNoLeftovers, expectSoundLedger, expectTruth } from './fixtures/crash-checks.ts';
import { type Planned, startApply, startPlan } from './fixtures/journey.ts';
import { harness, installSlow, kills, random, serveSlowModule, timeout } from './fixtures/kill-harness.ts';

const layer = 4;
const addresses = addressesOf(layer);
serveSlowModule(layer);

const install = (longestMs = 250): Promise<Planned> =>
  installSlow(Array.from({ length: addresses.length }, () => random.below(longestMs)));

/** The next supervisor takes an apply over and completes it. */
async function expectWhole({ capsuleId }: Planned, run: Run): Promise<void> {
  const { run: apply, ms } = await endOf(harness, run.id);
  expect(ms).toBeLessThan(patienceMs);
  expect(apply.status).toBe('succeeded');
  await expectTruth(harness, { capsuleId, apply, addresses });
}

/** Repeats kills until this many victims were really running. */
async function killMany(victim: Victim): Promise<void> {
  let killed = 0;
  for (let tries = 0; killed < kills && tries < 2 * kills + 4; tries += 1) {
    await repeatAtRandom(
      { harness, random, times: 1 },
      () => randomMoment(random),
      async (moment) => {
        const planned = await install();
        const run = await startApply(harness, planned.plan);
        await waitForMoment(harness, run.id, moment);
        if (await killVictim(harness, run.id, victim)) killed += 1;
        await expectWhole(planned, run);
      },
    );
  }
  expect(killed).toBe(kills);
}

describe('an apply', () => {
  it(`whose supervisor is killed ${kills} times is taken over and loses nothing`, { timeout }, () =>
    killMany('supervisor'),
  );

  it(`that loses supervisor and server at once, ${kills} times, is taken over by new ones`, { timeout }, () =>
    killMany('both'),
  );

  it('continues under its third supervisor', { timeout }, async () => {
    const planned = await install(600);
    const run = await startApply(harness, planned.plan);
    await waitForChanges(harness, run.id, 1);
    for (let time = 0; time < 2; time += 1) {
      await expect.poll(() => supervisorOf(harness, run.id), { timeout: 20_000 }).toBeDefined();
      expect(await killVictim(harness, run.id, 'supervisor')).toBe(true);
    }
    await expectWhole(planned, run);
  });
});

it('a plan whose supervisor is killed is repeated', { timeout }, async () => {
  const { capsuleId } = await install();
  const plan = await startPlan(harness, capsuleId);
  await waitForMoment(harness, plan.id, { what: 'change', number: 8 + random.below(12) });
  await killVictim(harness, plan.id, 'supervisor');
  const { run, ms } = await endOf(harness, plan.id);
  expect(ms).toBeLessThan(patienceMs);
  expect(run).toMatchObject({ status: 'succeeded', summary: { add: addresses.length } });
});

it('leaves an intact ledger and no process', { timeout: 60_000 }, async () => {
  await expectSoundLedger(harness);
  await expectNoLeftovers(harness);
});
