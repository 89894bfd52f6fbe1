import { execFileSync } from 'node:child_process';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFindings, hasChromium, keepPicture, type View, views } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settledPage, tabTo } from './fixtures/form-steps.ts';
import { applyPlan, getCapsule, installPlanned } from './fixtures/journey.ts';
import { expectStableLayout, observeLayoutShifts } from './fixtures/layout-shifts.ts';
import { fakeModule, thing } from './fixtures/modules.ts';
import { openRoute } from './fixtures/route.ts';
import { addPerson } from './fixtures/second-person.ts';

const secret = 'nine-yellow-boats-at-noon';
const outputs = `output "address" {
  value = "it's \\"here\\" $HOME"
}
output "web-port" {
  value = 8080
}
output "password" {
  value     = "${secret}"
  sensitive = true
}
`;
const readme = '# The shop\n\n<script>alert(1)</script> \u202efirst\n';
const tabs = ['', '/configuration', '/runs', '/states', '/activity', '/settings'] as const;

describe.skipIf(!hasChromium)('the pages of a Capsule', () => {
  serveBrowsed({ providers: true });
  let capsuleId = '';
  let viewer = '';
  let planId = '';
  const at = (tab: string) => `/capsules/${capsuleId}${tab}`;

  beforeAll(async () => {
    const files = { 'main.tf': `${fakeModule(thing('one'))}${outputs}`, 'README.md': readme };
    const planned = await installPlanned(harness, { url: harness.repository('shop', files).url, name: 'shop' });
    ({ capsuleId } = planned);
    planId = planned.plan.id;
    await applyPlan(harness, planned.plan);
    ({ subject: viewer } = await addPerson(harness.server));
    const member = { accountId: viewer, role: 'viewer' };
    await harness.http.post(`/api/v1/workspaces/${harness.workspaceId}/members`, member);
  });

  const readClipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

  it('shows status, versions and the README of the module, and copies the Outputs', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, at(''));
    await page.getByText('Applied. No newer commit and no changed input is known.').waitFor();
    await page.getByText('No plan waits for a decision.').waitFor();
    await page.getByText('1 resource', { exact: false }).first().waitFor();
    await page.getByRole('heading', { name: 'Versions' }).waitFor();
    await page.getByText('test/fake').waitFor();
    // Markup is text, and a character that reverses the reading order is written out.
    await page.getByText('<script>alert(1)</script> \\u{202e}first').waitFor();

    await page.getByRole('button', { name: 'Copy as JSON' }).click();
    await page.getByText('2 Outputs copied. 1 sensitive Output was not copied.').waitFor();
    expect(JSON.parse(await readClipboard(page))).toEqual({ address: `it's "here" $HOME`, 'web-port': 8080 });
    await page.getByRole('button', { name: 'Copy as environment lines' }).click();
    await page.getByText('Not valid as a name in a shell, so left out: web-port.').waitFor();
    const lines = await readClipboard(page);
    const read = execFileSync('/bin/sh', ['-c', `${lines}printf %s "$address"`], { encoding: 'utf8' });
    expect(read).toBe(`it's "here" $HOME`);
    expect(lines).not.toContain(secret);
    await keepPicture(page, 'capsule-overview');
    await close();
  });

  it('says that copying failed, and what to do instead', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, at(''));
    const button = page.getByRole('button', { name: /^Copy: / }).first();
    await button.waitFor();
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'));
      document.execCommand = () => false;
    });
    await button.click();
    await page.getByRole('alert').getByText('Copying failed. Select the text and copy it.').waitFor();
    await close();
  });

  it('leaves a note for colleagues that the history does not repeat, by keyboard alone', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, at(''));
    await settledPage(page);
    await tabTo(page, page.getByRole('main').getByRole('link', { name: 'Settings' }));
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/settings$/);
    await tabTo(page, page.getByRole('button', { name: 'Add a note' }));
    await page.keyboard.press('Enter');
    await page.getByLabel('Note for colleagues').waitFor();
    await page.keyboard.type('Ask Ada first.');
    await page.keyboard.press('Enter');
    await page.keyboard.type('<b>Twice</b>');
    await tabTo(page, page.getByRole('button', { name: 'Save' }).last());
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Edit note' }).waitFor();
    expect((await getCapsule(harness, capsuleId)).note).toBe('Ask Ada first.\n<b>Twice</b>');
    await openRoute(page, at('/activity'));
    await page.getByText('You changed the note of a Capsule').waitFor();
    expect(await page.getByText('Ask Ada first').count()).toBe(0);
    await openRoute(page, at(''));
    await page.getByText('<b>Twice</b>').waitFor();
    await keepPicture(page, 'capsule-note');
    await close();
  });

  it('keeps the filters of its lists in the address', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, at('/runs'));
    const rows = page.getByRole('table').locator('tbody tr');
    await rows.first().waitFor();
    const all = await rows.count();
    await page.getByRole('combobox', { name: /^Kind/ }).selectOption('apply');
    await page.waitForURL(/\/runs\?type=apply$/);
    await expect.poll(() => rows.count()).toBe(1);
    expect(all).toBeGreaterThan(0);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('searchbox', { name: 'Search Runs' }).fill('nothing like this');
    await page.getByText('No matching Runs').waitFor();
    await page.getByRole('button', { name: 'Show all Runs' }).click();
    await expect.poll(() => rows.count()).toBe(all);
    expect(new URL(page.url()).search).toBe('');
    // Filters replace their entry in the history, so Back leaves the page.
    await page.getByRole('main').getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('combobox', { name: /^Kind/ }).selectOption('run');
    await page.waitForURL(/\/activity\?kind=run$/);
    await page.goBack();
    await page.waitForURL(/\/runs$/);
    await openRoute(page, at('/runs?status=nonsense'));
    await page.getByText('No such filter').waitFor();
    await close();
  });

  it('keeps filter, search and opened rows of a plan in the address', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, `/runs/${planId}`);
    const row = page.locator('[data-row="plan fake_thing.one"]');
    await row.click();
    await page.waitForURL(/\?open=fake_thing\.one$/);
    await page.getByRole('searchbox', { name: /^Search addresses/ }).fill('one');
    await page.waitForURL(/q=one/);
    await page.reload();
    await row.waitFor();
    expect(await row.getAttribute('aria-expanded')).toBe('true');
    await expect.poll(() => row.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await page.getByRole('searchbox').inputValue()).toBe('one');
    // Nothing of it is an entry in the history.
    await page.goBack();
    expect(new URL(page.url()).pathname).not.toBe(`/runs/${planId}`);
    await close();
  });

  it('shows a viewer everything and offers no change', async () => {
    const { page, close } = await browser.visit(harness.server, { subject: viewer, workspaceId: harness.workspaceId });
    for (const tab of tabs) {
      await openRoute(page, at(tab));
      await settledPage(page);
      expect([tab, await accessibilityFindings(page)]).toEqual([tab, []]);
      const names = ['Add a note', 'Edit note', 'Change folders', 'Offer to another Workspace', 'Create rollback plan'];
      for (const name of names)
        expect([tab, name, await page.getByRole('button', { name }).count()]).toEqual([tab, name, 0]);
    }
    await keepPicture(page, 'capsule-viewer-settings');
    await close();
  });

  it.each(views)('has tabs that fit, without a finding and without shifts: %s', async (name, view: View) => {
    const { page, close } = await browser.visit(harness.server, view);
    await observeLayoutShifts(page);
    for (const tab of tabs) {
      await openRoute(page, at(tab));
      await settledPage(page);
      expect([tab, await accessibilityFindings(page)]).toEqual([tab, []]);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect([tab, overflow]).toEqual([tab, 0]);
      await expectStableLayout(page);
      await keepPicture(page, `capsule${tab.replace('/', '-')}-${name.replaceAll(' ', '-')}`);
    }
    await close();
  });
});
