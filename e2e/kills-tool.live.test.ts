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

/** How long the last change takes: until then there is a tool to be killed, however slowly the news of it comes. */
const lastMs = 4_000;
const install = (): Promise<Planned> =>
  installSlow(addresses.map((_, at) => (at === addresses.length - 1 ? lastMs : random.below(300))));

type End = { status: string; known: string[] };

/** The truth after the tool died: what it made is known or named, and the next plan goes by what is known. */
async function expectHonest({ capsuleId }: Planned, runId: string): Promise<End> {
  const { run: apply, ms } = await endOf(harness, runId);
  expect(ms).toBeLessThan(patienceMs);
  // A Run that has ended while its tool goes on would be a lie, and the next Run would meet it.
  expect(toolOf(harness, runId)).toBeUndefined();
  if (apply.status === 'failed') expect(apply.errorCode).toBe('apply_interrupted');
  const { known } = await expectTruth(harness, { capsuleId, apply, addresses });
  return { status: apply.status, known };
}

/** Kills so often that this many victims were really there; answers how the Runs whose victim was killed have ended. */
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
  it(`whose tool is killed ${kills} times tells what is known and names what is not`, { timeout }, async () => {
    const ends = await killMany('tool', kills);
    for (const { status } of ends) expect(status).toBe('failed');
  });

  it(`whose sandbox is killed around the tool, ${wrapperKills} times, goes on and is awaited`, {
    timeout,
  }, async () => {
    for (const { known } of await killMany('wrapper', wrapperKills)) expect(known).toEqual(addresses);
  });
});

it('leaves a ledger without a fault, and no process', { timeout: 60_000 }, async () => {
  await expectSoundLedger(harness);
  await expectNoLeftovers(harness);
});
