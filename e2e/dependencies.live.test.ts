import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { canaryOf, findCanaries, searchFolder } from './fixtures/canary.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { applyPlan, getCapsule, installPlanned, logsOf, outputsOf, planAgain } from './fixtures/journey.ts';

const secret = `canary-${randomBytes(12).toString('hex')}`;
const giving = `variable "password" {
  type      = string
  sensitive = true
}
output "address" {
  value = "https://one.example"
}
output "password" {
  value     = var.password
  sensitive = true
}
`;
/** A module that marks nothing as sensitive and prints the value wherever it can. */
const careless = `variable "password" {
  type = string
}
variable "state" {
  type = string
}
data "terraform_remote_state" "database" {
  backend = "local"
  config = {
    path = var.state
  }
}
resource "terraform_data" "web" {
  input = data.terraform_remote_state.database.outputs.address
  provisioner "local-exec" {
    command = "echo received: \${var.password}; cat \${var.state}"
  }
}
output "received" {
  value = "the password is \${var.password}"
}
output "address" {
  value = terraform_data.web.output
}
`;

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness?.stop());

it('passes a secret from one Capsule to another and leaves no cleartext, even when the consumer is careless', async () => {
  const { url } = harness.repository('giving', { 'main.tf': giving });
  const variables = { password: secret };
  const giver = await installPlanned(harness, { url, name: 'database', variables, secretVariables: ['password'] });
  await applyPlan(harness, giver.plan);
  const other = harness.repository('careless', { 'main.tf': careless });
  const { capsuleId } = await installPlanned(harness, {
    url: other.url,
    name: 'web',
    variables: { password: 'none', state: '/dev/null' },
  }).catch(async () => {
    // Without the state there is nothing to read, so the first plan fails; the Capsule exists.
    const { body } = await harness.http.get<{ capsules: { id: string; name: string }[] }>(
      `/api/v1/workspaces/${harness.workspaceId}/capsules`,
    );
    return { capsuleId: body.capsules.find(({ name }) => name === 'web')?.id ?? '' };
  });
  const link = (outputs: object, mode: string) =>
    harness.http.post(`/api/v1/capsules/${capsuleId}/dependencies`, {
      producerCapsuleId: giver.capsuleId,
      mode,
      outputs,
    });
  await link({ p: { from: 'password', to: 'password' } }, 'variable_injection');
  await link({ s: { from: 'state', to: 'state' } }, 'remote_state');
  const plan = await planAgain(harness, capsuleId);
  expect(plan, JSON.stringify(await logsOf(harness, plan.id))).toMatchObject({ status: 'succeeded' });
  const apply = await applyPlan(harness, plan);
  expect(apply, JSON.stringify(await logsOf(harness, apply.id))).toMatchObject({
    status: 'succeeded',
    dependencySnapshotId: plan.dependencySnapshotId,
  });
  expect(await outputsOf(harness, capsuleId)).toEqual({ address: 'https://one.example' });
  expect((await getCapsule(harness, capsuleId)).status).toBe('active');
  const log = (await logsOf(harness, apply.id)).entries.map(({ text }) => text).join('\n');
  expect(log).toContain('received:');
  const canary = canaryOf('the password', secret);
  expect(harness.http.responseTexts.flatMap((text) => findCanaries('an answer', text, [canary]))).toEqual([]);
  const { hits, files } = searchFolder(harness.server.dataDir, [canary], ['providers']);
  expect(hits).toEqual([]);
  expect(files).toBeGreaterThan(5);
});
