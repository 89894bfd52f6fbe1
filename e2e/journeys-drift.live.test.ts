import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFindings, hasChromium, keepPicture, views } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { applyPlan, getCapsule, installPlanned } from './fixtures/journey.ts';
import { expectStableLayout, observeLayoutShifts } from './fixtures/layout-shifts.ts';
import { fakeModule, thing } from './fixtures/modules.ts';
import { openRoute } from './fixtures/route.ts';
import { addPerson } from './fixtures/second-person.ts';

describe.skipIf(!hasChromium)('drift of a Capsule', () => {
  serveBrowsed({ providers: true });
  let capsuleId = '';
  let member = '';
  const at = (tab: string) => `/capsules/${capsuleId}${tab}`;
  const status = (page: Page, text: string) => page.getByRole('main').getByText(text, { exact: true }).first();

  beforeAll(async () => {
    const { url } = harness.repository('shop', { 'main.tf': fakeModule(thing('a', 'note = "mine"') + thing('b')) });
    const planned = await installPlanned(harness, { url, name: 'shop' });
    ({ capsuleId } = planned);
    await applyPlan(harness, planned.plan);
    ({ subject: member } = await addPerson(harness.server));
    const person = { accountId: member, role: 'member' };
    await harness.http.post(`/api/v1/workspaces/${harness.workspaceId}/members`, person);
  });

  /** Another program changes one object of the Capsule and deletes the other. */
  function changeOutside(text: string): void {
    const world = path.join(harness.server.dataDir, 'capsules', capsuleId, 'tree', 'world');
    for (const name of readdirSync(world).filter((one) => one.endsWith('.json'))) {
      const file = path.join(world, name);
      const thingText = readFileSync(file, 'utf8');
      if (/"note": ?"/.test(thingText)) writeFileSync(file, thingText.replace(/("note": ?")[^"]*/, `$1${text}`));
      else rmSync(file);
    }
  }
  async function check(page: Page): Promise<void> {
    await openRoute(page, at('/drift'));
    await page.getByRole('button', { name: 'Check for drift' }).click();
    await page.waitForURL('**/runs/plan_*');
    await page.getByText('Succeeded', { exact: true }).first().waitFor();
  }

  it('is scheduled for the Workspace, and otherwise for one Capsule', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, '/workspace');
    await page.getByRole('combobox', { name: 'Schedule' }).selectOption('weekly');
    await page.getByRole('region').or(page.getByRole('main')).first().waitFor();
    const form = page.locator('form', { has: page.getByRole('combobox', { name: 'Schedule' }) });
    await form.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => form.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    expect(await accessibilityFindings(page)).toEqual([]);
    await openRoute(page, at('/settings'));
    await page.getByRole('option', { name: 'As the Workspace: Weekly' }).waitFor({ state: 'attached' });
    await page.getByRole('combobox', { name: 'Schedule' }).selectOption('custom');
    await page.getByRole('textbox', { name: 'Hours between checks' }).fill('12');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await getCapsule(harness, capsuleId)).driftSchedule).toBe('12h');
    await openRoute(page, at('/drift'));
    await page.getByText('Scheduled checks: Every 12 hours').waitFor();
    await status(page, 'Not checked yet').waitFor();
    await close();
  });

  it('is found, marked everywhere, acknowledged until it differs, and planned', async () => {
    const { page, close } = await browser.visit(harness.server);
    changeOutside('theirs');
    await check(page);
    for (const address of ['/', '/capsules', '/graph']) {
      await openRoute(page, address);
      await status(page, 'Drift').waitFor();
    }
    await observeLayoutShifts(page);
    await openRoute(page, at('/drift'));
    await page.getByText('1 resource changed outside').waitFor();
    await page.getByText('1 resource deleted outside').waitFor();
    await page.getByRole('button', { name: /fake_thing\.a/ }).click();
    await page.getByText('theirs').waitFor();
    await page.getByRole('button', { name: 'deleted outside fake_thing.b' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await expectStableLayout(page);

    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByText('Enter a reason').waitFor();
    await page.getByRole('textbox', { name: 'Reason' }).fill('A hotfix of Friday');
    await page.keyboard.press('Enter');
    await status(page, 'Drift acknowledged').waitFor();
    await page.getByText('A hotfix of Friday').waitFor();
    await openRoute(page, '/');
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(await page.getByRole('region', { name: 'Drift' }).count()).toBe(0);

    await check(page);
    await openRoute(page, at('/drift'));
    await status(page, 'Drift acknowledged').waitFor();
    changeOutside('others');
    await check(page);
    await openRoute(page, at('/drift'));
    await page.getByRole('button', { name: 'Acknowledge' }).waitFor();
    await page.getByRole('button', { name: 'Create plan' }).click();
    await page.waitForURL('**/runs/plan_*');
    await close();
  });

  it.each(views)('shows a Member what differs and who may acknowledge it (%s)', async (name, view) => {
    const { page, close } = await browser.visit(harness.server, { ...view, subject: member });
    await openRoute(page, at('/drift'));
    const isJapanese = view.language === 'ja';
    await page.getByText(isJapanese ? 'オーナーと管理者です' : 'An owner or admin of the Workspace can ack').waitFor();
    await page.getByRole('button', { name: /fake_thing\.a/ }).waitFor();
    expect(await page.getByRole('button', { name: isJapanese ? '確認済みにする' : 'Acknowledge' }).count()).toBe(0);
    await keepPicture(page, `drift ${name}`);
    expect(await accessibilityFindings(page)).toEqual([]);
    await openRoute(page, at('/settings'));
    await page.getByRole('combobox').first().waitFor();
    await keepPicture(page, `drift settings ${name}`);
    expect(await accessibilityFindings(page)).toEqual([]);
    await close();
  });
});
