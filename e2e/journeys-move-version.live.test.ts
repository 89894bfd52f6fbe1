import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Run } from '#shared/runs/contract';
import { accessibilityFindings, hasChromium, keepPicture, type View } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settled } from './fixtures/feed.ts';
import { applyByHand, settledPage, tabTo } from './fixtures/form-steps.ts';
import type { HarnessRepository } from './fixtures/harness.ts';
import { applyPlan, getCapsule, installPlanned, outputsOf } from './fixtures/journey.ts';
import { openRoute } from './fixtures/route.ts';
import { addPerson } from './fixtures/second-person.ts';

const version = (text: string) => `output "version" {\n  value = "${text}"\n}\n`;
const needy = `variable "region" {
  type        = string
  description = "Where it runs."
}
output "version" {
  value = "three in \${var.region}"
}
`;
const secretive = 'variable "token" {\n  type      = string\n  sensitive = true\n}\n';

describe.skipIf(!hasChromium)('moving a Capsule to another version', () => {
  serveBrowsed();
  let repository: HarnessRepository;
  let capsuleId = '';
  beforeAll(async () => {
    repository = harness.repository('versions', { 'main.tf': version('one') });
    const tag = (name: string, file: string, text: string) => {
      repository.commit({ [file]: text });
      repository.git('tag', name);
    };
    tag('v1.1.0', 'main.tf', version('two'));
    tag('v2.0.0', 'main.tf', needy);
    tag('v3.0.0-rc1', 'main.tf', secretive);
    repository.git('reset', '-q', '--hard', 'v1.1.0~1');
    repository.commit({ 'notes.txt': 'nothing new' });
    repository.git('checkout', '-q', '-b', 'elsewhere');
    repository.git('mv', 'main.tf', 'main.txt');
    repository.git('commit', '-qm', 'no module');
    repository.git('checkout', '-q', 'main');
    const planned = await installPlanned(harness, { url: repository.url, name: 'versions' });
    await applyPlan(harness, planned.plan);
    ({ capsuleId } = planned);
  });

  const open = async (page: Page) => {
    await openRoute(page, `/capsules/${capsuleId}`);
    await settledPage(page);
  };
  const planCount = async () => {
    const path = `/api/v1/workspaces/${harness.workspaceId}/runs?capsuleId=${capsuleId}&type=plan`;
    return (await harness.http.get<{ runs: Run[] }>(path)).body.runs.length;
  };
  const button = (page: Page) => page.getByRole('button', { name: 'Move to another version' });
  const field = (page: Page) => page.getByLabel('Branch, tag or commit');
  async function moveTo(page: Page, ref: string) {
    await button(page).first().click();
    await field(page).fill(ref);
    await page.getByRole('button', { name: 'Plan this version' }).click();
  }

  it('refuses a name that is none, and says which ref or module does not exist', async () => {
    const { page, close } = await browser.visit(harness.server);
    await open(page);
    await button(page).click();
    await page.getByRole('button', { name: 'Plan this version' }).click();
    await page.getByText('Enter a branch, tag or commit.').waitFor();
    await field(page).fill('no good name');
    await page.getByText('This is not a valid name').waitFor();
    await page.getByRole('button', { name: 'Use: v2.0.0' }).waitFor();
    await keepPicture(page, 'move-dialog');
    expect(await accessibilityFindings(page)).toEqual([]);
    await field(page).fill('nowhere');
    await page.getByRole('button', { name: 'Plan this version' }).click();
    await page.getByRole('heading', { name: 'Moving to nowhere' }).waitFor();
    await page.getByText('The branch, tag or commit is not in the repository.').waitFor({ timeout: 30_000 });
    await keepPicture(page, 'move-not-found');
    expect(await accessibilityFindings(page)).toEqual([]);
    await moveTo(page, 'elsewhere');
    await page
      .getByText('repository_install_module_not_found')
      .or(page.getByText('module_path_not_found'))
      .waitFor({ timeout: 30_000 });
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await planCount()).toBe(1);
    await close();
  });

  it('plans a tag once, through a reload, and follows it after the apply', async () => {
    const { page, close } = await browser.visit(harness.server);
    await open(page);
    await button(page).click();
    await field(page).fill('v1.1.0');
    await page.route('**/reconcile', () => undefined);
    await page.getByRole('button', { name: 'Plan this version' }).dblclick();
    await page.getByRole('heading', { name: 'Moving to v1.1.0' }).waitFor();
    await page.unroute('**/reconcile');
    await page.reload();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 60_000 });
    await page.getByText('"two"').waitFor({ timeout: 30_000 });
    expect(await planCount()).toBe(2);
    const apply = await settled(harness.server, await applyByHand(page));
    expect(apply.status).toBe('succeeded');
    expect(await outputsOf(harness, capsuleId)).toEqual({ version: 'two' });
    expect((await getCapsule(harness, capsuleId)).adoptedSourceRevision?.ref).toBe('v1.1.0');
    await open(page);
    await page.getByRole('region').or(page.locator('main')).getByText('v1.1.0').first().waitFor();
    await keepPicture(page, 'move-applied');
    // From now on the Capsule is planned from the ref that it follows.
    await page.getByRole('button', { name: 'Plan again' }).click();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 60_000 });
    await close();
  });

  it('asks for a new required value first, with the keyboard alone', async () => {
    const { page, close } = await browser.visit(harness.server);
    await open(page);
    await tabTo(page, button(page));
    await page.keyboard.press('Enter');
    await expect.poll(() => field(page).evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.type('v2.0.0');
    await page.keyboard.press('Enter');
    await page
      .getByText('This version requires values that the Capsule does not have: region.')
      .waitFor({ timeout: 30_000 });
    await keepPicture(page, 'move-missing');
    // Another version can be chosen instead of an answer.
    await moveTo(page, 'nowhere');
    await page.getByRole('heading', { name: 'Moving to nowhere' }).waitFor();
    await page.getByText('The branch, tag or commit is not in the repository.').waitFor({ timeout: 30_000 });
    await moveTo(page, 'v2.0.0');
    await page.getByText('This version requires values').waitFor({ timeout: 30_000 });
    expect(await accessibilityFindings(page)).toEqual([]);
    const region = page.getByRole('textbox', { name: /^region/ });
    await tabTo(page, page.getByRole('button', { name: 'Save values and plan' }));
    await page.keyboard.press('Enter');
    await expect.poll(() => region.getAttribute('aria-invalid')).toBe('true');
    await page.keyboard.type('eu');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/runs\/plan_/, { timeout: 60_000 });
    await page.getByText('"three in eu"').waitFor({ timeout: 30_000 });
    expect((await settled(harness.server, await applyByHand(page))).status).toBe('succeeded');
    expect(await outputsOf(harness, capsuleId)).toEqual({ version: 'three in eu' });
    await close();
  });

  it.each<[string, View]>([
    ['light', {}],
    ['dark ja narrow', { dark: true, language: 'ja', width: 390, height: 844 }],
  ])('says that a new secret cannot be given: %s', async (name, view) => {
    const { page, close } = await browser.visit(harness.server, view);
    await open(page);
    await page.getByRole('button', { name: /^(?:Move to another version|別のバージョンに移行)/ }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('v3.0.0-rc1');
    await keepPicture(page, `move-dialog-${name.replaceAll(' ', '-')}`);
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText(/A new secret cannot be added|新しい秘密は追加できません/).waitFor({ timeout: 30_000 });
    await keepPicture(page, `move-secret-${name.replaceAll(' ', '-')}`);
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await page.getByRole('button', { name: /^(?:Cancel|キャンセル)$/ }).click();
    await page.getByText('v3.0.0-rc1').waitFor({ state: 'detached' });
    await close();
  });

  it('is not offered to a viewer', async () => {
    const { subject } = await addPerson(harness.server);
    await harness.http.post(`/api/v1/workspaces/${harness.workspaceId}/members`, {
      accountId: subject,
      role: 'viewer',
    });
    const { page, close } = await browser.visit(harness.server, { subject, workspaceId: harness.workspaceId });
    await open(page);
    await page.getByRole('heading', { name: 'About' }).waitFor();
    expect(await button(page).count()).toBe(0);
    await close();
  });
});
