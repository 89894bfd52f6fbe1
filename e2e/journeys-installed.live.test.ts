import { beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFindings, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settledPage } from './fixtures/form-steps.ts';
import { applyPlan, installPlanned } from './fixtures/journey.ts';
import { expectStableLayout, observeLayoutShifts } from './fixtures/layout-shifts.ts';
import { openRoute } from './fixtures/route.ts';

const module = `variable "title" {
  type = string
}
variable "names" {
  type    = list(string)
  default = []
}
output "title" {
  value = var.title
}
`;

describe.skipIf(!hasChromium)('an address that is installed', () => {
  serveBrowsed();
  let url = '';
  let capsuleId = '';
  let sourceId = '';
  let planId = '';
  beforeAll(async () => {
    ({ url } = harness.repository('installed', { 'main.tf': module }));
    const planned = await installPlanned(harness, { url, name: 'installed', variables: { title: 'first' } });
    ({ capsuleId, sourceId } = planned);
    planId = planned.plan.id;
    await applyPlan(harness, planned.plan);
  });

  async function paste() {
    const visitor = await browser.visit(harness.server);
    // A Capsule follows `main` here, so that the Source is the one of this ref.
    await visitor.page.getByRole('main').getByRole('textbox').first().fill(`git::${url}?ref=main`);
    await visitor.page.keyboard.press('Enter');
    await visitor.page
      .getByRole('heading', { name: 'Already installed from this address' })
      .waitFor({ timeout: 30_000 });
    return visitor;
  }

  it('offers the installed Capsule first', async () => {
    const { page, close } = await paste();
    await keepPicture(page, 'installed-offer');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('group').getByRole('link', { name: 'Open' }).click();
    await page.waitForURL(new RegExp(`/capsules/${capsuleId}$`));
    await close();
  });

  it('changes the inputs of the Capsule from their present values', async () => {
    const { page, close } = await paste();
    await page.getByRole('button', { name: 'Change inputs' }).click();
    const title = page.getByRole('textbox', { name: /^title/ });
    await title.waitFor();
    expect(await title.inputValue()).toBe('first');
    await title.fill('second');
    await keepPicture(page, 'installed-change');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 30_000 });
    await page.getByText('"second"').waitFor({ timeout: 30_000 });
    expect(await page.getByText('"first"').count()).toBe(1);
    await close();
  });

  it('installs again under another name, and adds a row by Enter in a list', async () => {
    const { page, close } = await paste();
    await page.getByRole('button', { name: 'Install again' }).click();
    await page.getByRole('textbox', { name: /^title/ }).fill('other');
    await page.getByRole('button', { name: /^Change.*names/ }).click();
    // A busy machine draws late; no key may be lost until then.
    await page.evaluate(() => {
      globalThis.requestAnimationFrame = (draw) => Number(setTimeout(draw, 1_000));
    });
    await page.getByRole('button', { name: 'Add to names' }).click();
    await page.keyboard.type('a');
    await page.keyboard.press('Enter');
    await page.keyboard.type('b');
    expect(await page.getByRole('textbox', { name: 'names[1]' }).inputValue()).toBe('b');
    await page.getByRole('button', { name: 'Remove names[1]' }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY');
    await page.getByText('installed-2').first().waitFor();
    await close();
  });

  it('shows the whole command to a signed-out person on the same machine', async () => {
    const { page, close } = await browser.open(harness.server.url);
    await page.getByText(`sign-in --data-dir ${harness.server.dataDir}`).waitFor();
    await keepPicture(page, 'signed-out');
    await close();
  });

  it('offers to sign in when the session has expired', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, `/capsules/${capsuleId}`);
    await settledPage(page);
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Check for drift' }).click();
    await page.getByText('Your session has ended. Sign in again.').waitFor();
    await keepPicture(page, 'session-expired');
    await page.getByRole('button', { name: 'Sign in' }).click({ timeout: 8_000 });
    await page.getByText(`sign-in --data-dir ${harness.server.dataDir}`).waitFor();
    await close();
  });

  it('has pages of a stable layout', async () => {
    const { page, close } = await browser.visit(harness.server);
    await observeLayoutShifts(page);
    const lists = ['capsules', 'runs', 'sources', 'connections', 'activity', 'members', 'tokens', 'usage'];
    const others = ['', 'new', 'connections/new', 'graph', 'workspace', 'settings', 'account', 'docs/api'];
    const tabs = ['', '/configuration', '/runs', '/states', '/activity', '/settings'];
    const records = [...tabs.map((tab) => `capsules/${capsuleId}${tab}`), `runs/${planId}`, `sources/${sourceId}`];
    for (const path of [...lists, ...others, ...records].map((one) => `/${one}`)) {
      await openRoute(page, path);
      await settledPage(page);
      await expectStableLayout(page);
    }
    await close();
  });
});
