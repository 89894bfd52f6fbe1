import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { accessibilityFindings, extremeViews, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settledPage } from './fixtures/form-steps.ts';
import { applyPlan, installPlanned, planAgain } from './fixtures/journey.ts';
import { expectStableLayout, observeLayoutShifts } from './fixtures/layout-shifts.ts';
import { addCapsules } from './fixtures/many-capsules.ts';
import { openRoute } from './fixtures/route.ts';

const module = 'resource "terraform_data" "one" {\n  input = "one"\n}\n';
const overlaps = (a: DOMRect, b: DOMRect): boolean =>
  a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;

const goTo = async (page: Page, path: string) => {
  await openRoute(page, path);
  await settledPage(page);
};

describe.skipIf(!hasChromium)('Home and the lists, in the dashboard', () => {
  serveBrowsed();
  let capsuleId = '';

  it('offers the sample on an empty Home and leads into its installation', async () => {
    const { page, close } = await browser.visit(harness.server);
    await page.getByRole('button', { name: 'Install the sample' }).waitFor();
    await keepPicture(page, 'lists-first');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Install the sample' }).click();
    await page.getByLabel('passphrase').first().waitFor({ timeout: 60_000 });
    expect(page.url()).toContain('samples');
    await close();
  });

  it('shows a plan and its apply as one row with what was done, and filters in the address', async () => {
    const { url } = harness.repository('lists', { 'main.tf': module });
    const installed = await installPlanned(harness, { url, name: 'web' });
    ({ capsuleId } = installed);
    await applyPlan(harness, installed.plan);
    const { page, close } = await browser.visit(harness.server);
    await observeLayoutShifts(page);
    await goTo(page, '/runs');
    const row = page.getByRole('row', { name: /Apply · web/ });
    await row.waitFor();
    expect(await row.textContent()).toContain('1 added, 0 changed, 0 destroyed');
    expect(await page.getByRole('row', { name: /Plan · web/ }).count()).toBe(0);
    await expectStableLayout(page);
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'lists-runs');

    await page.getByLabel('Commit').fill('xyz');
    await page.keyboard.press('Enter');
    await page.getByText('Type 4 to 64 characters').waitFor();
    const commit = (installed.plan.resolvedCommit ?? '').slice(0, 7);
    await page.getByLabel('Commit').fill(commit);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/runs?commit=*${commit}*`);
    await row.waitFor();
    await page.getByLabel('Cause').selectOption('webhook');
    await page.getByText('No matching Runs').waitFor();
    await page.getByRole('button', { name: 'Show all Runs' }).click();
    await row.waitFor();

    await goTo(page, `/capsules/${capsuleId}/runs`);
    await page.getByRole('row', { name: /Apply/ }).waitFor();
    expect(await page.getByRole('table').locator('tbody tr').count()).toBe(1);
    await close();
  });

  it('labels a Capsule, finds it by its label, and shows a favorite first', async () => {
    const { page, close } = await browser.visit(harness.server);
    await goTo(page, `/capsules/${capsuleId}/settings`);
    await page.getByRole('button', { name: 'Add labels' }).click();
    await page.getByLabel('Labels').last().fill('Team');
    await page.keyboard.press('Enter');
    await page.getByText('“Team” is not a valid label').waitFor();
    await page.getByLabel('Labels').last().fill('team/web, eu-1 team/web');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Edit labels' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'team/web' }).first().click();
    await page.waitForURL(({ search }: URL) => new URLSearchParams(search).get('label') === 'team/web');
    await page.getByRole('button', { name: 'Show Capsules without the label filter team/web' }).waitFor();
    await page.getByRole('row', { name: /web/ }).last().waitFor();
    await keepPicture(page, 'lists-capsules');
    expect(await accessibilityFindings(page)).toEqual([]);
    const star = page.getByRole('button', { name: 'Favorite: web' });
    await star.click();
    await expect.poll(() => star.getAttribute('aria-pressed')).toBe('true');
    await goTo(page, '/');
    await page.getByRole('region', { name: 'Favorites' }).getByRole('link', { name: 'web' }).waitFor();
    await close();
  });

  it.each(extremeViews)('counts what needs attention exactly at 1,000 Capsules (%s)', async (name, view) => {
    if (name === extremeViews[0]?.[0]) {
      await planAgain(harness, capsuleId);
      addCapsules(harness.server.dataDir, { capsuleId, count: 1_000, status: 'stale' });
    }
    const { page, close } = await browser.visit(harness.server, view);
    await observeLayoutShifts(page);
    await goTo(page, '/');
    const section = page.getByRole('region', { name: view.language === 'ja' ? '更新あり' : 'Out of date' });
    await section.waitFor();
    expect(await section.getByRole('heading').textContent()).toMatch(/950/);
    await keepPicture(page, `lists-home-${name.replaceAll(' ', '-')}`);
    expect(await accessibilityFindings(page)).toEqual([]);
    await expectStableLayout(page);
    await section.getByRole('button').last().click();
    await expect.poll(() => section.getByRole('link').count()).toBe(100);
    await close();
  });

  it('lists the Capsules of a Source page by page', async () => {
    const { page, close } = await browser.visit(harness.server);
    const sourceId = (await harness.http.get<{ capsule: { sourceId: string } }>(`/api/v1/capsules/${capsuleId}`)).body
      .capsule.sourceId;
    await goTo(page, `/sources/${sourceId}`);
    const section = page.getByRole('region', { name: 'Capsules of this Source' });
    await section.getByRole('link', { name: 'web', exact: true }).waitFor();
    expect(await section.locator('tbody tr').count()).toBe(20);
    await keepPicture(page, 'lists-source');
    expect(await accessibilityFindings(page)).toEqual([]);
    await close();
  });
});

describe.skipIf(!hasChromium)('the graph of 100 Capsules', () => {
  serveBrowsed();

  it('has no label on another one or on a node, collapses Projects, and is a list on a phone', async () => {
    const { url } = harness.repository('graph', { 'main.tf': module });
    const { capsuleId } = await installPlanned(harness, { url, name: 'web' });
    addCapsules(harness.server.dataDir, { capsuleId, count: 100, projects: 4, edges: true });
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, '/graph');
    await page.locator('.react-flow__node').nth(100).waitFor();
    await keepPicture(page, 'lists-graph');
    // It starts at a size that can be read.
    expect((await page.locator('.react-flow__node').first().boundingBox())?.width).toBeGreaterThan(150);
    const boxes = await page.evaluate(() => {
      const all = (selector: string) =>
        [...document.querySelectorAll(selector)].map((element) => element.getBoundingClientRect().toJSON());
      return { labels: all('.react-flow__edgelabel-renderer span'), nodes: all('.react-flow__node') };
    });
    expect(boxes.labels.length).toBeGreaterThan(90);
    const { labels, nodes } = boxes as { labels: DOMRect[]; nodes: DOMRect[] };
    expect(labels.filter((label, at) => labels.slice(at + 1).some((other) => overlaps(label, other)))).toEqual([]);
    expect(labels.filter((label) => nodes.some((node) => overlaps(label, node)))).toEqual([]);
    expect(await accessibilityFindings(page)).toEqual([]);

    await page.getByLabel('Project 2').check();
    await page
      .locator('.react-flow__node')
      .getByRole('button', { name: /Project 2/ })
      .waitFor();
    await expect.poll(() => page.locator('.react-flow__node').count()).toBe(77);
    await keepPicture(page, 'lists-graph-collapsed');
    await close();

    const phone = await browser.visit(harness.server, { width: 390, height: 844 });
    await goTo(phone.page, '/graph');
    await phone.page.getByRole('link', { name: 'service-99' }).waitFor();
    expect(await phone.page.locator('.react-flow').count()).toBe(0);
    await keepPicture(phone.page, 'lists-graph-phone');
    expect(await accessibilityFindings(phone.page)).toEqual([]);
    await phone.close();
  });
});
