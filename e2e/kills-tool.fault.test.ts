import { describe, expect, it } from 'vitest';
import {
  addressesOf,
  endOf,
  killVictim,
  patienceMs,
  repeatAtRandom,
  toolOf,
  type Victim,
  waitForChanges,
} from './fixtures/crash.ts';
import { expectNoLeftovers, expectSoundLedger, expectTruth } from './fixtures/crash-checks.ts';
import { depth } from './fixtures/depth.ts';
import { type Planned, startApply } from './fixtures/journey.ts';
import { harness, installSlow, kills, random, serveSlowModule, timeout } from './fixtures/kill-harness.ts';

const wrapperKills = depth({ quick: 1, deep: 25 });
const layer = 5;
const addresses = addressesOf(layer);
serveSlowModule(layer);

/** Duration of the last change: until then there is a tool to kill, even when its events arrive late. */
const lastMs = 4_000;
const install = (): Promise<Planned> =>
  installSlow(addresses.map((_, at) => (at === addresses.length - 1 ? lastMs : random.below(300))));

type End = { status: string; known: string[] };

/** Checks after the tool died: what it created is known or named, and the next plan uses what is known. */
async function expectHonest({ capsuleId }: Planned, runId: string): Promise<End> {
  const { run: apply, ms } = await endOf(harness, runId);
  expect(ms).toBeLessThan(patienceMs);
  // A Run that ends while its tool still runs would be false, and the next Run would collide with it.
  expect(toolOf(harness, runId)).toBeUndefined();
  if (apply.status === 'failed') expect(apply.errorCode).toBe('apply_interrupted');
  const { known } = await expectTruth(harness, { capsuleId, apply, addresses });
  return { status: apply.status, known };
}

/**
 * Repeats kills until this many victims were really running; returns the outcomes of the Runs whose victim was killed.
 */
async function killMany(victim: Victim, times: number): Promise<End[]> {
  const ends: End[] = [];
  for (let tries = 0; ends.length < times && tries < 2 * times + 4; tries += 1) {
    await repeatAtRandom(
      { harness, random, times: 1 },
      () => random.below(2 * addresses.length - 1),
      async (changes) => {
        const planned = await install();
        const run = await startApply(harness, planned.plan);
        await expect.poll(() => toolOf(harness, run.id), { timeout: 20_000, interval: 5 }).toBeDefined();
        await waitForChanges(harness, run.id, changes);
        const isKilled = await killVictim(harness, run.id, victim);
        const end = await expectHonest(planned, run.id);
        if (isKilled) ends.push(end);
      },
    );
  }
  expect(ends.length).toBe(times);
  return ends;
}

describe('an apply', () => {
  it(`whose tool is killed ${kills} times reports what is known and names what is not`, { timeout }, async () => {
    const ends = await killMany('tool', kills);
    for (const { status } of ends) expect(status).toBe('failed');
  });

  it(`whose sandbox is killed around the tool, ${wrapperKills} times, continues and is awaited`, {
    timeout,
  }, async () => {
    for (const { known } of await killMany('wrapper', wrapperKills)) expect(known).toEqual(addresses);
  });
});

it('leaves an intact ledger and no process', { timeout: 60_000 }, async () => {
  await expectSoundLedger(harness);
  await expectNoLeftovers(harness);
});
