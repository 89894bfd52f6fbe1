import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Run } from '#shared/runs/contract';
import { planDestroy } from './fixtures/capsule-changes.ts';
import { groundctl } from './fixtures/groundctl.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { installPlanned } from './fixtures/journey.ts';

/** Replaces a record that was imported. */
const destructive = `import {
  to = terraform_data.one
  id = "known-elsewhere"
}
resource "terraform_data" "one" {
  triggers_replace = ["another"]
}
output "id" { value = "replaced" }
`;

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness?.stop());

const runs = (...args: string[]) => groundctl(['runs', ...args, '--data-dir', harness.server.dataDir]);
const planned = async (name: string): Promise<Run & { capsuleId: string }> => {
  const { url } = harness.repository(name, { 'main.tf': destructive });
  const { plan, capsuleId } = await installPlanned(harness, { url, name, variables: {} });
  return { ...plan, capsuleId };
};

test('approves a plan, and applies it later with its Outputs', async () => {
  const { id } = await planned('decided');
  expect(await runs('approve', id, '--allow-destroy')).toMatchObject({ code: 2 });
  const waits = await runs('approve', id);
  expect(waits).toMatchObject({ code: 3, err: expect.stringContaining(`groundctl runs approve ${id}`) });
  expect(waits.out).toContain('-/+ terraform_data.one');
  const refused = await runs('approve', id, '--auto-approve');
  expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('--allow-destroy') });
  const approved = await runs('approve', id, '--auto-approve', '--allow-destroy');
  expect(approved).toMatchObject({ code: 0, out: expect.stringContaining(`groundctl runs apply ${id}`) });
  expect(await runs('approve', id)).toMatchObject({ code: 1, err: expect.stringContaining('does not wait for') });

  const applied = await runs('apply', id, '--auto-approve', '--allow-destroy', '--json');
  expect([applied.code, JSON.parse(applied.out)]).toEqual([
    0,
    expect.objectContaining({ outcome: 'applied', outputs: { id: 'replaced' } }),
  ]);
  expect(await runs('cancel', id)).toMatchObject({ code: 1, err: expect.stringContaining('already ended') });
});

test('approves and applies a destroy plan with one command', async () => {
  const { id, capsuleId } = await planned('destroyed');
  await runs('apply', id, '--auto-approve', '--allow-destroy');
  const run = await planDestroy(harness, capsuleId);
  const destroyed = await runs('apply', run.id, '--auto-approve', '--allow-destroy');
  expect([destroyed.code, destroyed.err, destroyed.out]).toEqual([
    0,
    expect.anything(),
    expect.stringContaining('Applied'),
  ]);
});
