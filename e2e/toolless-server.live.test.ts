import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Capabilities } from '#shared/discovery/api';
import type { Run } from '#shared/runs/contract';
import { hasNatsServer } from '../server/test/nats-server.ts';
import { settled } from './fixtures/feed.ts';
import { applyPlan, installPlanned, outputsOf } from './fixtures/journey.ts';
import { type Machine, type PoolHarness, startPoolHarness } from './fixtures/pool.ts';

const module = `
resource "terraform_data" "a" {
  input = "far"
}
output "title" {
  value = terraform_data.a.output
}
`;

type Refusal = { error: { code: string; message: string } };

describe.skipIf(!hasNatsServer)('a server without a tool', () => {
  const empty = mkdtempSync(path.join(os.tmpdir(), 'groundctl-empty-'));
  let harness: PoolHarness;
  let machine: Machine;
  let url: string;
  let capsuleId: string;
  beforeAll(async () => {
    harness = await startPoolHarness({ env: { PATH: '/nowhere', XDG_CACHE_HOME: empty } });
    ({ url } = harness.repository('module', { 'main.tf': module }));
  });
  afterAll(async () => {
    await harness?.stop();
    rmSync(empty, { recursive: true, force: true });
  });

  test('says so, and lets a plan wait for the first machine of its pool', async () => {
    const { body } = await harness.http.get<Capabilities>('/api/v1/capabilities');
    expect(body.runner).toMatchObject({ available: false, unavailableReason: expect.stringContaining('`local`') });
    const waiting = installPlanned(harness, { url, name: 'one' });
    await expect
      .poll(
        async () =>
          (await harness.http.get<{ runs: Run[] }>(`/api/v1/workspaces/${harness.workspaceId}/runs`)).body.runs,
        {
          timeout: 60_000,
        },
      )
      .toContainEqual(expect.objectContaining({ type: 'plan', status: 'queued', runnerPoolId: harness.pool.id }));
    machine = await harness.addMachine();
    const planned = await waiting;
    ({ capsuleId } = planned);
    expect(planned.plan, machine.log()).toMatchObject({ status: 'succeeded', toolName: 'tofu' });
    expect(await applyPlan(harness, planned.plan), machine.log()).toMatchObject({ status: 'succeeded' });
    expect(await outputsOf(harness, capsuleId)).toEqual({ title: 'far' });
  });

  test('is ready once a machine has joined', async () => {
    const { status, body } = await harness.http.get<{ checks: { name: string; ok: boolean; note?: string }[] }>(
      '/readyz',
    );
    expect([status, body.checks.find(({ name }) => name === 'runner')]).toEqual([
      200,
      { name: 'runner', ok: true, note: expect.stringContaining('`local`') },
    ]);
  });

  test('checks drift and destroys in the pool, and refuses a plan of `local`', async () => {
    const at = `/api/v1/capsules/${capsuleId}`;
    const refused = await harness.http.post<Refusal>(`${at}/plan`, { runnerId: 'local' });
    expect([refused.status, refused.body.error.code]).toEqual([503, 'runner_unavailable']);
    expect(refused.body.error.message).toContain('Install the pinned');
    const check = await harness.http.post<{ run: Run }>(`${at}/drift-check`, {});
    expect(await settled(harness.server, check.body.run.id)).toMatchObject({ status: 'succeeded' });
    const destroy = await harness.http.post<{ run: Run }>(`${at}/destroy-plan`, {});
    expect(await settled(harness.server, destroy.body.run.id)).toMatchObject({ status: 'waiting_approval' });
  });
});
