import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasNatsServer } from '../server/test/nats-server.ts';
import { findLedgerFaults } from './faults/invariants.ts';
import { findDoctorProblems } from './fixtures/doctor.ts';
import { getCapsule, logsOf, stateVersions } from './fixtures/journey.ts';
import { type PoolHarness, startPoolHarness } from './fixtures/pool.ts';
import {
  createdOn,
  endedOf,
  type HeldOnMachine,
  holdOnMachine,
  killSupervisorOn,
  openGateOn,
  type Pool,
  watchRunning,
} from './fixtures/pool-applies.ts';

const addresses = ['early', 'held', 'later'];

describe.skipIf(!hasNatsServer)('an apply on a machine', () => {
  let pool: Pool;
  let harness: PoolHarness;
  let endWatch: (() => string[]) | undefined;
  beforeAll(async () => {
    harness = await startPoolHarness({ providers: true });
    pool = { harness, machines: [await harness.addMachine(), await harness.addMachine()] };
    endWatch = watchRunning(harness);
  });
  afterAll(() => harness?.stop());

  /** The apply succeeds, and its machines have made each thing once. */
  async function expectWhole({ apply, capsuleId }: HeldOnMachine): Promise<void> {
    const ended = await endedOf(harness, apply.id);
    const { diagnostics } = await logsOf(harness, apply.id);
    expect(ended, JSON.stringify(diagnostics).slice(0, 2_000)).toMatchObject({ status: 'succeeded' });
    expect(createdOn(pool.machines, capsuleId)).toEqual(addresses);
    expect(await stateVersions(harness, capsuleId)).toHaveLength(1);
    expect(await getCapsule(harness, capsuleId)).toMatchObject({ status: 'active', runtimeSafety: 'safe' });
  }

  test('survives its runner, which starts again later', async () => {
    const held = await holdOnMachine(pool, 'runner');
    await held.machine.kill9();
    openGateOn(held.machine, held.capsuleId);
    await held.machine.start();
    await expectWhole(held);
    const { entries } = await logsOf(harness, held.apply.id);
    expect(JSON.stringify(entries)).toContain('fake_thing.later: Creation complete');
  });

  test('is taken over when its runner and its supervisor are killed', async () => {
    const held = await holdOnMachine(pool, 'supervisor');
    await held.machine.kill9();
    expect(killSupervisorOn(held.machine, held.apply.id)).toBe(true);
    openGateOn(held.machine, held.capsuleId);
    await held.machine.start();
    await expectWhole(held);
  });

  test('is taken over by a runner whose supervisor is killed', async () => {
    const held = await holdOnMachine(pool, 'supervisor-alone');
    expect(killSupervisorOn(held.machine, held.apply.id)).toBe(true);
    openGateOn(held.machine, held.capsuleId);
    await expectWhole(held);
  });

  test('survives the NATS server', async () => {
    const held = await holdOnMachine(pool, 'nats');
    await harness.nats.kill();
    openGateOn(held.machine, held.capsuleId);
    await harness.nats.start();
    await expectWhole(held);
  });

  test('survives the server', async () => {
    const held = await holdOnMachine(pool, 'server');
    await harness.server.kill9();
    openGateOn(held.machine, held.capsuleId);
    await harness.server.restart();
    await expectWhole(held);
  });

  test('leaves an intact ledger, and never two Runs of one Capsule at once', async () => {
    expect(endWatch?.()).toEqual([]);
    expect(await findDoctorProblems(harness)).toEqual([]);
    expect(await findLedgerFaults(harness.server.dataDir)).toEqual([]);
  });
});
