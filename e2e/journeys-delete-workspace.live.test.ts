import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFindings, extremeViews, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settledPage } from './fixtures/form-steps.ts';
import { applyPlan, installPlanned } from './fixtures/journey.ts';
import { openRoute } from './fixtures/route.ts';

const texts = {
  en: {
    review: 'Review deletion',
    title: 'Delete this Workspace',
    left: /resources of this Capsule are not destroyed/,
    leave: 'Leave the resources of this Capsule in place',
    type: 'Type main to confirm',
    submit: 'Delete Workspace and keys',
  },
  ja: {
    review: '削除の内容を確認',
    title: 'この Workspace を削除',
    left: /1 件の Capsule のリソースは削除されません/,
    leave: '1 件の Capsule のリソースをそのまま残す',
    type: '確認のため main と入力してください',
    submit: 'Workspace と鍵を削除',
  },
} as const;

describe.skipIf(!hasChromium)('the deletion of a Workspace in the dashboard', () => {
  serveBrowsed();
  let capsuleId = '';
  beforeAll(async () => {
    const { url } = harness.repository('shop', { 'main.tf': 'resource "terraform_data" "note" {}\n' });
    const planned = await installPlanned(harness, { url, name: 'shop' });
    capsuleId = planned.capsuleId;
    await applyPlan(harness, planned.plan);
  });
  const openReview = async (page: Page, language: keyof typeof texts) => {
    await openRoute(page, '/workspace#delete');
    await settledPage(page);
    await page.getByRole('heading', { name: texts[language].title }).waitFor();
    await page.getByRole('button', { name: texts[language].review }).click();
    await page.getByText(texts[language].left).waitFor();
  };
  const submitButton = (page: Page) => page.getByRole('button', { name: texts.en.submit });

  it('is not offered for the only Workspace, and the review says why', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openReview(page, 'en');
    await page.getByText('This is your only Workspace.').waitFor();
    await page.getByRole('checkbox', { name: texts.en.leave }).check();
    await page.getByLabel(texts.en.type).fill('main');
    expect(await submitButton(page).isDisabled()).toBe(true);
    await close();
    await harness.http.post('/api/v1/workspaces', { handle: 'next', displayName: 'Next' });
  });

  it.each(extremeViews)('is reviewed with what is left, deleted and retained: %s', async (view, options) => {
    const { page, close } = await browser.visit(harness.server, options);
    const language = options.language === 'ja' ? 'ja' : 'en';
    await openReview(page, language);
    await page.getByRole('link', { name: 'shop' }).waitFor();
    const submit = page.getByRole('button', { name: texts[language].submit });
    expect(await submit.isDisabled()).toBe(true);
    await page.getByRole('checkbox', { name: texts[language].leave }).check();
    await page.getByLabel(texts[language].type).fill('mai');
    expect(await submit.isDisabled()).toBe(true);
    await page.getByLabel(texts[language].type).fill('main');
    expect(await submit.isDisabled()).toBe(false);
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, `delete-workspace-${view.replaceAll(' ', '-')}`);
    await close();
  });

  it('is done once with the keyboard, and shows another Workspace', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openReview(page, 'en');
    await page.getByRole('checkbox', { name: texts.en.leave }).check();
    await page.getByLabel(texts.en.type).fill('main');
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/workspace-deletions')) requests.push(request.url());
    });
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Workspace: Next. Switch' }).waitFor();
    expect([requests.length, new URL(page.url()).pathname]).toEqual([1, '/']);
    await keepPicture(page, 'delete-workspace-done');
    expect((await harness.http.get(`/api/v1/capsules/${capsuleId}`)).status).toBe(404);
    await close();
  });
});
