import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunnerPool } from '#shared/runner-pools/contract';
import { machineBackCode, silentMachineCode } from '#shared/runs/orphans';
import { hasNatsServer } from '../server/test/nats-server.ts';
import { findLedgerFaults } from './faults/invariants.ts';
import { countRuns, findApplyFaults, findTraces } from './fixtures/chaos-checks.ts';
import { type Field, strikeOften } from './fixtures/chaos-faults.ts';
import { keepJournals } from './fixtures/chaos-journals.ts';
import { type JobsView, type LoadedCapsule, startLoad, viewJobs } from './fixtures/chaos-load.ts';
import { countedModule } from './fixtures/chaos-module.ts';
import { depth, isDeep } from './fixtures/depth.ts';
import { findDoctorProblems } from './fixtures/doctor.ts';
import { installPlanned, logsOf } from './fixtures/journey.ts';
import { type Machine, type PoolHarness, startPoolHarness } from './fixtures/pool.ts';
import { endedOf, patienceMs, watchRunning } from './fixtures/pool-applies.ts';
import { createRandom } from './fixtures/random.ts';

const { total, faults, capsuleCount, pauses } = depth({
  quick: { total: 20, faults: 10, capsuleCount: 5, pauses: ['2', '3'] },
  deep: { total: 500, faults: 200, capsuleCount: 14, pauses: ['1', '3', '4', '5'] },
});
const timeout = 200_000 + total * 7_000;
const random = createRandom();
const where = `GROUNDCTL_TEST_SEED=${random.seed}`;
const randomText = () => `cny${random.below(2 ** 31).toString(36)}z${random.below(2 ** 31).toString(36)}`;

describe.skipIf(!hasNatsServer)(`Runs on six machines under faults of every kind, ${where}`, () => {
  let harness: PoolHarness;
  let jobs: JobsView;
  let field: Field;
  let journals: ReturnType<typeof keepJournals>;
  const machines: Machine[] = [];
  /** A machine of a pool of its own, with the Capsules that only it works on. */
  let apart: Machine;
  const apartCapsules: LoadedCapsule[] = [];
  const capsules: LoadedCapsule[] = [];

  async function installMany(pool: RunnerPool, count: number): Promise<LoadedCapsule[]> {
    await harness.setDefaultPool(pool);
    const marks = { address: randomText(), line: randomText() };
    const { url } = harness.repository(marks.address, { 'main.tf': countedModule(marks) });
    const install = async (_: unknown, at: number): Promise<LoadedCapsule> => {
      const secret = randomText();
      const variables = { secret, pause: pauses[at % pauses.length] ?? '1' };
      const input = { url, name: `${pool.name.toLowerCase()}-${at}`, variables, secretVariables: ['secret'] };
      const { capsuleId } = await installPlanned(harness, input);
      await harness.http.patch(`/api/v1/capsules/${capsuleId}`, { runnerPoolId: pool.id });
      return { capsuleId, secret, marks, applies: [] };
    };
    return Promise.all(Array.from({ length: count }, install));
  }

  beforeAll(async () => {
    harness = await startPoolHarness({ env: { GROUNDCTL_RUNNER_LEASE_SECONDS: '3' } });
    const pool = await harness.addPool('Apart');
    const started = [...Array.from({ length: 5 }, () => harness.addMachine()), harness.addMachine({ pool })];
    machines.push(...(await Promise.all(started)));
    apart = machines[5] as Machine;
    journals = keepJournals(machines);
    apartCapsules.push(...(await installMany(pool, 1)));
    capsules.push(...(await installMany(harness.pool, capsuleCount - 1)));
    jobs = viewJobs(harness);
    field = { harness, jobs, random, machines: [...machines], apart, lost: new Set(), struck: new Set() };
  }, timeout);
  afterAll(async () => {
    jobs?.close();
    journals?.stop();
    await harness?.stop();
  });

  test('go on after the faults, but for applies of lost machines', { timeout }, async () => {
    const endWatch = watchRunning(harness);
    const all = [...apartCapsules, ...capsules];
    const load = startLoad({ harness, jobs, capsules: all, total, random, lost: field.lost });
    const counts = await strikeOften(field, load, { faults, total });
    await expect.poll(() => [...load.awaited], { timeout: patienceMs + total * 1_000 }).toEqual([]);
    await load.done;
    const heldUp = all.flatMap((capsule) => capsule.heldUp ?? []);
    const expected = new Set(heldUp.flatMap(({ applyId, behindId }) => [applyId, behindId]));
    const stuck = () => jobs.listOpen().filter(({ id }) => !expected.has(id));
    await expect.poll(stuck, { timeout: patienceMs }).toEqual([]);
    expect(endWatch()).toEqual([]);
    const applies = all.reduce((sum, capsule) => sum + capsule.applies.length, 0);
    console.info(where, counts, { applies, struck: field.struck.size, heldUp: heldUp.length });
    for (const { applyId, behindId } of heldUp) await giveUp(applyId, behindId);
    expect(jobs.listOpen()).toEqual([]);
    expect(machines.filter((machine) => !machine.isRunning && !field.lost.has(machine.id))).toEqual([]);
    if (isDeep) console.info(countRuns(harness));
  });

  /** Ends an apply whose machine is lost, as a person does; the Run behind it then goes on. */
  async function giveUp(applyId: string, behindId: string): Promise<void> {
    const isSilent = async () => {
      const codes = (await logsOf(harness, applyId)).diagnostics.map(({ code }) => code);
      return codes.lastIndexOf(silentMachineCode) > codes.lastIndexOf(machineBackCode);
    };
    const isOpen = () => jobs.listOpen().some(({ id }) => id === applyId);
    await expect.poll(async () => !isOpen() || (await isSilent()), { timeout: patienceMs }).toBe(true);
    const isEnded = async () => {
      if (isOpen()) await harness.http.post(`/api/v1/runs/${applyId}/cancel`, { interrupt: true });
      return !isOpen();
    };
    await expect.poll(isEnded, { timeout: patienceMs, interval: 500 }).toBe(true);
    expect(['cancelled', 'failed', 'succeeded']).toContain((await endedOf(harness, applyId)).status);
    await endedOf(harness, behindId);
  }

  test('have each effect at most once, and only after a permit, and no hole in a journal', { timeout }, async () => {
    const found: string[] = [];
    for (const capsule of [...apartCapsules, ...capsules])
      found.push(...(await findApplyFaults(harness, machines, capsule)));
    expect(found).toEqual([]);
  });

  test('have a journal on the server with exactly the bytes of its machine', { timeout }, () => {
    journals.stop();
    const { faults: found, ...figures } = journals.compare(harness);
    console.info(where, figures);
    expect(found).toEqual([]);
    expect(figures.compared).toBeGreaterThan(total / 2);
  });

  test('leave an intact ledger', async () => {
    expect(await findDoctorProblems(harness)).toEqual([]);
    expect(await findLedgerFaults(harness.server.dataDir)).toEqual([]);
  });

  test('leave secrets, log lines and addresses on machines of their pool only', { timeout }, () => {
    expect(findTraces(harness.nats.folder, [...apartCapsules, ...capsules])).toEqual([]);
    expect(findTraces(apart.dataDir, capsules)).toEqual([]);
    expect(findTraces(apart.dataDir, apartCapsules)).not.toEqual([]);
    for (const machine of machines.filter((one) => one !== apart))
      expect(findTraces(machine.dataDir, apartCapsules)).toEqual([]);
  });
});
