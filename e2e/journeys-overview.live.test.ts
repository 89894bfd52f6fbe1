import { beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFindings, hasChromium, keepPicture, views } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { applyPlan, installPlanned } from './fixtures/journey.ts';
import { openRoute } from './fixtures/route.ts';

const giving = 'output "address" {\n  value = "https://one.example"\n}\n';
const taking = 'variable "upstream" {\n  type    = string\n  default = ""\n}\n';

describe.skipIf(!hasChromium)('a Workspace at a glance, in the dashboard', () => {
  serveBrowsed();
  let giver: string;
  let taker: string;
  beforeAll(async () => {
    const first = await installPlanned(harness, {
      url: harness.repository('giving', { 'main.tf': giving }).url,
      name: 'database',
    });
    await applyPlan(harness, first.plan);
    giver = first.capsuleId;
    const { url } = harness.repository('taking', { 'main.tf': taking });
    taker = (await installPlanned(harness, { url, name: 'web' })).capsuleId;
    await harness.http.post(`/api/v1/capsules/${taker}/dependencies`, {
      producerCapsuleId: giver,
      outputs: { upstream: { from: 'address', to: 'upstream' } },
    });
  });

  it.each(views)('draws the graph of the Capsules and shows its history (%s)', async (name, view) => {
    const visitor = await browser.visit(harness.server, view);
    const { page } = visitor;
    await openRoute(page, '/graph');
    // A phone shows the list.
    const isList = (view.width ?? 1280) < 640;
    const nodes = isList ? page.getByRole('main').getByRole('listitem') : page.locator('.react-flow__node');
    await nodes.getByRole('link', { name: 'web' }).waitFor();
    await page.getByText('address → upstream').waitFor();
    expect(await nodes.getByRole('link').count()).toBe(2);
    await keepPicture(page, `graph ${name}`);
    expect(await accessibilityFindings(page)).toEqual([]);
    // The keyboard reaches a Capsule and opens it.
    await nodes.getByRole('link', { name: 'database' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/capsules/${giver}`);

    await openRoute(page, '/activity');
    await page.getByRole('table').locator('[data-row]').first().waitFor();
    await keepPicture(page, `activity ${name}`);
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await page.getByText('activity.').count()).toBe(0);
    expect(await page.getByText('Controlが').count()).toBe(0);
    // A row calls its record by name, a Source too.
    const synced = page.locator('tr', { has: page.locator('a[href^="/sources/"]') });
    expect(await synced.first().getByRole('cell').nth(1).textContent()).toMatch(/^(database|web)$/);
    await visitor.close();
  });

  it('narrows the history to a Capsule, a kind and a person, in an address that can be bookmarked', async () => {
    const visitor = await browser.visit(harness.server);
    const { page } = visitor;
    await openRoute(page, '/activity');
    const rows = page.getByRole('table').locator('tbody tr');
    await rows.first().waitFor();
    const all = await rows.count();
    await page.getByRole('combobox', { name: /^Capsule/ }).selectOption(giver);
    await page.getByText('An apply succeeded').waitFor();
    await page.waitForURL(`**/activity?capsule=${giver}`);
    expect(await rows.count()).toBeLessThan(all);
    await page.getByRole('combobox', { name: /^Kind/ }).selectOption('run');
    await page.waitForURL(/kind=run/);
    await page.getByRole('link', { name: 'You requested an apply' }).click();
    await page.waitForURL('**/runs/apply_*');
    await page.goto(`${harness.server.url}/activity?kind=member`);
    await page.getByText('No matching activity').waitFor();
    await page.getByRole('button', { name: 'Show everything' }).click();
    await rows.first().waitFor();
    await visitor.close();
  });

  it('shows a page with a link for an unknown address', async () => {
    const { page, close } = await browser.visit(harness.server);
    const wrong = [
      ['/runs?status=foo', 'No such filter', 'Show the whole list'],
      ['/activity?kind=foo', 'No such filter', 'Show the whole list'],
      ['/%zz', 'Page not found', 'Home'],
      ['/api/v1/auth/link', 'This address is for programs', 'Open Ground Control'],
    ] as const;
    for (const [path, title, way] of wrong) {
      await page.goto(harness.server.url + path);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await keepPicture(page, `wrong${path.replaceAll(/\W/g, '-')}`);
      expect(await accessibilityFindings(page)).toEqual([]);
      await page.getByRole('link', { name: way }).click();
      await page.getByRole('navigation').waitFor();
      expect(new URL(page.url()).search).toBe('');
    }
    // An invalid filter is ignored.
    await page.goto(`${harness.server.url}/runs?utm_source=mail&limit=x`);
    await page.getByRole('table').locator('[data-row]').first().waitFor();
    await close();
  });

  it('reaches every page from a menu that is collapsed on a phone, and marks the current page', async () => {
    const { page, close } = await browser.visit(harness.server, { width: 390, height: 844 });
    const menu = page.getByRole('button', { name: 'Menu' });
    const there = page.getByRole('navigation').locator('[aria-current]');
    expect((await page.locator('aside').boundingBox())?.height).toBeLessThan(80);
    expect(await there.isVisible()).toBe(false);
    await menu.click();
    expect(await menu.getAttribute('aria-expanded')).toBe('true');
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'menu');
    await page.keyboard.press('Escape');
    expect(await menu.evaluate((one) => one === document.activeElement)).toBe(true);
    await menu.click();
    await page.getByRole('link', { name: 'Graph', exact: true }).click();
    await page.waitForURL('**/graph');
    expect(await there.isVisible()).toBe(false);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
    await close();

    const wide = await browser.visit(harness.server);
    for (const [at, label] of [
      ['/tokens', 'Your account'],
      ['/usage', 'Runs'],
      ['/workspace', 'Settings'],
    ] as const) {
      await openRoute(wide.page, at);
      const lit = wide.page.getByRole('navigation').locator('[aria-current]');
      await lit.waitFor();
      expect((await lit.textContent())?.trim()).toBe(label);
    }
    await wide.close();
  });

  it('describes its own API, signed out and signed in, and tries a request with the session', async () => {
    const visitor = await browser.visit(harness.server, { before: '/docs/api' });
    const { page } = visitor;
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.getByRole('heading', { level: 1, name: 'API reference' }).waitFor();
    const operation = page.locator('.opblock').filter({ hasText: '/api/v1/workspaces' }).first();
    await page.getByRole('heading', { name: 'Workspaces' }).click();
    await operation.waitFor();
    expect((await page.locator('.scheme-container').boundingBox())?.height).toBeLessThan(60);
    await keepPicture(page, 'api reference');
    const list = page.locator('#operations-Workspaces-listWorkspaces');
    await list.locator('.opblock-summary-control').click();
    await list.getByRole('button', { name: 'Try it out' }).click();
    await list.getByRole('button', { name: 'Execute' }).click();
    await list.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
    await keepPicture(page, 'api reference tried');
    // Closing reports every error that the pages logged, violations of their policy included.
    await visitor.close();
  });
});
