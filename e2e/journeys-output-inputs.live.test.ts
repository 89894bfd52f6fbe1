import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Dependency } from '#shared/dependencies/contract';
import { accessibilityFindings, hasChromium, keepPicture, type View } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settled } from './fixtures/feed.ts';
import { applyByHand, settledPage, tabTo } from './fixtures/form-steps.ts';
import { groundctl } from './fixtures/groundctl.ts';
import type { HarnessRepository } from './fixtures/harness.ts';
import { applyPlan, getCapsule, installPlanned, outputsOf, planAgain, takeNewest } from './fixtures/journey.ts';
import { openRoute } from './fixtures/route.ts';
import { addPerson } from './fixtures/second-person.ts';

const giving = (address: string) => `output "address" {
  value = "${address}"
}
output "zones" {
  value = ["a", "b"]
}
output "password" {
  value     = "six-red-kites-at-dawn"
  sensitive = true
}
`;
const taking = `variable "upstream" {
  type        = string
  description = "Where requests go."
}
variable "note" {
  type    = string
  default = "none"
  validation {
    condition     = var.note != "bad"
    error_message = "Write something else."
  }
}
output "upstream" {
  value = var.upstream
}
`;

describe.skipIf(!hasChromium)('an installation with an Output of another Capsule', () => {
  serveBrowsed();
  let producer: HarnessRepository;
  let network: { capsuleId: string; sourceId: string };
  let url = '';
  let count = 0;
  beforeAll(async () => {
    producer = harness.repository('network', { 'main.tf': giving('https://one.example') });
    const planned = await installPlanned(harness, { url: producer.url, name: 'network' });
    await applyPlan(harness, planned.plan);
    network = planned;
    await installPlanned(harness, { url: producer.url, name: 'planned only' });
  });

  /** Opens the form of another repository with the consuming module. */
  async function openForm(view: View = {}) {
    count += 1;
    ({ url } = harness.repository(`web-${count}`, { 'main.tf': taking }));
    const visitor = await browser.visit(harness.server, { ...view, workspaceId: harness.workspaceId });
    await openRoute(visitor.page, '/');
    await visitor.page.getByRole('main').getByRole('textbox').first().fill(`git::${url}?ref=main`);
    await visitor.page.keyboard.press('Enter');
    await visitor.page.locator('[data-input="upstream"]').waitFor({ timeout: 30_000 });
    return visitor;
  }
  const inputsOf = async (capsuleId: string) =>
    (await harness.http.get<{ asConsumer: Dependency[] }>(`/api/v1/capsules/${capsuleId}/dependencies`)).body
      .asConsumer;
  const menuOf = (page: Page, name: string) => page.getByRole('button', { name: `More for ${name}` });
  const chooser = (page: Page) => page.getByRole('group', { name: 'Output of another Capsule' });
  async function choose(page: Page, capsule: string, output: string) {
    await menuOf(page, 'upstream').click();
    await page.getByRole('menuitem', { name: 'Output of another Capsule…' }).click();
    await chooser(page).getByLabel('Capsule').selectOption({ label: capsule });
    await chooser(page).getByLabel('Output', { exact: true }).selectOption(output);
  }

  it('is chosen in the form, shown in place of the control, and taken back', async () => {
    const { page, close } = await openForm();
    await choose(page, 'network (default)', 'zones');
    await page.getByText('Its value does not fit string.').waitFor();
    await chooser(page).getByLabel('Output', { exact: true }).selectOption('password');
    await page.getByText('It is sensitive, so its value is not shown.').waitFor();
    await chooser(page).getByLabel('What to use').selectOption('remote_state');
    expect(await chooser(page).getByLabel('Output', { exact: true }).count()).toBe(0);
    await chooser(page).getByLabel('What to use').selectOption('variable_injection');
    await chooser(page).getByLabel('Capsule').selectOption({ label: 'planned only (default)' });
    await page.getByText('This Capsule was never applied').waitFor();
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByText('Choose a Capsule and an Output, then press').waitFor();
    await chooser(page).getByLabel('Capsule').selectOption({ label: 'network (default)' });
    await chooser(page).getByLabel('Output', { exact: true }).selectOption('address');
    await keepPicture(page, 'output-chooser');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Use this Output' }).click();
    await page.getByText('Output “address” of Capsule “network (default)”').waitFor();
    await page.getByText('"https://one.example"').waitFor();
    await keepPicture(page, 'output-chosen');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.reload();
    await page.getByText('Output “address” of Capsule “network (default)”').waitFor();
    await page.getByRole('button', { name: 'Enter a value instead: upstream' }).click();
    await page.getByRole('textbox', { name: /^upstream/ }).fill('typed');
    expect(await page.locator('[data-output]').count()).toBe(0);
    await close();
  });

  it('fills the first plan; a later change of the producer makes the Capsule stale', async () => {
    const { page, close } = await openForm();
    await choose(page, 'network (default)', 'address');
    await page.getByRole('button', { name: 'Use this Output' }).click();
    await page.getByRole('button', { name: 'Plan', exact: true }).dblclick();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 30_000 });
    await page.getByText('https://one.example').first().waitFor({ timeout: 30_000 });
    const { status, capsuleId = '' } = await settled(harness.server, await applyByHand(page));
    expect(status).toBe('succeeded');
    expect(await outputsOf(harness, capsuleId)).toEqual({ upstream: 'https://one.example' });
    expect(await inputsOf(capsuleId)).toMatchObject([{ producerCapsuleId: network.capsuleId }]);
    producer.commit({ 'main.tf': giving('https://two.example') });
    await takeNewest(harness, network.sourceId);
    await applyPlan(harness, await planAgain(harness, network.capsuleId));
    expect((await getCapsule(harness, capsuleId)).status).toBe('stale');
    await openRoute(page, `/capsules/${capsuleId}`);
    await settledPage(page);
    await page.getByText('Update available').waitFor();
    await close();
  });

  it('stays when the first plan has failed and its inputs are changed', async () => {
    const { page, close } = await openForm();
    await choose(page, 'network (default)', 'address');
    await page.getByRole('button', { name: 'Use this Output' }).click();
    await page.getByRole('textbox', { name: /^note/ }).fill('bad');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByRole('button', { name: 'Back to the inputs' }).click({ timeout: 30_000 });
    await page.getByText('A Dependency of this Capsule fills this input.').waitFor({ timeout: 30_000 });
    expect(await menuOf(page, 'upstream').count()).toBe(0);
    await keepPicture(page, 'output-stored');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('textbox', { name: /^note/ }).fill('good');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 30_000 });
    await page.getByText('https://two.example').first().waitFor({ timeout: 30_000 });
    await close();
  });

  it('works with the keyboard alone, in Japanese at phone width', async () => {
    const { page, close } = await openForm({ language: 'ja', dark: true, width: 390, height: 844 });
    await tabTo(page, page.getByRole('button', { name: 'upstream のその他の操作' }));
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: '別の Capsule の Output…' }).waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    const capsule = page.getByRole('group', { name: '別の Capsule の Output' }).getByRole('combobox').first();
    await expect.poll(() => capsule.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.type('network');
    await page.keyboard.press('Tab');
    await page.locator('option', { hasText: 'address' }).waitFor({ state: 'attached' });
    await page.keyboard.type('address');
    await keepPicture(page, 'output-chooser-ja');
    expect(await accessibilityFindings(page)).toEqual([]);
    await tabTo(page, page.getByRole('button', { name: 'この Output を使う' }));
    await page.keyboard.press('Enter');
    await page.getByText('の Output「address」').waitFor();
    await keepPicture(page, 'output-chosen-ja');
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await tabTo(page, page.getByRole('button', { name: 'プランを作成', exact: true }));
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/runs\/plan_/, { timeout: 30_000 });
    await close();
  });

  it('is not offered to a member, who cannot create a Dependency', async () => {
    const member = await addPerson(harness.server);
    const input = { accountId: member.subject, role: 'member' };
    await harness.http.post(`/api/v1/workspaces/${harness.workspaceId}/members`, input);
    const { page, close } = await openForm({ subject: member.subject });
    await menuOf(page, 'upstream').click();
    await page.getByRole('menuitemcheckbox').first().waitFor();
    expect(await page.getByRole('menuitem', { name: 'Output of another Capsule…' }).count()).toBe(0);
    await close();
  });

  it('is an option of the command line', async () => {
    const { url: address } = harness.repository('web-cli', { 'main.tf': taking });
    const install = (...more: string[]) =>
      groundctl(['install', address, '--data-dir', harness.server.dataDir, '--auto-approve', ...more]);
    const unknown = await install('--name', 'cli', '--input', 'upstream=nowhere.address');
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('There is no Capsule "nowhere"')]);
    const { code, out, err } = await install('--name', 'cli', '--input', 'upstream=network.address');
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(out).toContain('upstream = https://two.example');
  });
});
