import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Run } from '#shared/runs/contract';
import { readyFileName } from '../server/src/runner-machine/ready-file.ts';
import { hasNatsServer } from '../server/test/nats-server.ts';
import { settled } from './fixtures/feed.ts';
import { applyPlan, getCapsule, installPlanned, logsOf, outputsOf } from './fixtures/journey.ts';
import { type Machine, type PoolHarness, startPoolHarness } from './fixtures/pool.ts';

const module = `
variable "title" {
  type = string
}
resource "terraform_data" "a" {
  input = var.title
}
output "title" {
  value = terraform_data.a.output
}
`;

describe.skipIf(!hasNatsServer)('a Run on a machine of a pool', () => {
  let harness: PoolHarness;
  let machine: Machine;
  let url: string;
  beforeAll(async () => {
    harness = await startPoolHarness();
    ({ url } = harness.repository('module', { 'main.tf': module }));
    machine = await harness.addMachine();
  });
  afterAll(() => harness?.stop());

  test('is planned, approved and applied there, and looks as one of the server does', async () => {
    const { capsuleId, plan } = await installPlanned(harness, { url, name: 'one', variables: { title: 'far' } });
    expect(plan).toMatchObject({ runnerPoolId: harness.pool.id });
    const apply = await applyPlan(harness, plan);
    expect(apply, machine.log() + harness.server.log()).toMatchObject({
      status: 'succeeded',
      runnerPoolId: harness.pool.id,
    });
    expect(await outputsOf(harness, capsuleId)).toEqual({ title: 'far' });
    expect((await getCapsule(harness, capsuleId)).status).toBe('active');
    expect(JSON.stringify(await logsOf(harness, apply.id))).toContain('terraform_data.a');
    expect(existsSync(path.join(harness.server.dataDir, 'capsules', capsuleId, 'tree'))).toBe(false);
    expect(existsSync(path.join(machine.dataDir, 'capsules', capsuleId))).toBe(true);
  });

  test('is shown with its machine', async () => {
    expect(await harness.machines()).toMatchObject([
      { id: machine.id, state: 'active', isLive: true, sandbox: 'bwrap', runningRuns: 0, concurrency: 2 },
    ]);
  });

  test('is planned in a pool that was created while the server was connected', async () => {
    const { capsuleId } = await installPlanned(harness, { url, name: 'two', variables: { title: 'later' } });
    const pool = await harness.addPool('Later');
    const later = await harness.addMachine({ pool });
    const body = { runnerId: pool.id };
    const { body: started } = await harness.http.post<{ run: Run }>(`/api/v1/capsules/${capsuleId}/plan`, body);
    const plan = await settled(harness.server, started.run.id);
    expect(plan, later.log()).toMatchObject({ status: 'succeeded', runnerPoolId: pool.id });
  });

  test('is taken by a machine that has a file for probes while it takes Runs', async () => {
    const other = await harness.addMachine();
    const file = path.join(other.dataDir, readyFileName);
    expect(existsSync(file)).toBe(true);
    await other.stop();
    expect(existsSync(file)).toBe(false);
    await other.start();
    expect(existsSync(file)).toBe(true);
    await harness.move(other, 'revoke');
    await other.ended;
    expect(existsSync(file)).toBe(false);
  });
});
