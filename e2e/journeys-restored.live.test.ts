import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFindings, extremeViews, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settledPage } from './fixtures/form-steps.ts';
import { applyPlan, installPlanned, planAgain } from './fixtures/journey.ts';
import { getInstallation, markRestored } from './fixtures/restored.ts';
import { addPerson } from './fixtures/second-person.ts';

const texts = {
  en: {
    banner: /Restored from a backup/,
    more: 'Read what this means',
    title: 'Restored installation',
    end: 'End the pause',
  },
  ja: {
    banner: /バックアップから復元され/,
    more: '詳しい説明を読む',
    title: '復元したインストール環境',
    end: '一時停止を終了',
  },
} as const;

describe.skipIf(!hasChromium)('a restored installation in the dashboard', () => {
  serveBrowsed();
  let member = '';
  beforeAll(async () => {
    const { url } = harness.repository('shop', { 'main.tf': 'resource "terraform_data" "note" {}\n' });
    const planned = await installPlanned(harness, { url, name: 'shop' });
    await applyPlan(harness, planned.plan);
    await planAgain(harness, planned.capsuleId);
    member = (await addPerson(harness.server)).subject;
    markRestored(harness);
    await harness.server.restart();
  });
  const openPage = async (page: Page, language: keyof typeof texts) => {
    await page.getByText(texts[language].banner).waitFor();
    await page.getByRole('link', { name: texts[language].more }).click();
    await page.getByRole('heading', { name: texts[language].title }).waitFor();
    await settledPage(page);
  };

  it.each(extremeViews)('says what it is, what is off, what ended and what to review: %s', async (view, options) => {
    const { page, close } = await browser.visit(harness.server, options);
    await openPage(page, options.language === 'ja' ? 'ja' : 'en');
    await page.getByText('Local owner').first().waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, `restored-${view.replaceAll(' ', '-')}`);
    await close();
  });

  it('names to others who can end the pause', async () => {
    const { page, close } = await browser.visit(harness.server, { subject: member });
    await openPage(page, 'en');
    await page.getByText(/The owner of this installation can end the pause/).waitFor();
    expect(await page.getByRole('button', { name: texts.en.end }).count()).toBe(0);
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'restored-others');
    await close();
  });

  it('ends the pause once, with the keyboard and after a confirmation', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openPage(page, 'en');
    await page.getByRole('button', { name: texts.en.end }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('Start scheduled work again?').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await getInstallation(harness)).toMatchObject({ paused: true });
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: texts.en.end }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(/The pause ended at/).waitFor();
    expect(await page.getByText(texts.en.banner).count()).toBe(0);
    expect(await getInstallation(harness)).toMatchObject({ paused: false, off: [] });
    await keepPicture(page, 'restored-ended');
    await close();
  });

  it('offers a recovery kit until one was saved', async () => {
    const { page, close } = await browser.visit(harness.server);
    await page.getByText('Create a recovery kit before you need it').waitFor();
    await keepPicture(page, 'recovery-kit-offer');
    await page.getByRole('link', { name: 'Create recovery kit' }).click();
    await page.getByRole('heading', { name: 'Recovery kit' }).waitFor();
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'Recovery kit' }) });
    await card.getByLabel('Passphrase of the kit', { exact: true }).fill('nine quiet rivers');
    await card.getByLabel('Confirm passphrase of the kit', { exact: true }).fill('nine quiet river');
    await page.keyboard.press('Enter');
    await card.getByText('The passphrases do not match. Type it again.').waitFor();
    await card.getByLabel('Confirm passphrase of the kit', { exact: true }).fill('nine quiet rivers');
    const saving = page.waitForEvent('download');
    await page.keyboard.press('Enter');
    const file = await (await saving).path();
    expect(readFileSync(file, 'utf8')).toContain('BEGIN AGE ENCRYPTED FILE');
    await card.getByText(/Saved as ground-control-recovery-kit/).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'recovery-kit-saved');
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(await page.getByText('Create a recovery kit before you need it').count()).toBe(0);
    await close();
  });
});
