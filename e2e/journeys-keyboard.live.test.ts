import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFindings, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settledPage } from './fixtures/form-steps.ts';
import type { HarnessRepository } from './fixtures/harness.ts';
import { applyPlan, getCapsule, installPlanned } from './fixtures/journey.ts';
import { expectStableLayout, observeLayoutShifts } from './fixtures/layout-shifts.ts';
import { dataResource } from './fixtures/modules.ts';
import { openRoute } from './fixtures/route.ts';
import { addPerson } from './fixtures/second-person.ts';

/** The lists of a page have comboboxes too. */
const paletteName = 'Search records, pages and actions';

describe.skipIf(!hasChromium)('the keyboard', () => {
  serveBrowsed();
  let capsuleId = '';
  let repository: HarnessRepository;

  beforeAll(async () => {
    repository = harness.repository('shop', { 'main.tf': dataResource('one') });
    const planned = await installPlanned(harness, { url: repository.url, name: 'shop' });
    ({ capsuleId } = planned);
    await applyPlan(harness, planned.plan);
  });

  const option = (page: Page, name: RegExp | string) => page.getByRole('option', { name });
  /** Opens the palette, types a text, and chooses the line of that name. */
  async function choose(page: Page, text: string, name: RegExp): Promise<void> {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: paletteName }).waitFor();
    await page.keyboard.type(text);
    const line = option(page, name).first();
    await line.waitFor();
    for (let presses = 0; presses < 30 && (await line.getAttribute('data-highlighted')) === null; presses += 1)
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: paletteName }).waitFor({ state: 'detached' });
  }

  it('goes from the palette to a Capsule, plans, reviews and applies', async () => {
    const { page, close } = await browser.visit(harness.server);
    await observeLayoutShifts(page);
    await page.reload();
    await settledPage(page);
    await page.keyboard.press('Control+k');
    await option(page, /^shop Capsule/).waitFor();
    await keepPicture(page, 'palette-empty');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    // While the palette closes, its key would not open it.
    await page.getByRole('combobox', { name: paletteName }).waitFor({ state: 'detached' });
    await choose(page, 'shop', /^shop Capsule/);
    await page.waitForURL(`**/capsules/${capsuleId}`);
    await settledPage(page);
    repository.commit({ 'main.tf': dataResource('one') + dataResource('two') });
    await choose(page, 'plan again', /^Plan again$/);
    await page.waitForURL(/\/runs\/plan_/);
    await page
      .getByRole('button', { name: 'Apply' })
      .or(page.getByRole('button', { name: 'Approve and apply' }))
      .waitFor();
    await choose(page, 'apply', /^(?:Approve and apply|Apply)$/i);
    await page.waitForURL(/\/runs\/apply_/);
    await expect.poll(async () => (await getCapsule(harness, capsuleId)).currentStateGeneration).toBe(2);
    await expectStableLayout(page);
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

  it('searches in Japanese at phone width, while text is composed, without shifting the layout', async () => {
    const { page, close } = await browser.visit(harness.server, { language: 'ja', width: 390, height: 844 });
    await observeLayoutShifts(page);
    await page.reload();
    await settledPage(page);
    await page.getByRole('button', { name: '検索' }).click();
    await option(page, /^shop Capsule/).waitFor();
    await keepPicture(page, 'palette-ja-narrow');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.type('dark');
    await option(page, 'テーマ: ダーク').waitFor();
    await page.getByText('1 件', { exact: true }).waitFor();
    await expectStableLayout(page);
    const input = page.getByRole('combobox');
    await input.fill('');
    const session = await page.context().newCDPSession(page);
    await session.send('Input.imeSetComposition', { text: 'だーく', selectionStart: 3, selectionEnd: 3 });
    // The Enter that accepts a composition chooses nothing.
    await input.dispatchEvent('keydown', { key: 'Enter', isComposing: true, keyCode: 229 });
    await session.send('Input.insertText', { text: 'ダーク' });
    expect(await input.inputValue()).toBe('ダーク');
    await option(page, 'テーマ: ダーク').waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
    await page.getByRole('button', { name: '検索' }).click();
    await input.fill('パスワード');
    await option(page, /^パスワード/)
      .first()
      .click();
    await page.waitForURL('**/account#password');
    await openRoute(page, '/settings');
    await settledPage(page);
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'settings-ja-narrow');
    await close();
  });

  it('keeps the newest search when a slow answer comes late, and says that the server is gone', async () => {
    const { page, close } = await browser.visit(harness.server);
    await settledPage(page);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/api\/v1\/search\?q=sh&/, async (route) => {
      await held;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    const input = page.getByRole('combobox');
    const whenSent = page.waitForRequest(/search\?q=sh&/);
    await input.fill('sh');
    await whenSent;
    await input.fill('nothing like it');
    await page.getByText('No results').waitFor();
    const whenAnswered = page.waitForResponse(/search\?q=sh&/);
    release();
    await whenAnswered;
    expect(await page.getByRole('option').count()).toBe(0);
    await page.route(/\/api\/v1\/search/, (route) => route.abort());
    await input.fill('settings of');
    await page.getByText('The server does not answer, so records cannot be searched.').waitFor();
    await page.getByRole('option', { name: 'Settings of this Workspace' }).first().waitFor();
    await close();
  });

  it('opens no palette above a question that waits for an answer', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, '/workspace');
    await page.getByRole('button', { name: /^Archive/ }).click();
    const question = page.getByRole('alertdialog');
    await question.waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: paletteName }).waitFor();
    await close();
  });

  it('offers a viewer no action that the role forbids', async () => {
    const { subject } = await addPerson(harness.server);
    const member = { accountId: subject, role: 'viewer' };
    await harness.http.post(`/api/v1/workspaces/${harness.workspaceId}/members`, member);
    const { page, close } = await browser.visit(harness.server, { subject, workspaceId: harness.workspaceId });
    await openRoute(page, `/capsules/${capsuleId}`);
    await settledPage(page);
    await page.keyboard.press('Control+k');
    await option(page, /^shop Capsule/).waitFor();
    for (const name of ['Install a module', 'Add a Connection', 'Add member', 'Plan again', 'Rotate'])
      expect([name, await page.getByRole('option', { name }).count()]).toEqual([name, 0]);
    await page.getByRole('combobox').fill('members');
    await option(page, 'Members').first().waitFor();
    await close();
  });

  it('leads from the refused fields of a form to each field', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, '/settings#change-key');
    await settledPage(page);
    await page.getByRole('radio', { name: /^Passphrase/ }).check();
    await page.getByRole('textbox', { name: /^New passphrase/ }).fill('short');
    await page.getByRole('button', { name: /^Move the key|^Change the key|^Make/ }).click();
    await page.getByText('2 fields need a correction').waitFor();
    const field = page.getByRole('listitem').getByRole('button', { name: 'New passphrase' });
    await field.focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-invalid'))).toBe('true');
    await close();
  });
});
