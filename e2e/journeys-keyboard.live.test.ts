import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFindings, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settledPage } from './fixtures/form-steps.ts';
import type { HarnessRepository } from './fixtures/harness.ts';
import { applyPlan, getCapsule, installPlanned } from './fixtures/journey.ts';
import { countShifts, shiftTotal } from './fixtures/layout-shifts.ts';
import { fakeModule, thing } from './fixtures/modules.ts';

const mostShift = 0.05;

describe.skipIf(!hasChromium)('the keyboard', () => {
  serveBrowsed({ providers: true });
  let capsuleId = '';
  let repository: HarnessRepository;

  beforeAll(async () => {
    repository = harness.repository('shop', { 'main.tf': fakeModule(thing('one')) });
    const planned = await installPlanned(harness, { url: repository.url, name: 'shop' });
    ({ capsuleId } = planned);
    await applyPlan(harness, planned.plan);
  });

  const option = (page: Page, name: RegExp | string) => page.getByRole('option', { name });
  /** Opens the palette, types a text, and chooses the line of that name. */
  async function choose(page: Page, text: string, name: RegExp): Promise<void> {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type(text);
    const line = option(page, name).first();
    await line.waitFor();
    for (let presses = 0; presses < 30 && (await line.getAttribute('data-highlighted')) === null; presses += 1)
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox').waitFor({ state: 'detached' });
  }

  it('goes from the palette to a Capsule, plans, reviews and applies', async () => {
    const { page, close } = await browser.visit(harness.server);
    await countShifts(page);
    await page.reload();
    await settledPage(page);
    await page.keyboard.press('Control+k');
    await option(page, /^shop Capsule/).waitFor();
    await keepPicture(page, 'palette-empty');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await choose(page, 'shop', /^shop Capsule/);
    await page.waitForURL(`**/capsules/${capsuleId}`);
    await settledPage(page);
    repository.commit({ 'main.tf': fakeModule(`${thing('one')}${thing('two')}`) });
    await choose(page, 'plan again', /^Plan again$/);
    await page.waitForURL(/\/runs\/plan_/);
    await page
      .getByRole('button', { name: 'Apply' })
      .or(page.getByRole('button', { name: 'Approve and apply' }))
      .waitFor();
    await choose(page, 'apply', /^(?:Approve and apply|Apply)$/i);
    await page.waitForURL(/\/runs\/apply_/);
    await expect.poll(async () => (await getCapsule(harness, capsuleId)).currentStateGeneration).toBe(2);
    expect(await shiftTotal(page)).toBeLessThanOrEqual(mostShift);
    await close();
  });

  it('moves through lists and pages, and shows the keys', async () => {
    const { page, close } = await browser.visit(harness.server);
    await settledPage(page);
    await page.keyboard.type('gc');
    await page.waitForURL('**/capsules');
    await page.getByRole('link', { name: 'shop' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('o');
    await page.waitForURL(`**/capsules/${capsuleId}`);
    await page.keyboard.type('gr');
    await page.waitForURL('**/runs');
    await page.getByRole('table').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('gh?j');
    expect(await page.getByRole('searchbox').inputValue()).toBe('gh?j');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keys of this page' });
    await sheet.getByText('Next and previous row').waitFor();
    await keepPicture(page, 'keys');
    expect(await accessibilityFindings(page)).toEqual([]);
    // A key of the page does nothing below a dialog.
    await page.keyboard.type('gh');
    await sheet.getByRole('checkbox', { name: /Use single keys/ }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await page.keyboard.type('gh?');
    expect(new URL(page.url()).pathname).toBe('/runs');
    expect(await sheet.count()).toBe(0);
    await choose(page, 'keyboard', /^Keyboard Settings/);
    await page.waitForURL('**/settings#keyboard');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('keyboard');
    expect(await page.getByRole('checkbox', { name: /Use single keys/ }).isChecked()).toBe(false);
    await keepPicture(page, 'settings');
    expect(await accessibilityFindings(page)).toEqual([]);
    await close();
  });
});
