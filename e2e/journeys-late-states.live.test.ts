import { beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFindings, hasChromium, keepPicture, type View } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settledPage } from './fixtures/form-steps.ts';
import { applyPlan, installPlanned, planAgain, takeNewest } from './fixtures/journey.ts';
import { bringLateState, renamed } from './fixtures/late-states.ts';
import { dataResource } from './fixtures/modules.ts';
import { openRoute } from './fixtures/route.ts';
import { addPerson } from './fixtures/second-person.ts';

const titles = { en: 'A state arrived after its apply was ended', ja: '適用の終了後に state が届きました' };
const longTimeout = { timeout: 60_000 };
/** Every color scheme and language, and both widths. */
const shownViews: [string, View][] = [
  ['light', {}],
  ['dark ja narrow', { dark: true, language: 'ja', width: 390, height: 844 }],
];
/** Addresses of a large module, which wrap on a narrow page. */
const longNames = Array.from({ length: 8 }, (_, index) => `replica_of_the_reporting_database_in_region_${index}`);

describe.skipIf(!hasChromium)('a state that arrived after its apply was ended', () => {
  serveBrowsed();
  let viewer = '';
  const shop = { capsuleId: '', runId: '' };
  /** A Capsule whose state is newer than the ended apply. */
  const newer = { capsuleId: '', runId: '' };

  beforeAll(async () => {
    viewer = (await addPerson(harness.server)).subject;
    await harness.http.post(`/api/v1/workspaces/${harness.workspaceId}/members`, { accountId: viewer, role: 'viewer' });
    const { url } = harness.repository('shop', { 'main.tf': dataResource('one') });
    const installed = await installPlanned(harness, { url, name: 'shop' });
    Object.assign(shop, {
      capsuleId: installed.capsuleId,
      runId: (await applyPlan(harness, installed.plan)).id,
    });
    await bringLateState(harness, shop, (resources) => [
      ...resources,
      ...resources.flatMap((one) => longNames.map((name) => renamed(one, name))),
    ]);

    const repository = harness.repository('newer', { 'main.tf': dataResource('one') });
    const { capsuleId, sourceId, plan } = await installPlanned(harness, { url: repository.url, name: 'newer' });
    Object.assign(newer, { capsuleId, runId: (await applyPlan(harness, plan)).id });
    repository.commit({ 'main.tf': dataResource('one', 'changed') + dataResource('two') });
    await takeNewest(harness, sourceId);
    await applyPlan(harness, await planAgain(harness, capsuleId));
    await bringLateState(harness, newer, ([one]) => (one ? [renamed(one, 'late')] : []));
  });

  it.each(shownViews)('is shown with its decision on the Capsule and on the Run: %s', async (view, options) => {
    const { page, close } = await browser.visit(harness.server, options);
    const routes = {
      capsule: `/capsules/${shop.capsuleId}`,
      run: `/runs/${shop.runId}`,
      newer: `/capsules/${newer.capsuleId}`,
    };
    for (const [name, route] of Object.entries(routes)) {
      await openRoute(page, route);
      await page.getByRole('heading', { name: titles[options.language ?? 'en'] }).waitFor(longTimeout);
      await settledPage(page);
      expect([name, await accessibilityFindings(page)]).toEqual([name, []]);
      await keepPicture(page, `late-state-${name}-${view.replaceAll(' ', '-')}`);
    }
    await close();
  });

  it('is shown to a viewer without a decision', async () => {
    const view = { subject: viewer, workspaceId: harness.workspaceId };
    const { page, close } = await browser.visit(harness.server, view);
    await openRoute(page, `/capsules/${shop.capsuleId}`);
    await page.getByRole('heading', { name: titles.en }).waitFor(longTimeout);
    expect(await page.getByRole('button', { name: 'Adopt state…' }).count()).toBe(0);
    await keepPicture(page, 'late-state-viewer');
    await close();
  });

  it('is decided about first: on every page of the Capsule, planning again is not the main action', async () => {
    const { page, close } = await browser.visit(harness.server);
    for (const tab of ['', '/resources', '/settings']) {
      await openRoute(page, `/capsules/${shop.capsuleId}${tab}`);
      const adopt = page.getByRole('button', { name: 'Adopt state…' });
      const planAgain = page.getByRole('button', { name: 'Plan again', exact: true });
      await adopt.waitFor(longTimeout);
      await planAgain.waitFor(longTimeout);
      const isMain = async (button: typeof adopt) =>
        (await button.getAttribute('class'))?.includes('bg-accent ') === true;
      await expect.poll(async () => [await isMain(adopt), await isMain(planAgain)]).toEqual([true, false]);
    }
    await close();
  });

  it('is named beside the button that plans again from the ended apply', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, `/runs/${shop.runId}`);
    await page.getByText('Adopt or dismiss the state that arrived late first').waitFor(longTimeout);
    await close();
  });

  it('is dismissed after a confirmation, which the page of the Run then says', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, `/capsules/${newer.capsuleId}`);
    await page.getByRole('button', { name: 'Dismiss' }).click(longTimeout);
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('Dismiss this state?').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'late-state-dismiss');
    await dialog.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('heading', { name: titles.en }).waitFor({ state: 'detached' });
    await openRoute(page, `/runs/${newer.runId}`);
    await page.getByText('This state was dismissed.').waitFor(longTimeout);
    await settledPage(page);
    await keepPicture(page, 'late-state-dismissed');
    await close();
  });

  it('is adopted by the review of its restore', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, `/runs/${shop.runId}`);
    await page.getByRole('button', { name: 'Adopt state…' }).click(longTimeout);
    await page.waitForURL(/\/runs\/restore_/);
    await page.getByText('A state that arrived after its apply was ended.').waitFor(longTimeout);
    await settledPage(page);
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'late-state-review');
    await openRoute(page, `/runs/${shop.runId}`);
    await page.getByText('A restore of this state waits or runs.').waitFor(longTimeout);
    await page.getByRole('link', { name: 'Show the restore' }).waitFor();
    await keepPicture(page, 'late-state-requested');
    await close();
  });
});
