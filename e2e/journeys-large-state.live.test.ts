import path from 'node:path';
import Database from 'better-sqlite3';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Projection } from '#shared/state-resources/contract';
import { accessibilityFindings, extremeViews, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { depth } from './fixtures/depth.ts';
import { settledPage } from './fixtures/form-steps.ts';
import { applyPlan, installPlanned, planAgain, stateVersions, takeNewest } from './fixtures/journey.ts';
import { expectStableLayout, observeLayoutShifts } from './fixtures/layout-shifts.ts';
import { openRoute } from './fixtures/route.ts';

/* A state of many resources, one whose values are not read yet, and one that an earlier version stored. */

const count = depth({ quick: 1_200, deep: 5_000 });
const counted = (resources: number): string => resources.toLocaleString('en');
const files = (text: string, resources: number) => ({
  'main.tf': 'module "shelves" {\n  source = "./shelves"\n}\nresource "terraform_data" "top" {}\n',
  'shelves/main.tf': `resource "terraform_data" "label" {\n  input = "${text}"\n}\nmodule "books" {\n  source = "./books"\n}\n`,
  'shelves/books/main.tf': `resource "terraform_data" "book" {\n  count = ${resources - 2}\n  input = "book number \${count.index}"\n}\n`,
});

describe.skipIf(!hasChromium)('a large state', () => {
  serveBrowsed();
  let capsuleId = '';
  let sourceId = '';
  let states: string[] = [];

  // The second generation is the large one, because a plan that refreshes thousands of resources takes half a minute.
  beforeAll(async () => {
    const repository = harness.repository('library', files('one', 4));
    const planned = await installPlanned(harness, { url: repository.url, name: 'library', modulePath: '.' });
    ({ capsuleId, sourceId } = planned);
    await applyPlan(harness, planned.plan);
    const [{ id } = { id: '' }] = await stateVersions(harness, capsuleId);
    await vi.waitFor(async () => expect(await statusOf(id)).toBe('ready'), { timeout: 60_000, interval: 200 });
    // From here on the projections of this server are not made.
    await harness.server.restart({ GROUNDCTL_FAILPOINT: 'projection.begin:error' });
    repository.commit(files('two', count));
    await takeNewest(harness, sourceId);
    await applyPlan(harness, await planAgain(harness, capsuleId));
    states = (await stateVersions(harness, capsuleId)).map(({ id }) => id);
  }, 300_000);

  const statusOf = async (id: string) =>
    (await harness.http.get<{ projection: Projection }>(`/api/v1/state-versions/${id}/resources?limit=1`)).body
      .projection.status;
  const open = async (page: Page, id: string | undefined, more = '') => {
    await openRoute(page, `/capsules/${capsuleId}/resources?state=${id}${more}`);
    await settledPage(page);
  };
  const rows = (page: Page) => page.getByRole('list', { name: 'Resources' }).getByRole('listitem');

  it.each(extremeViews)('says that its values are still being read: %s', async (name, view) => {
    const { page, close } = await browser.visit(harness.server, view);
    await open(page, states[0]);
    await page
      .getByText(view.language === 'ja' ? /読み取り中です/ : /values of this generation are being read/)
      .waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, `state-pending-${name.replaceAll(' ', '-')}`);
    await openRoute(page, `/capsules/${capsuleId}/states?from=${states[1]}&to=${states[0]}`);
    await page
      .getByText(view.language === 'ja' ? /読み取り中です/ : /values of this generation are being read/)
      .waitFor();
    await close();
  });

  it('shows its values once they are read, on the page that is open', async () => {
    const { page, close } = await browser.visit(harness.server);
    await open(page, states[0], '&q=label');
    await page.getByText('values of this generation are being read').waitFor();
    await harness.server.restart({ GROUNDCTL_FAILPOINT: '' });
    await page.getByText('module.shelves.terraform_data.label').waitFor({ timeout: 60_000 });
    await close();
  });

  it('is browsed by module, searched and scrolled with few rows in the page', async () => {
    const { page, close } = await browser.visit(harness.server);
    await observeLayoutShifts(page);
    await open(page, states[0]);
    const modules = page.getByRole('navigation', { name: 'Modules' });
    await modules.getByText(counted(count - 2)).waitFor();
    await expectStableLayout(page);
    await modules.getByRole('button', { name: 'Modules in module.shelves' }).click();
    await modules.getByText(counted(count - 1)).waitFor();
    expect(await modules.getByText('module.books').count()).toBe(0);
    await keepPicture(page, 'large-state');
    await page.getByRole('searchbox', { name: 'Search address, type and values' }).fill(`book number ${count - 3}`);
    await page.getByText(`module.shelves.module.books.terraform_data.book[${count - 3}]`).waitFor();
    await expect.poll(() => rows(page).count()).toBe(1);
    await open(page, states[0]);
    for (let screen = 0; screen < 12; screen += 1) {
      await page.mouse.wheel(0, 4_000);
      await rows(page).nth(5).waitFor();
      expect(await rows(page).count()).toBeLessThan(120);
    }
    expect(await accessibilityFindings(page)).toEqual([]);
    await close();
  });

  it.each(extremeViews)(
    'shows only addresses of a generation that an earlier version stored: %s',
    async (name, view) => {
      const ledger = new Database(path.join(harness.server.dataDir, 'ledger.db'));
      ledger.prepare('DELETE FROM projection_pages WHERE state_version_id = ?').run(states[0]);
      ledger.prepare('DELETE FROM state_projections WHERE state_version_id = ?').run(states[0]);
      ledger.close();
      await harness.server.restart();
      const { page, close } = await browser.visit(harness.server, view);
      await open(page, states[0], '&q=label');
      await page
        .getByText(view.language === 'ja' ? 'アドレスのみ表示しています' : 'Only addresses are shown')
        .waitFor();
      await page.getByText('module.shelves.terraform_data.label').first().click();
      expect(await page.locator('main').textContent()).not.toContain('"two"');
      expect(await accessibilityFindings(page)).toEqual([]);
      await keepPicture(page, `state-addresses-${name.replaceAll(' ', '-')}`);
      await close();
    },
  );
});
