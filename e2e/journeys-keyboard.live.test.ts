import { beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFindings, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settledPage } from './fixtures/form-steps.ts';
import { applyPlan, installPlanned } from './fixtures/journey.ts';
import { fakeModule, thing } from './fixtures/modules.ts';

describe.skipIf(!hasChromium)('the keyboard', () => {
  serveBrowsed({ providers: true });
  let capsuleId = '';

  beforeAll(async () => {
    const { url } = harness.repository('shop', { 'main.tf': fakeModule(thing('one')) });
    const planned = await installPlanned(harness, { url, name: 'shop' });
    ({ capsuleId } = planned);
    await applyPlan(harness, planned.plan);
  });

  it('opens a Capsule from the palette', async () => {
    const { page, close } = await browser.visit(harness.server);
    await settledPage(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
    await page.getByRole('option', { name: 'shop' }).first().waitFor();
    await keepPicture(page, 'palette-empty');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.type('shop');
    await page.getByRole('option', { name: /^shop Capsule/ }).waitFor();
    await keepPicture(page, 'palette-search');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/capsules/${capsuleId}`);
    await close();
  });
});
