import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Run } from '#shared/runs/contract';
import { isDeep } from './fixtures/depth.ts';
import { resourceIs, settled } from './fixtures/feed.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import {
  awaitInRun,
  gate,
  type HeldApply,
  type HeldApplyInput,
  inRun,
  killTool,
  listCreated,
  openGate,
  signalSupervisor,
  startHeldApply,
} from './fixtures/held-apply.ts';
import { applyPlan, getCapsule, logsOf, outputsOf, planAgain, stateVersions, takeNewest } from './fixtures/journey.ts';
import { fakeModule, thing } from './fixtures/modules.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ providers: true });
});
afterAll(() => harness?.stop());

let count = 0;
function startNamedApply(input: Partial<HeldApplyInput> = {}): Promise<HeldApply> {
  count += 1;
  return startHeldApply(harness, { name: `recovery-${count}`, ...input });
}

/** Returns the objects that may exist without being in a state, as the feed reports them: code and address. */
async function uncertainOf({ apply }: HeldApply): Promise<string[]> {
  const { diagnostics } = await logsOf(harness, apply.id);
  return diagnostics.flatMap(({ code, address }) => (code?.startsWith('orphan_') ? [`${code} ${address}`] : []));
}

async function blockOf({ apply }: HeldApply, address: string): Promise<string> {
  const { diagnostics } = await logsOf(harness, apply.id);
  return diagnostics.find((one) => one.address === address && one.code?.startsWith('orphan_'))?.detail ?? '';
}

/** Checks the ledger after a failed apply: everything it reached is stored, and none of it is taken as complete. */
async function expectPartial(held: HeldApply, errorCode: string, resourceCount: number): Promise<void> {
  const run = await settled(harness.server, held.apply.id);
  expect(run).toMatchObject({ status: 'failed', errorCode });
  expect(await getCapsule(harness, held.capsuleId)).toMatchObject({
    status: 'error',
    runtimeSafety: 'unknown',
    currentStateGeneration: 1,
  });
  expect(await stateVersions(harness, held.capsuleId)).toMatchObject([
    { generation: 1, partial: true, resourceCount, createdByRunId: held.apply.id },
  ]);
}

/** The recovery: a fresh plan that a person has reviewed, and its apply. */
async function expectRecovery({ capsuleId }: HeldApply, plan: Run): Promise<void> {
  expect((await applyPlan(harness, plan)).status).toBe('succeeded');
  expect(await getCapsule(harness, capsuleId)).toMatchObject({ status: 'active', runtimeSafety: 'safe' });
  expect((await planAgain(harness, capsuleId)).summary).toEqual({ add: 0, change: 0, destroy: 0 });
}

describe('a tool that is killed in the middle of an apply', () => {
  it('before it saved any state leaves candidates with import blocks, and invalidates every earlier plan', async () => {
    let before: Run | undefined;
    const held = await startNamedApply({
      planToApply: ({ capsuleId, plan }) => {
        before = plan;
        return planAgain(harness, capsuleId);
      },
    });
    expect(before).toMatchObject({ status: 'succeeded', awaits: 'apply' });
    killTool(harness, held);
    await expectPartial(held, 'apply_interrupted', 0);
    expect(await uncertainOf(held)).toEqual([
      'orphan_started fake_thing.held',
      'orphan_completed fake_thing.early',
      'orphan_possible fake_thing.later',
    ]);
    expect(await blockOf(held, 'fake_thing.held')).toBe(
      'import {\n  to = fake_thing.held\n  id = "<the id of the fake_thing whose name is held>"\n}',
    );
    const refused = await harness.http.post(`/api/v1/runs/${before?.id}/apply`, {});
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('state_generation_mismatch')]);
    openGate(harness, held);
    await expectRecovery(held, await planAgain(harness, held.capsuleId));
  });

  it('together with its supervisor is known to be dead, and everything planned is uncertain', async () => {
    const held = await startNamedApply();
    signalSupervisor(harness, held, 'SIGSTOP');
    killTool(harness, held);
    signalSupervisor(harness, held, 'SIGKILL');
    await expectPartial(held, 'apply_interrupted', 0);
    expect((await uncertainOf(held)).sort()).toEqual([
      'orphan_completed fake_thing.early',
      'orphan_possible fake_thing.later',
      'orphan_started fake_thing.held',
    ]);
    const { diagnostics } = await logsOf(harness, held.apply.id);
    expect(diagnostics.map(({ code }) => code)).toContain('supervisor_replaced');
    openGate(harness, held);
    await expectRecovery(held, await planAgain(harness, held.capsuleId));
  });

  // The tool writes the state of a running apply when a change completes and 20 s have passed since the last write.
  it.skipIf(!isDeep)('after it saved a state keeps everything in the state', { timeout: 240_000 }, async () => {
    const slow = thing('slow', 'delay_ms = 21000');
    const last = thing('held', `${gate}\n  depends_on = [fake_thing.slow]`);
    const held = await startNamedApply({ module: fakeModule(`${thing('early')}${slow}${last}`) });
    await awaitInRun(inRun(harness, held, 'journal.ndjson'), (text) => text.includes('"t":"state"'));
    killTool(harness, held);
    await expectPartial(held, 'apply_interrupted', 2);
    expect(await uncertainOf(held)).toEqual(['orphan_started fake_thing.held']);
    openGate(harness, held);
    await expectRecovery(held, await planAgain(harness, held.capsuleId));
  });
});

describe('an apply that no supervisor can take over', () => {
  it('ends, and the state its tool has written is committed all the same', async () => {
    const held = await startNamedApply();
    await harness.server.kill9();
    signalSupervisor(harness, held, 'SIGKILL');
    openGate(harness, held);
    await awaitInRun(inRun(harness, held, 'status.json'), (text) => text.includes('exit-code'));
    // Without it no supervisor can follow the tool: each that tries dies.
    rmSync(inRun(harness, held, 'stdout.fifo'));
    await harness.server.restart();
    await expectPartial(held, 'run_execution_lease_lost', 3);
    expect(await uncertainOf(held)).toEqual([]);
    expect(Object.keys((await outputsOf(harness, held.capsuleId)) ?? {})).toEqual(['made']);
    const plan = await planAgain(harness, held.capsuleId);
    expect(plan.summary).toEqual({ add: 0, change: 0, destroy: 0 });
    await expectRecovery(held, plan);
  });
});

it('an orphan is taken in by its import block', async () => {
  const broken = fakeModule(`${thing('good')}${thing('lost', 'fail = "crash"\n  depends_on = [fake_thing.good]')}`);
  const held = await startNamedApply({ module: broken, reached: resourceIs('fake_thing.lost', 'started') });
  await expectPartial(held, 'apply_failed', 1);
  expect(await uncertainOf(held)).toEqual(['orphan_errored fake_thing.lost']);
  const { id = '' } = listCreated(harness, held).find(({ name }) => name === 'lost') ?? {};
  const block = (await blockOf(held, 'fake_thing.lost')).replace(/<.*>/, id);
  held.repository.commit({ 'main.tf': fakeModule(`${thing('good')}${thing('lost')}${block}\n`) });
  await takeNewest(harness, held.sourceId);
  const plan = await planAgain(harness, held.capsuleId);
  expect(plan.summary).toMatchObject({ add: 0, destroy: 0, import: 1 });
  await expectRecovery(held, plan);
  expect(listCreated(harness, held).map(({ name }) => name)).toEqual(['good', 'lost']);
});
