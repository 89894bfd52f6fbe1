import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Run } from '#shared/runs/contract';
import { hasNatsServer } from '../server/test/nats-server.ts';
import { depth } from './fixtures/depth.ts';
import { getCapsule, getRun, logsOf, startApply, startInstall } from './fixtures/journey.ts';
import { fakeModule } from './fixtures/modules.ts';
import { type Machine, type PoolHarness, startPoolHarness } from './fixtures/pool.ts';
import {
  createdOn,
  endedOf,
  type HeldOnMachine,
  holdOnMachine,
  machineOf,
  openGateOn,
  patienceMs,
} from './fixtures/pool-applies.ts';

/** The read waits for a gate, so that a plan is held. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the module says it
const heldPlanModule = fakeModule('data "fake_whoami" "me" {\n  gate = "${path.root}/world/gate"\n}\n');

type Going = 'revoked' | 'never comes back';
type HeldPlan = { capsuleId: string; planId: string };

describe.skipIf(!hasNatsServer)('a machine that goes', () => {
  let harness: PoolHarness;
  beforeAll(async () => {
    harness = await startPoolHarness({ providers: true, env: { GROUNDCTL_RUNNER_LEASE_SECONDS: '5' } });
  });
  afterAll(() => harness?.stop());

  const poll = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: patienceMs, interval: 100 });

  /** Starts an installation whose plan waits on its machine. */
  async function holdPlan(machine: Machine, name: string): Promise<HeldPlan> {
    const { url } = harness.repository(name, { 'main.tf': heldPlanModule });
    const { body } = await startInstall(harness, { url, name });
    const read = async () => {
      const { installPlan } = (
        await harness.http.post<{ installPlan: { capsuleId?: string; planRunId?: string } }>(
          `/api/v1/install-plans/${body.installPlan.id}/reconcile`,
        )
      ).body;
      return installPlan;
    };
    await poll(async () => (await read()).planRunId ?? '').not.toBe('');
    const { capsuleId = '', planRunId: planId = '' } = await read();
    await poll(() => machineOf([machine], planId)?.id).toBe(machine.id);
    return { capsuleId, planId };
  }

  test('is drained and revoked: it finishes its Runs, takes no others, and ends', async () => {
    const drained = await harness.addMachine();
    const held = await holdOnMachine({ harness, machines: [drained] }, 'drained');
    const other = await harness.addMachine();
    await harness.move(drained, 'drain');
    const shown = async () => (await harness.machines()).find(({ id }) => id === drained.id);
    await poll(shown).toMatchObject({ state: 'draining', runningRuns: 1 });
    const { planId, capsuleId } = await holdPlan(other, 'beside');
    openGateOn(other, capsuleId);
    expect(await endedOf(harness, planId)).toMatchObject({ status: 'succeeded' });
    openGateOn(drained, held.capsuleId);
    expect(await endedOf(harness, held.apply.id)).toMatchObject({ status: 'succeeded' });
    await poll(shown).toMatchObject({ state: 'draining', runningRuns: 0 });
    await harness.move(drained, 'revoke');
    expect(await drained.ended).toMatchObject({ code: 3, err: expect.stringContaining('enrol it again') });
    await other.stop();
    await harness.move(other, 'revoke');
  });

  const cancel = (runId: string) => harness.http.post(`/api/v1/runs/${runId}/cancel`, { interrupt: true });

  /** The apply stays where it was until a person ends it, with what arrived. */
  async function expectEndedByPerson({ apply, capsuleId }: HeldOnMachine): Promise<void> {
    const codes = async () => (await logsOf(harness, apply.id)).diagnostics.map(({ code }) => code);
    await poll(codes).toContain('machine_silent');
    expect(await getRun(harness, apply.id)).toMatchObject({ status: 'running' });
    await cancel(apply.id);
    await cancel(apply.id);
    expect(await endedOf(harness, apply.id)).toMatchObject({ status: 'failed', errorCode: 'apply_interrupted' });
    expect(JSON.stringify((await logsOf(harness, apply.id)).diagnostics)).toContain('fake_thing.early');
    expect(await getCapsule(harness, capsuleId)).toMatchObject({ status: 'error', runtimeSafety: 'unknown' });
  }

  /** The plan is made by another machine. */
  async function expectPlannedBy(other: Machine, { planId, capsuleId }: HeldPlan): Promise<Run> {
    await poll(() => machineOf([other], planId)?.id).toBe(other.id);
    openGateOn(other, capsuleId);
    const plan = await endedOf(harness, planId);
    expect(plan).toMatchObject({ status: 'succeeded' });
    return plan;
  }

  test.each(depth<Going[]>({ quick: ['never comes back'], deep: ['revoked', 'never comes back'] }))(
    '%s: its plan goes to another, its apply waits for a person',
    async (kind) => {
      const lost = await harness.addMachine();
      const name = kind.replaceAll(' ', '-');
      const held = await holdOnMachine({ harness, machines: [lost] }, `apply-${name}`);
      const plan = await holdPlan(lost, `plan-${name}`);
      if (kind === 'revoked') {
        await harness.move(lost, 'revoke');
        expect(await lost.ended).toMatchObject({ code: 3, err: expect.stringContaining('enrol it again') });
      } else await lost.killAll();
      const other = await harness.addMachine();
      await expectEndedByPerson(held);
      const planned = await expectPlannedBy(other, plan);
      expect((await endedOf(harness, (await startApply(harness, planned)).id)).status).toBe('succeeded');
      expect(createdOn([lost, other], held.capsuleId)).toEqual(['early']);
      if (kind !== 'revoked') await harness.move(lost, 'revoke');
      await other.stop();
      await harness.move(other, 'revoke');
    },
  );
});
