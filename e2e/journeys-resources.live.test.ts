import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFindings, hasChromium, keepPicture, views } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settledPage } from './fixtures/form-steps.ts';
import { applyPlan, installPlanned, planAgain, stateVersions, syncSource } from './fixtures/journey.ts';
import { expectStableLayout, observeLayoutShifts } from './fixtures/layout-shifts.ts';
import { openRoute } from './fixtures/route.ts';
import { addPerson } from './fixtures/second-person.ts';

const secret = 'nine-yellow-boats-at-noon';
const main = (text: string, extra: string) => `variable "password" {
  default   = "${secret}"
  sensitive = true
}
resource "terraform_data" "note" {
  input = "${text}"
}
resource "terraform_data" "login" {
  input = var.password
}
module "part" {
  source = "./part"
}
check "open" {
  assert {
    condition     = terraform_data.note.output == "one"
    error_message = "The note is not the first one."
  }
}
${extra}`;
const part = 'resource "terraform_data" "piece" {\n  for_each = toset(["a", "b"])\n  input    = each.key\n}\n';

describe.skipIf(!hasChromium)('the resources of a Capsule', () => {
  serveBrowsed();
  let capsuleId = '';
  let viewer = '';
  const at = (tab: string) => `/capsules/${capsuleId}${tab}`;
  const rowOf = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const resources = (page: Page) => page.getByRole('list', { name: 'Resources' });

  beforeAll(async () => {
    const files = (text: string, extra = '') => ({ 'main.tf': main(text, extra), 'part/main.tf': part });
    const repository = harness.repository('parts', files('one'));
    const planned = await installPlanned(harness, { url: repository.url, name: 'parts', modulePath: '.' });
    ({ capsuleId } = planned);
    await applyPlan(harness, planned.plan);
    repository.commit(files('two', 'resource "terraform_data" "late" {}\n'));
    const sourceSnapshotId = await syncSource(harness, planned.sourceId);
    const check = `/api/v1/sources/${planned.sourceId}/compatibility-check`;
    await harness.http.post(check, { sourceSnapshotId, modulePath: '.' });
    await applyPlan(harness, await planAgain(harness, capsuleId));
    ({ subject: viewer } = await addPerson(harness.server));
    const member = { accountId: viewer, role: 'viewer' };
    await harness.http.post(`/api/v1/workspaces/${harness.workspaceId}/members`, member);
  });

  it('are listed by module, found by value, and shown with attributes, blocks and history', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, at('/resources'));
    await rowOf(page, 'terraform_data.note').click();
    const list = resources(page);
    await list.getByText(/two/).first().waitFor();
    await page.getByText('The note is not the first one.').waitFor();
    await page.getByRole('button', { name: 'moved', exact: true }).click();
    await page.getByRole('button', { name: 'Copy: moved block' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      'moved {\n  from = terraform_data.note\n  to   = terraform_data.NEW_NAME\n}',
    );
    await page.getByRole('button', { name: 'History' }).click();
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('Created').waitFor();
    expect(await history.getByRole('listitem').count()).toBe(2);
    await keepPicture(page, 'resources-open');
    expect(await accessibilityFindings(page)).toEqual([]);
    // A sensitive value is named and never shown.
    await rowOf(page, 'terraform_data.login').click();
    await list.getByText('sensitive').first().waitFor();
    expect(await page.content()).not.toContain(secret);

    await page.getByRole('navigation', { name: 'Modules' }).getByRole('button', { name: 'module.part' }).click();
    await page.waitForURL(/module=module\.part/);
    await expect.poll(() => list.getByRole('listitem').count()).toBe(2);
    await page.getByRole('button', { name: 'Show all resources' }).click();
    await page.getByRole('searchbox').fill('two');
    await page.waitForURL(/q=two/);
    await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
    await page.getByRole('searchbox').fill('nothing like this');
    await page.getByText('No matching resources').waitFor();
    await close();
  });

  it('of an earlier generation are shown, and a link opens a single one', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, at('/resources'));
    await page.getByRole('combobox', { name: 'Generation' }).selectOption({ label: 'Generation 1' });
    await page.waitForURL(/state=/);
    await expect.poll(() => resources(page).getByText('terraform_data.late').count()).toBe(0);
    await rowOf(page, 'terraform_data.note').click();
    await page.getByRole('link', { name: 'Link to this resource' }).click();
    await page.waitForURL(/address=terraform_data\.note/);
    await page.reload();
    await resources(page)
      .getByText(/\bone\b/)
      .first()
      .waitFor();
    expect(await resources(page).getByRole('listitem').count()).toBeGreaterThan(0);
    await close();
  });

  it('of two generations are compared attribute by attribute, and a rollback is planned from there', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, at('/states'));
    await page.getByRole('link', { name: 'Compare with the generation before' }).click();
    await page.waitForURL(/from=.*to=/);
    const note = page.locator('[data-row="plan terraform_data.note"]');
    await note.click();
    await page.getByText('"two"').first().waitFor();
    await page.locator('[data-row="plan terraform_data.late"]').waitFor();
    await page.waitForURL(/open=terraform_data\.note/);
    await keepPicture(page, 'resources-compare');
    expect(await accessibilityFindings(page)).toEqual([]);
    const [newest] = await stateVersions(harness, capsuleId);
    await page.getByRole('combobox', { name: 'From' }).selectOption(newest?.id ?? '');
    await page.getByText('These generations do not differ.').waitFor();
    await page.getByRole('button', { name: 'Create rollback plan' }).waitFor();
    await close();
  });

  it('are shown to a viewer, and nothing of them is changed from there', async () => {
    const { page, close } = await browser.visit(harness.server, { subject: viewer, workspaceId: harness.workspaceId });
    await openRoute(page, at('/resources'));
    await rowOf(page, 'terraform_data.note').click();
    await resources(page).getByText(/two/).first().waitFor();
    await openRoute(page, at('/states'));
    await settledPage(page);
    expect(await page.getByRole('button', { name: 'Create rollback plan' }).count()).toBe(0);
    await close();
  });

  it.each(views)('have no finding, no overflow and no shift: %s', async (name, view) => {
    const { page, close } = await browser.visit(harness.server, view);
    await observeLayoutShifts(page);
    const [newest, oldest] = await stateVersions(harness, capsuleId);
    const routes = ['/resources', '/resources?q=nothing', '/states', `/states?from=${oldest?.id}&to=${newest?.id}`];
    for (const [index, route] of routes.entries()) {
      await openRoute(page, at(route));
      await settledPage(page);
      expect([route, await accessibilityFindings(page)]).toEqual([route, []]);
      expect([route, await page.evaluate('document.documentElement.scrollWidth - innerWidth')]).toEqual([route, 0]);
      await expectStableLayout(page);
      await keepPicture(page, `resources-${index}-${name.replaceAll(' ', '-')}`);
    }
    await close();
  });
});
