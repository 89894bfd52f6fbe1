import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasNatsServer } from '../server/test/nats-server.ts';
import { findLedgerFaults } from './faults/invariants.ts';
import { countRuns, findApplyFaults } from './fixtures/chaos-checks.ts';
import { type JobsView, type Load, type LoadedCapsule, startLoad, viewJobs } from './fixtures/chaos-load.ts';
import { countedModule, effectsOn } from './fixtures/chaos-module.ts';
import { depth, isDeep } from './fixtures/depth.ts';
import { findDoctorProblems } from './fixtures/doctor.ts';
import { installPlanned } from './fixtures/journey.ts';
import { type Machine, type PoolHarness, startPoolHarness } from './fixtures/pool.ts';
import { endedOf, patienceMs, watchRunning } from './fixtures/pool-applies.ts';
import { createRandom } from './fixtures/random.ts';

const { total, kills, capsuleCount, seconds } = depth({
  quick: { total: 12, kills: 6, capsuleCount: 3, seconds: 3 },
  deep: { total: 200, kills: 80, capsuleCount: 8, seconds: 6 },
});
const timeout = 200_000 + total * 5_000;
const random = createRandom();
const where = `GROUNDCTL_TEST_SEED=${random.seed}`;
/** A plan that was requested beside an apply was made for the state before it, and is not applied. */
const expectedEnd =
  / succeeded$|^plan failed state_generation_mismatch$|^plan waiting_approval$|^apply failed plan_superseded$/;
/** Time for which a killed member is away at most. */
const awayMs = 2_000;

describe.skipIf(!hasNatsServer)(`Runs over a NATS cluster whose members are killed, ${where}`, () => {
  let harness: PoolHarness;
  let jobs: JobsView;
  const machines: Machine[] = [];
  const capsules: LoadedCapsule[] = [];

  beforeAll(async () => {
    harness = await startPoolHarness({ cluster: true });
    machines.push(...(await Promise.all([harness.addMachine(), harness.addMachine()])));
    const marks = { address: 'counted', line: 'counted' };
    const { url } = harness.repository('counted', { 'main.tf': countedModule(marks) });
    const install = async (_: unknown, at: number): Promise<LoadedCapsule> => {
      const secret = `secret-${at}`;
      const input = { url, name: `capsule-${at}`, variables: { secret, pause: '1' }, secretVariables: ['secret'] };
      const { capsuleId } = await installPlanned(harness, input);
      return { capsuleId, secret, marks, applies: [] };
    };
    capsules.push(...(await Promise.all(Array.from({ length: capsuleCount }, install))));
    jobs = viewJobs(harness);
  }, timeout);
  afterAll(async () => {
    jobs?.close();
    await harness?.stop();
  });

  /** Kills a random member and starts it again, until the load is done or the number of kills is reached. */
  async function killMembers(load: Load): Promise<number> {
    let isDone = false;
    const done = load.done.finally(() => {
      isDone = true;
    });
    done.catch(() => {});
    let count = 0;
    for (; count < kills && !isDone; count += 1) {
      await Promise.race([done, pause(random.below(seconds * 1_000))]);
      const member = harness.members[random.below(harness.members.length)];
      await member?.kill();
      await pause(random.below(awayMs));
      await member?.start();
    }
    return count;
  }

  test('all end, none fails, and no two of a Capsule run at once', { timeout }, async () => {
    const endWatch = watchRunning(harness);
    const load = startLoad({ harness, jobs, capsules, total, random, lost: new Set() });
    const killed = await killMembers(load);
    await expect.poll(() => [...load.awaited], { timeout: patienceMs + total * 1_000 }).toEqual([]);
    await load.done;
    expect(endWatch()).toEqual([]);
    expect(jobs.listOpen()).toEqual([]);
    if (isDeep) console.info(where, { killed }, countRuns(harness));
    expect(killed).toBeGreaterThan(0);
    expect(Object.keys(countRuns(harness)).filter((kind) => !expectedEnd.test(kind))).toEqual([]);
    expect(machines.every(({ isRunning }) => isRunning)).toBe(true);
  });

  test('have each effect exactly once, and whole journals', { timeout }, async () => {
    const found: string[] = [];
    for (const capsule of capsules) {
      found.push(...(await findApplyFaults(harness, machines, capsule)));
      const dataDirs = machines.map(({ dataDir }) => dataDir);
      const ends = await Promise.all(capsule.applies.map(({ applyId }) => endedOf(harness, applyId)));
      const applied = ends.filter(({ status }) => status === 'succeeded');
      expect(effectsOn(dataDirs, capsule.capsuleId)).toHaveLength(2 * applied.length);
    }
    expect(found).toEqual([]);
    expect(capsules.flatMap(({ applies }) => applies).length).toBeGreaterThan(0);
  });

  test('leave an intact ledger', async () => {
    expect(await findDoctorProblems(harness)).toEqual([]);
    expect(await findLedgerFaults(harness.server.dataDir)).toEqual([]);
  });
});
