import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Run } from '#shared/runs/contract';
import { accessibilityFindings, extremeViews, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settledPage } from './fixtures/form-steps.ts';
import { installPlanned } from './fixtures/journey.ts';
import { expectStableLayout, observeLayoutShifts } from './fixtures/layout-shifts.ts';
import { openRoute } from './fixtures/route.ts';
import { addPerson } from './fixtures/second-person.ts';

const reason = 'Freeze for the sale\u202e, ask Ada first';
const shown = /Freeze for the sale\\u\{202e\}, ask Ada first/;

describe.skipIf(!hasChromium)('a held Capsule in the dashboard', () => {
  serveBrowsed();
  let plan: Run;
  let capsuleId = '';
  let member = '';
  beforeAll(async () => {
    const { url } = harness.repository('shop', { 'main.tf': 'resource "terraform_data" "note" {}\n' });
    ({ plan, capsuleId } = await installPlanned(harness, { url, name: 'shop' }));
    ({ subject: member } = await addPerson(harness.server));
    const body = { accountId: member, role: 'member' };
    await harness.http.post(`/api/v1/workspaces/${harness.workspaceId}/members`, body);
  });
  const goTo = async (page: Page, path: string) => {
    await openRoute(page, path);
    await settledPage(page);
  };
  const main = (page: Page) => page.getByRole('main');

  it('is held with the keyboard, after the form named what is missing', async () => {
    const { page, close } = await browser.visit(harness.server);
    await goTo(page, `/capsules/${capsuleId}`);
    await page.getByRole('button', { name: 'Hold…' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Hold shop' });
    const field = dialog.getByLabel('Reason');
    await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await dialog.getByText('Enter a reason.').waitFor();
    await dialog.getByLabel('Ends on').fill('2020-01-01T00:00');
    await field.fill(reason);
    await page.keyboard.press('Enter');
    await dialog.getByText('Choose a time in the future.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'hold-dialog');
    await dialog.getByLabel('Ends on').fill('2199-01-01T08:00');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await main(page).getByText(shown).waitFor();
    await main(page).getByText('Held', { exact: true }).waitFor();
    await close();
  });

  it.each(extremeViews)('is marked wherever it is shown, and its plan has no button: %s', async (view, options) => {
    const { page, close } = await browser.visit(harness.server, options);
    await observeLayoutShifts(page);
    const mark = options.language === 'ja' ? '保留中' : 'Held';
    for (const path of ['/', '/capsules', '/graph', `/capsules/${capsuleId}`]) {
      await goTo(page, path);
      await main(page).getByText(mark, { exact: true }).first().waitFor();
      expect([path, await accessibilityFindings(page)]).toEqual([path, []]);
      await expectStableLayout(page);
      await keepPicture(page, `hold-${view}${path}`.replaceAll(/[/ ]/g, '-').replace(capsuleId, 'capsule'));
    }
    await goTo(page, `/runs/${plan.id}`);
    await main(page).getByText(mark, { exact: true }).waitFor();
    await expectStableLayout(page);
    const bar = page.getByRole('region', {
      name: options.language === 'ja' ? 'このプランの判断' : 'Decide on this plan',
    });
    await bar.getByText(shown).waitFor();
    expect(await bar.getByRole('button').count()).toBe(0);
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, `hold-${view}-run`.replaceAll(' ', '-'));
    await close();
  });

  it('shows a member the reason without a button, and refuses an apply with it', async () => {
    const { page, close } = await browser.visit(harness.server, { subject: member, workspaceId: harness.workspaceId });
    await goTo(page, `/capsules/${capsuleId}`);
    await main(page).getByText(shown).waitFor();
    await main(page).getByText('An owner or admin can release it.').waitFor();
    for (const name of ['Release', 'Change hold', 'Hold…'])
      expect([name, await main(page).getByRole('button', { name, exact: true }).count()]).toEqual([name, 0]);
    const refused = await harness.http.post<{ error: { message: string } }>(`/api/v1/runs/${plan.id}/apply`, {});
    expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringMatching(shown)]);
    await close();
  });

  it('is released, and the open page of its plan gets its button back', async () => {
    const { page, close } = await browser.visit(harness.server);
    await goTo(page, `/runs/${plan.id}`);
    const owner = await browser.visit(harness.server);
    await goTo(owner.page, `/capsules/${capsuleId}`);
    await owner.page.getByRole('button', { name: 'Release', exact: true }).click();
    await owner.page.getByRole('button', { name: 'Hold…' }).waitFor();
    await page.getByRole('button', { name: 'Apply', exact: true }).waitFor();
    await goTo(owner.page, `/capsules/${capsuleId}/activity`);
    await owner.page.getByText('You released a Capsule').waitFor();
    await owner.page.getByText('You held a Capsule').waitFor();
    await owner.close();
    await close();
  });
});
