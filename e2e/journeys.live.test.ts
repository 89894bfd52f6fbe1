import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, keepPicture, views } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settled } from './fixtures/feed.ts';
import { applyByHand, expectAccessible, runIn, tabTo } from './fixtures/form-steps.ts';
import { getRun, outputsOf } from './fixtures/journey.ts';
import { fakeModule } from './fixtures/modules.ts';
import { openRoute } from './fixtures/route.ts';

const module = fakeModule(`variable "title" {
  description = "What the things are called."
  type        = string
}
variable "delay" {
  type    = number
  default = 0
}
variable "edition" {
  type    = string
  default = "first"
}
variable "phrase" {
  type      = string
  default   = "none"
  sensitive = true
}
resource "fake_thing" "one" {
  count    = 3
  name     = "\${var.title}-\${count.index}"
  force    = var.edition
  secret   = var.phrase
  delay_ms = var.delay
}
output "names" {
  value = fake_thing.one[*].name
}
output "site" {
  value = "https://example.com/\${var.title}"
}
`);

let url = '';
let count = 0;
const freshUrl = () => {
  count += 1;
  return harness.repository(`journey-${count}`, { 'main.tf': module }).url;
};

describe.skipIf(!hasChromium)('the dashboard', () => {
  serveBrowsed({ providers: true });
  beforeAll(() => {
    ({ url } = harness.repository('hello', { 'main.tf': module }));
  });

  /** Goes from the field on the first page to a reviewable plan. Returns the id of its Run. */
  async function planByHand(page: Page, input: { url: string; title: string; delay?: number }): Promise<string> {
    await page.getByRole('main').getByRole('textbox').first().fill(input.url);
    await page.keyboard.press('Enter');
    await page.getByLabel(/^title/).fill(input.title);
    if (input.delay !== undefined) await page.getByLabel(/^delay/).fill(String(input.delay));
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 30_000 });
    await page.getByRole('button', { name: 'Apply', exact: true }).waitFor({ timeout: 30_000 });
    return runIn(page);
  }

  it('goes from a pasted URL to Outputs, with live progress, and applies once when Apply is pressed twice', async () => {
    const { page, close } = await browser.visit(harness.server);
    const planId = await planByHand(page, { url, title: 'walk' });
    await page.getByText('fake_thing.one[0]').first().waitFor();
    await keepPicture(page, 'plan');
    await page.getByRole('button', { name: 'Apply', exact: true }).dblclick();
    await page.waitForURL(/\/runs\/apply_/);
    await page.getByText('https://example.com/walk').waitFor({ timeout: 30_000 });
    expect(runIn(page)).toBe((await getRun(harness, planId)).applyRunId);
    await keepPicture(page, 'apply');
    await openRoute(page, '/capsules');
    await page.getByRole('link', { name: /hello/ }).first().click();
    await page.getByText('https://example.com/walk').waitFor();
    await close();
  });

  it('works with the keyboard alone, in Japanese', async () => {
    const { page, close } = await browser.visit(harness.server, { language: 'ja' });
    await tabTo(page, page.getByRole('main').getByRole('textbox').first());
    await page.keyboard.type(freshUrl());
    await page.keyboard.press('Enter');
    // From the press of the key to the inputs, the focus never falls back to the top of the page.
    await page.getByRole('group', { name: 'リポジトリの内容' }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY');
    await tabTo(page, page.getByRole('textbox', { name: /^title/ }));
    await page.keyboard.type('keys');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/runs\/plan_/, { timeout: 30_000 });
    await tabTo(page, page.getByRole('button', { name: '適用', exact: true }));
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/runs\/apply_/);
    await page.getByText('https://example.com/keys').waitFor({ timeout: 30_000 });
    await close();
  });

  it.each([
    ['a closed tab', async (page: Page) => void (await page.goto('about:blank').then(() => page.goBack()))],
    [
      'a killed server',
      async () => {
        await harness.server.kill9();
        await harness.server.restart();
      },
    ],
  ])('shows the true end of an apply after %s in the middle of it', async (_name, disturb) => {
    const { page, close } = await browser.visit(harness.server);
    await planByHand(page, { url: freshUrl(), title: 'middle', delay: 1_500 });
    const id = await applyByHand(page);
    await page
      .getByText(/fake_thing\.one/)
      .first()
      .waitFor();
    await disturb(page);
    await page.getByText('https://example.com/middle').waitFor({ timeout: 45_000 });
    const run = await settled(harness.server, id);
    expect(run.status).toBe('succeeded');
    expect(await outputsOf(harness, run.capsuleId ?? '')).toMatchObject({ site: 'https://example.com/middle' });
    await close();
  });

  it('shows a missing value beside its field, and keeps the entered values over a reload', async () => {
    const { page, close } = await browser.visit(harness.server);
    await page.getByRole('main').getByRole('textbox').first().fill(freshUrl());
    await page.keyboard.press('Enter');
    await page.getByLabel(/^delay/).fill('7');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await expect.poll(() => page.getByLabel(/^title/).getAttribute('aria-invalid')).toBe('true');
    await page.reload();
    await expect.poll(() => page.getByLabel(/^delay/).inputValue()).toBe('7');
    await close();
  });

  it('shows the problem of an address without a repository', async () => {
    const { page, close } = await browser.visit(harness.server);
    await page
      .getByRole('main')
      .getByRole('textbox')
      .first()
      .fill(`${new URL(url).origin}/nothing/here.git`);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').first().waitFor();
    await close();
  });

  it.each(views)('is accessible on every screen: %s', async (name, view) => {
    const { page, close } = await browser.visit(harness.server, view);
    const { body } = await harness.http.get<{ runs: { id: string; capsuleId?: string; sourceId?: string }[] }>(
      `/api/v1/workspaces/${harness.workspaceId}/runs?type=apply`,
    );
    const run = body.runs[0];
    const { body: plans } = await harness.http.get<{ runs: { id: string }[] }>(
      `/api/v1/workspaces/${harness.workspaceId}/runs?type=plan`,
    );
    const routes = [
      '/',
      '/new',
      '/capsules',
      `/capsules/${run?.capsuleId}`,
      '/runs',
      `/runs/${run?.id}`,
      `/runs/${plans.runs[0]?.id}`,
      '/sources',
      '/copies',
      `/sources/${run?.sourceId}`,
    ];
    await expectAccessible(page, { view: name, routes });
    await close();
  });
});
