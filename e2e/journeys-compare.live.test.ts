import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ConfigurationPlanAnswer } from '#shared/configuration-plans/api';
import type { Json } from '#shared/kernel/json';
import type { InputChanges, PlanComparison } from '#shared/plans/comparison';
import type { Run } from '#shared/runs/contract';
import { accessibilityFindings, hasChromium, keepPicture, views } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settled } from './fixtures/feed.ts';
import { settledPage } from './fixtures/form-steps.ts';
import { applyPlan, installPlanned } from './fixtures/journey.ts';
import { openRoute } from './fixtures/route.ts';

const module = `variable "size" {
  type    = number
  default = 1
}
variable "token" {
  type      = string
  default   = "first-canary-4711"
  sensitive = true
}
resource "terraform_data" "sized" {
  input = format("size %s", var.size)
}
resource "terraform_data" "secret" {
  input = var.token
}
resource "terraform_data" "many" {
  count = var.size
}
`;
const secrets = ['first-canary-4711', 'second-canary-4712'];

/** Changes variables of a Capsule and returns the plan of that. */
async function configure(capsuleId: string, set: { [name: string]: Json }): Promise<Run> {
  const { body } = await harness.http.get<{ installConfigReAdoption: { authorityGuard: string } }>(
    `/api/v1/capsules/${capsuleId}`,
  );
  const answer = await harness.http.post<ConfigurationPlanAnswer>(
    `/api/v1/capsules/${capsuleId}/configuration-plans`,
    {
      variablePatch: { set, remove: [] },
      providerBindings: [],
      interfaceBlueprints: [],
      expected: { authorityGuard: body.installConfigReAdoption.authorityGuard },
    },
    { 'idempotency-key': randomUUID() },
  );
  return settled(harness.server, answer.body.configurationPlan.planRunId);
}
const compare = async (runId: string, other: string) =>
  (await harness.http.get<{ comparison: PlanComparison }>(`/api/v1/runs/${runId}/plan-comparison?with=${other}`)).body
    .comparison;

describe.skipIf(!hasChromium)('two plans of a Capsule', () => {
  serveBrowsed();

  it('differ in inputs, results and sensitive values, which are compared and never shown', async () => {
    const repository = harness.repository('compared', { 'main.tf': module });
    const { capsuleId, plan } = await installPlanned(harness, { url: repository.url, name: 'compared' });
    await applyPlan(harness, plan);
    const two = await configure(capsuleId, { size: 2 });
    const sameSecret = await configure(capsuleId, { size: 2, token: secrets[0] ?? '' });
    const otherSecret = await configure(capsuleId, { size: 3, token: secrets[1] ?? '' });

    expect((await compare(two.id, sameSecret.id)).resources).toEqual([]);
    const compared = await compare(otherSecret.id, two.id);
    const byAddress = Object.fromEntries(compared.resources.map((one) => [one.address, one]));
    expect(Object.keys(byAddress).sort()).toEqual([
      'terraform_data.many[2]',
      'terraform_data.secret',
      'terraform_data.sized',
    ]);
    expect(byAddress['terraform_data.many[2]']?.difference).toBe('added');
    expect(byAddress['terraform_data.sized']).toMatchObject({
      before: { input: 'size 2' },
      after: { input: 'size 3' },
    });
    expect(compared.inputs.map(({ name, difference, secret }) => [name, difference, secret])).toEqual([
      ['size', 'changed', false],
      ['token', 'added', true],
    ]);
    const { body, text } = await harness.http.get<{ changes: InputChanges }>(
      `/api/v1/runs/${otherSecret.id}/input-changes`,
    );
    expect(body.changes.against).toEqual({ kind: 'applied', runId: plan.id });
    for (const secret of secrets) expect(text + JSON.stringify(compared)).not.toContain(secret);
  });

  it.each(views)('are compared on the page of the newer one, which offers it: %s', async (name, view) => {
    const repository = harness.repository(`offered-${name.replaceAll(' ', '-')}`, { 'main.tf': module });
    const { capsuleId, plan } = await installPlanned(harness, { url: repository.url, name: `offered ${name}` });
    await applyPlan(harness, plan);
    await configure(capsuleId, { size: 2 });
    const newer = await configure(capsuleId, { size: 3, token: secrets[1] ?? '' });
    const { page, close } = await browser.visit(harness.server, view);
    await openRoute(page, `/runs/${newer.id}`);
    await page.getByText('terraform_data.sized').first().waitFor({ timeout: 30_000 });
    await settledPage(page);
    await keepPicture(page, `plan-inputs-${name}`);
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.locator('a[href*="tab=compare"]').first().click();
    await page.waitForURL(/tab=compare&with=plan_/);
    await page.getByText('terraform_data.many[2]').waitFor();
    await page.getByText('terraform_data.sized').click();
    await page.getByText('"size 3"').waitFor();
    await settledPage(page);
    await keepPicture(page, `plan-compare-${name}`);
    expect(await accessibilityFindings(page)).toEqual([]);
    for (const secret of secrets) expect(await page.content()).not.toContain(secret);
    await close();
  });
});
