import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LateState } from '#shared/late-states/contract';
import type { Run } from '#shared/runs/contract';
import { hasNatsServer } from '../server/test/nats-server.ts';
import { accessibilityFindings, hasChromium, keepPicture, startBrowser, type TestBrowser } from './fixtures/browser.ts';
import { getCapsule, getRun, logsOf, planAgain, stateVersions } from './fixtures/journey.ts';
import { type PoolHarness, startPoolHarness } from './fixtures/pool.ts';
import {
  createdOn,
  endedOf,
  type HeldOnMachine,
  holdOnMachine,
  openGateOn,
  patienceMs,
} from './fixtures/pool-applies.ts';
import { openRoute } from './fixtures/route.ts';

describe.skipIf(!hasNatsServer || !hasChromium)('an apply that was ended without its machine', () => {
  let harness: PoolHarness;
  let browser: TestBrowser;
  beforeAll(async () => {
    harness = await startPoolHarness({ providers: true, env: { GROUNDCTL_RUNNER_LEASE_SECONDS: '5' } });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await harness?.stop();
  });

  const poll = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: patienceMs, interval: 100 });
  const listLate = async (capsuleId: string) =>
    (await harness.http.get<{ lateStates: LateState[] }>(`/api/v1/capsules/${capsuleId}/late-states`)).body.lateStates;

  /** Ends the apply as a person does whose machine is silent. */
  async function endWithoutMachine({ apply }: HeldOnMachine): Promise<void> {
    const codes = async () => (await logsOf(harness, apply.id)).diagnostics.map(({ code }) => code);
    await poll(codes).toContain('machine_silent');
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, `/runs/${apply.id}`);
    await confirm(page, 'Interrupt', 'Interrupt the apply');
    await confirm(page, 'End without its machine', 'End without its machine');
    expect(await endedOf(harness, apply.id)).toMatchObject({ status: 'failed', errorCode: 'apply_interrupted' });
    expect(JSON.stringify((await logsOf(harness, apply.id)).diagnostics)).toContain(
      'The last state that arrived is of',
    );
    await page.getByText('The last state that arrived is of').first().waitFor();
    await close();
  }

  async function confirm(page: Page, button: string, action: string): Promise<void> {
    await page.getByRole('main').getByRole('button', { name: button, exact: true }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, `run-${button.toLowerCase().replaceAll(' ', '-')}`);
    await dialog.getByRole('button', { name: action, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  /** Adopts a late state, and returns the restore Run that has ended. */
  async function adopt({ id, currentGeneration }: LateState): Promise<Run> {
    const url = `/api/v1/late-states/${id}/adopt`;
    const body = { expectedGeneration: currentGeneration };
    const { run } = (await harness.http.post<{ run: Run }>(url, body)).body;
    expect((await harness.http.post<{ run: Run }>(url, body)).body.run.id).toBe(run.id);
    await harness.http.post(`/api/v1/runs/${run.id}/approve`, {});
    return endedOf(harness, run.id);
  }

  test('brings the state that its machine reached, which a person adopts, and the next plan has no changes', async () => {
    const machine = await harness.addMachine();
    const held = await holdOnMachine({ harness, machines: [machine] }, 'late');
    machine.line.cut();
    await endWithoutMachine(held);
    const [ended] = await stateVersions(harness, held.capsuleId);
    expect(ended).toMatchObject({ generation: 1, partial: true });
    // The apply goes on where it is, and no one is informed.
    openGateOn(machine, held.capsuleId);
    await poll(() => createdOn([machine], held.capsuleId)).toEqual(['early', 'held', 'later']);
    machine.line.heal();
    await poll(async () => (await listLate(held.capsuleId)).length).toBe(1);
    const [late] = (await listLate(held.capsuleId)) as [LateState];
    expect(late).toMatchObject({ phase: 'waiting', runId: held.apply.id, runnerId: machine.id, isSuperseded: false });
    expect(late.currentGeneration).toBe(1);
    await poll(() => existsSync(path.join(machine.dataDir, 'runs', held.apply.id))).toBe(false);
    expect(await getRun(harness, held.apply.id)).toMatchObject({ status: 'failed' });
    expect(await adopt(late)).toMatchObject({ type: 'restore', status: 'succeeded' });
    expect((await listLate(held.capsuleId))[0]).toMatchObject({ phase: 'adopted' });
    expect((await getCapsule(harness, held.capsuleId)).currentStateGeneration).toBe(2);
    expect(await planAgain(harness, held.capsuleId)).toMatchObject({ status: 'succeeded', hasChanges: false });
  });
});
