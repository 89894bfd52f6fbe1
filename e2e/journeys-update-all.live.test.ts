import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RunGroup } from '#shared/run-groups/contract';
import type { Run } from '#shared/runs/contract';
import { extremeViews, hasChromium, keepPicture, type Visitor } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { expectAccessible, settledPage } from './fixtures/form-steps.ts';
import { groundctl } from './fixtures/groundctl.ts';
import { applyPlan, getCapsule, installPlanned, planAgain, syncSource } from './fixtures/journey.ts';
import { expectStableLayout, observeLayoutShifts } from './fixtures/layout-shifts.ts';
import { openRoute } from './fixtures/route.ts';
import { addPerson } from './fixtures/second-person.ts';

/*
 * Everything that is out of date is updated on one page: a producer before its consumer, with a member whose apply
 * fails and is retried, and one that is held.
 */

const producing = (address: string) => `output "address" {\n  value = "${address}"\n}\n`;
const consuming = `variable "address" {
  type    = string
  default = "none"
}
resource "terraform_data" "web" {
  input = var.address
}
`;
/** Its identity is known only after the apply, so its plan succeeds and its apply fails. */
const failing = `resource "terraform_data" "late" {
  lifecycle {
    postcondition {
      condition     = self.id == "never"
      error_message = "The identity is not as expected."
    }
  }
}
`;
const plain = (input: string) => `resource "terraform_data" "note" {\n  input = "${input}"\n}\n`;

type GroupAnswer = { runGroup: RunGroup; runs: Run[] };
type Refused = { error: { details: { refusals: { runId: string; reason: string; message: string }[] } } };

describe.skipIf(!hasChromium)('an update of everything in the dashboard', () => {
  serveBrowsed();
  let visitor: Visitor;
  let groupPath = '';
  const capsules = new Map<string, { capsuleId: string; sourceId: string }>();
  const idOf = (name: string) => capsules.get(name)?.capsuleId ?? '';
  const commits = new Map<string, (text: string) => Promise<unknown>>();
  const commit = (name: string, text: string) => commits.get(name)?.(text);

  async function installApplied(name: string, text: string): Promise<void> {
    const repository = harness.repository(name, { 'main.tf': text });
    const { plan, ...ids } = await installPlanned(harness, { url: repository.url, name });
    await applyPlan(harness, plan);
    capsules.set(name, ids);
    commits.set(name, (next) => {
      repository.commit({ 'main.tf': next });
      return syncSource(harness, ids.sourceId);
    });
  }
  const groupOf = async () => (await harness.http.get<GroupAnswer>(`/api/v1${groupPath}`)).body;
  const main = (page: Page) => page.getByRole('main');
  const bar = (page: Page) => page.getByRole('region', { name: 'Decide on these plans' });
  const box = (page: Page, name: string) => page.getByRole('checkbox', { name: new RegExp(`^${name}`) });
  async function apply(page: Page, count: number): Promise<void> {
    const name = count === 1 ? 'Apply 1 plan' : `Apply ${count} plans`;
    await bar(page).getByRole('button', { name }).click();
    await page.getByRole('alertdialog').getByRole('button', { name }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'hidden' });
  }

  beforeAll(async () => {
    await installApplied('database', producing('one'));
    await installApplied('web', consuming);
    await installApplied('broken', plain('one'));
    await installApplied('frozen', plain('one'));
    await harness.http.post(`/api/v1/capsules/${idOf('web')}/dependencies`, {
      producerCapsuleId: idOf('database'),
      outputs: { address: { from: 'address', to: 'address' } },
    });
    await applyPlan(harness, await planAgain(harness, idOf('web')));
    await harness.http.put(`/api/v1/capsules/${idOf('frozen')}/hold`, { reason: 'Freeze' });
    await commit('database', producing('two'));
    await commit('broken', plain('two') + failing);
    await commit('frozen', plain('two'));
  });

  it('starts at home, and selects every plan that may be applied', async () => {
    visitor = await browser.visit(harness.server);
    const { page } = visitor;
    await main(page).getByRole('button', { name: 'Plan all updates' }).click();
    await page.waitForURL(/\/run-groups\/rg_/);
    groupPath = new URL(page.url()).pathname;
    await bar(page).getByText('2 of 3 waiting plans selected').waitFor({ timeout: 60_000 });
    await main(page).getByText('Held', { exact: true }).waitFor();
    expect(await box(page, 'frozen').count()).toBe(0);
    const { runs } = await groupOf();
    const planDigests = Object.fromEntries(
      runs.flatMap(({ id, planDigest }) => (planDigest ? [[id, planDigest]] : [])),
    );
    const refused = await harness.http.post<Refused>(`/api/v1${groupPath}/apply`, { planDigests });
    const frozen = runs.find(({ capsuleId }) => capsuleId === idOf('frozen'))?.id;
    expect([refused.status, refused.body.error.details.refusals]).toEqual([
      409,
      [{ runId: frozen, reason: 'capsule_held', message: expect.stringContaining('Freeze') }],
    ]);
    expect((await groupOf()).runs.map(({ type }) => type)).not.toContain('apply');
  });

  it.each(extremeViews)('shows layers, marks and the decision without a finding: %s', async (view, options) => {
    const guest = await browser.visit(harness.server, options);
    await observeLayoutShifts(guest.page);
    for (const route of [groupPath, '/run-groups', '/']) {
      await expectAccessible(guest.page, { view: `update-${view}`, routes: [route] });
      await expectStableLayout(guest.page);
    }
    await guest.close();
  });

  it('applies exactly the selected plan, and plans its consumer with the new Output', async () => {
    const { page } = visitor;
    await box(page, 'broken').uncheck();
    await apply(page, 1);
    await bar(page)
      .getByText(/of 3 waiting plans selected/)
      .waitFor({ timeout: 60_000 });
    await box(page, 'web').waitFor();
    const { runs } = await groupOf();
    expect(runs.filter(({ type }) => type === 'apply')).toMatchObject([
      { capsuleId: idOf('database'), status: 'succeeded' },
    ]);
  });

  it('stops when an apply fails, and retries what failed and what did not start', async () => {
    const { page } = visitor;
    await box(page, 'broken').check();
    await apply(page, 2);
    await page.getByRole('button', { name: 'Plan 2 failed again' }).waitFor({ timeout: 60_000 });
    await page.getByText('The apply of "broken" failed, so this apply did not start.').waitFor();
    await page.getByRole('button', { name: /^Failed or cancelled/ }).click();
    await expect.poll(() => main(page).getByRole('listitem').count()).toBe(2);
    await keepPicture(page, 'update-failed');
    await commit('broken', plain('three'));
    await page.getByRole('button', { name: 'Plan 2 failed again' }).click();
    await page.getByText('No members in this state.').waitFor();
    await page.getByRole('button', { name: /^All/ }).click();
    await bar(page).getByText('2 of 3 waiting plans selected').waitFor({ timeout: 60_000 });
  });

  it('approves what destroys something, applies the rest, and ends when the held one is released', async () => {
    const { page } = visitor;
    const approve = bar(page).getByRole('button', { name: 'Approve 1 plan' });
    await approve.click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Approve 1 plan' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'hidden' });
    await apply(page, 2);
    await expect.poll(async () => (await getCapsule(harness, idOf('web'))).status, { timeout: 60_000 }).toBe('active');
    await harness.http.delete(`/api/v1/capsules/${idOf('frozen')}/hold`);
    await box(page, 'frozen').waitFor();
    const id = groupPath.split('/').at(-1) ?? '';
    const folder = ['--data-dir', harness.server.dataDir];
    expect(await groundctl(['groups', 'apply', id, '--auto-approve', ...folder])).toMatchObject({
      code: 0,
      out: expect.stringContaining('frozen: succeeded'),
    });
    await expect.poll(async () => (await groupOf()).runGroup.status, { timeout: 60_000 }).toBe('succeeded');
    await bar(page).waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'All groups' }).click();
    await page.getByRole('table').getByText('Succeeded').waitFor();
    await visitor.close();
  });

  it('offers a viewer no decision', async () => {
    const { subject } = await addPerson(harness.server);
    const member = { accountId: subject, role: 'viewer' };
    await harness.http.post(`/api/v1/workspaces/${harness.workspaceId}/members`, member);
    await commit('database', producing('three'));
    await harness.http.post(`/api/v1/workspaces/${harness.workspaceId}/plan-update`);
    const { page, close } = await browser.visit(harness.server, { subject, workspaceId: harness.workspaceId });
    await openRoute(page, '/run-groups');
    await page.getByRole('table').getByRole('link', { name: 'Update of the Workspace' }).first().click();
    await bar(page).getByText('Only owners and admins of this Workspace can approve and apply plans.').waitFor({
      timeout: 60_000,
    });
    await settledPage(page);
    expect(await main(page).getByRole('checkbox').count()).toBe(0);
    expect(await bar(page).getByRole('button').count()).toBe(0);
    await close();
  });
});
