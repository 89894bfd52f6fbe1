import { renameSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Backup } from '#shared/backups/contract';
import { accessibilityFindings, extremeViews, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { destroy, planChange } from './fixtures/capsule-changes.ts';
import { runIn, settledPage, tabTo } from './fixtures/form-steps.ts';
import { applyPlan, getCapsule, getRun, installPlanned, stateVersions } from './fixtures/journey.ts';
import { expectStableLayout, observeLayoutShifts } from './fixtures/layout-shifts.ts';
import { fakeModule, thing } from './fixtures/modules.ts';
import { openRoute } from './fixtures/route.ts';
import { addPerson } from './fixtures/second-person.ts';

const longTimeout = { timeout: 60_000 };
const moduleText = fakeModule(
  `variable "note" {\n  type = string\n}\nvariable "second" {\n  type = bool\n}\n${thing('one', 'note = var.note')}${thing(
    'two',
    'count = var.second ? 1 : 0',
  )}`,
);

describe.skipIf(!hasChromium)('backups', () => {
  serveBrowsed({ providers: true });
  let capsuleId = '';
  let deskId = '';
  let goneId = '';
  let restoreId = '';
  let wholeId = '';
  const open = (page: Page, address: string) => openRoute(page, address);
  const listBackups = async (): Promise<Backup[]> => {
    const address = `/api/v1/workspaces/${harness.workspaceId}/backups`;
    return (await harness.http.get<{ backups: Backup[] }>(address)).body.backups;
  };

  beforeAll(async () => {
    const { url } = harness.repository('shop', { 'main.tf': moduleText });
    const variables = { note: 'first', second: false };
    const planned = await installPlanned(harness, { url, name: 'shop', variables });
    ({ capsuleId } = planned);
    await applyPlan(harness, planned.plan);
    deskId = await installPlain('desk');
    goneId = await installPlain('gone');
  });

  /** Installs a module without providers. Returns the id of its Capsule. */
  async function installPlain(name: string): Promise<string> {
    const { url } = harness.repository(name, { 'main.tf': 'resource "terraform_data" "one" {}\n' });
    const planned = await installPlanned(harness, { url, name });
    await applyPlan(harness, planned.plan);
    return planned.capsuleId;
  }

  it('are explained where there is none, and made once by two clicks', async () => {
    const { page, close } = await browser.visit(harness.server);
    await page.getByText('This Workspace has no backup yet.').waitFor(longTimeout);
    await keepPicture(page, 'backups-home-none');
    await open(page, '/workspace');
    await page.getByRole('link', { name: 'Open backups' }).click(longTimeout);
    await page.getByRole('heading', { name: 'No backups' }).waitFor(longTimeout);
    await page.getByText('It holds neither the resources themselves nor the key of this server.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'backups-empty');
    await page.getByRole('button', { name: 'Back up now' }).dblclick();
    await page.getByText('Whole Workspace').waitFor(longTimeout);
    await page.getByRole('button', { name: 'Back up now' }).waitFor();
    const backups = await listBackups();
    expect(backups).toHaveLength(1);
    const row = page.getByRole('row').filter({ hasText: 'Whole Workspace' });
    await row.getByText('you').waitFor();
    await row.getByText(backups[0]?.digest.slice(0, 15) ?? 'digest').waitFor();
    await open(page, '/');
    await page.getByText('Last backup of this Workspace:').waitFor(longTimeout);
    await close();
  });

  it('are downloaded as one encrypted file', async () => {
    const { page, close } = await browser.visit(harness.server);
    await open(page, '/workspace/backups');
    const [download] = await Promise.all([
      page.waitForEvent('download', longTimeout),
      page.getByRole('button', { name: /^Download the backup of/ }).click(longTimeout),
    ]);
    const [backup] = await listBackups();
    expect(download.suggestedFilename()).toBe(`${backup?.id}.age`);
    const bytes = await readFile(await download.path());
    expect([bytes.length, bytes.subarray(0, 21).toString()]).toEqual([backup?.sizeBytes, 'age-encryption.org/v1']);
    await close();
  });

  it('return a state after a review, and the next plan shows what was applied later', async () => {
    await applyPlan(harness, await planChange(harness, capsuleId, { note: 'canary-of-the-state', second: true }));
    const { page, close } = await browser.visit(harness.server);
    await open(page, '/workspace/backups');
    const restore = page.getByRole('button', { name: /^Restore states of the backup of/ });
    await tabTo(page, restore);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Restore states' }).waitFor();
    await page.getByLabel('Capsules').selectOption({ label: 'shop' });
    await page.getByLabel('State', { exact: true }).selectOption('1');
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'backups-restore');
    await page.getByRole('button', { name: 'Review restore' }).click();
    await page.waitForURL(/\/runs\/restore_/, longTimeout);
    restoreId = runIn(page);

    await page.getByText('No provider starts, and no resource changes.').waitFor(longTimeout);
    await page.getByText('1 resource only in the current state').waitFor();
    await page.getByText('fake_thing.two[0]').waitFor();
    await page.getByText('1 resource with other content').waitFor();
    expect((await page.getByRole('main').textContent()) ?? '').not.toContain('canary-of-the-state');
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'backups-review');
    await open(page, '/');
    await page
      .getByRole('region', { name: 'Waiting for you' })
      .getByRole('link', { name: /Restore/ })
      .click(longTimeout);
    await page.getByRole('button', { name: 'Approve and restore' }).dblclick(longTimeout);
    await page.getByText('The state of 1 Capsule was restored').waitFor(longTimeout);
    await page.getByRole('link', { name: 'See generation 3' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'backups-restored');
    const { status, currentStateGeneration } = await getCapsule(harness, capsuleId);
    expect([status, currentStateGeneration]).toEqual(['stale', 3]);
    expect((await stateVersions(harness, capsuleId)).map(({ generation }) => generation)).toEqual([3, 2, 1]);

    await page.getByRole('button', { name: 'Plan again' }).click();
    await page.waitForURL(/\/runs\/plan_/, longTimeout);
    await page.getByRole('button', { name: /fake_thing\.two/ }).waitFor(longTimeout);
    expect((await getRun(harness, runIn(page))).summary).toMatchObject({ add: 1, destroy: 0 });
    await close();
  });

  it('return the states of all Capsules but the destroyed ones together', async () => {
    await destroy(harness, goneId);
    const { page, close } = await browser.visit(harness.server);
    await open(page, '/workspace/backups');
    await page.getByRole('button', { name: /^Restore states of the backup of/ }).click(longTimeout);
    await page.getByRole('button', { name: 'Review restore' }).click();
    await page.waitForURL(/\/runs\/restore_/, longTimeout);
    wholeId = runIn(page);
    await page.getByRole('heading', { name: '2 Capsules' }).waitFor(longTimeout);
    await page.getByText('gone is destroyed. Install its module again instead.').waitFor();
    await page.getByText('Both states have the same resources with the same content.').first().waitFor();
    await page.getByPlaceholder('Reason (optional)').fill('The disk was replaced');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('The states of 2 Capsules were restored').waitFor(longTimeout);
    await page.getByText('The disk was replaced').waitFor();
    await page.getByRole('button', { name: 'Plan all updates' }).waitFor();
    const { status, currentStateGeneration } = await getCapsule(harness, deskId);
    expect([status, currentStateGeneration]).toEqual(['stale', 2]);
    await close();
  });

  it('of one Capsule are made on its page, and its restore can be cancelled', async () => {
    const { page, close } = await browser.visit(harness.server);
    await open(page, `/capsules/${capsuleId}/states`);
    await page.getByText('No backup of this Capsule alone.').waitFor(longTimeout);
    await page.getByRole('button', { name: 'Back up this Capsule' }).click();
    await page.getByText('Last backup of this Capsule alone:').waitFor(longTimeout);
    await keepPicture(page, 'backups-capsule');
    await page.getByRole('paragraph').filter({ hasText: 'Last backup of this' }).getByRole('link').first().click();
    await page.waitForURL(/\/runs\/backup_/, longTimeout);
    await page.getByText((await listBackups())[0]?.digest ?? 'digest').waitFor(longTimeout);
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'backups-run');
    await page.getByRole('button', { name: /^Restore states of the backup of/ }).click();
    await page.getByRole('button', { name: 'Review restore' }).click();
    await page.waitForURL(/\/runs\/restore_/, longTimeout);
    await page.getByRole('button', { name: 'Cancel restore' }).click(longTimeout);
    await page.getByText('It ended before it had changed anything.').waitFor(longTimeout);
    expect(await page.getByRole('button', { name: 'Approve and restore' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Open backups' }).waitFor();
    await close();
  });

  it('whose file is gone are refused with a sentence', async () => {
    const folder = path.join(harness.server.dataDir, 'backups');
    const { page, close } = await browser.visit(harness.server);
    await open(page, '/workspace/backups');
    await page
      .getByRole('button', { name: /^Download the backup of/ })
      .first()
      .waitFor(longTimeout);
    renameSync(folder, `${folder}-moved`);
    await page
      .getByRole('button', { name: /^Download the backup of/ })
      .first()
      .click();
    await page.getByText('The file of this backup is missing').waitFor(longTimeout);
    await keepPicture(page, 'backups-gone');
    await page
      .getByRole('button', { name: /^Restore states of the backup of/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Review restore' }).click();
    await page.getByRole('dialog').getByText('The file of this backup is missing').waitFor(longTimeout);
    await page.reload();
    await page.getByText('Its archive is not in the data folder.').first().waitFor(longTimeout);
    expect(
      await page
        .getByRole('main')
        .getByRole('button', { name: /^(Download|Restore)/ })
        .count(),
    ).toBe(0);
    renameSync(`${folder}-moved`, folder);
    await close();
  });

  it.each(extremeViews)('and restores are read without findings, %s', async (name, view) => {
    const { page, close } = await browser.visit(harness.server, view);
    await observeLayoutShifts(page);
    const routes = [
      '/workspace/backups',
      `/runs/${restoreId}`,
      `/runs/${wholeId}`,
      `/capsules/${capsuleId}/states`,
      '/',
    ];
    for (const [index, address] of routes.entries()) {
      await open(page, address);
      await settledPage(page);
      expect([address, await accessibilityFindings(page)]).toEqual([address, []]);
      await expectStableLayout(page);
      await keepPicture(page, `backups-${name}-${index}`);
    }
    await close();
  });

  it('show a Viewer no action', async () => {
    const { subject } = await addPerson(harness.server);
    const member = { accountId: subject, role: 'viewer' };
    await harness.http.post(`/api/v1/workspaces/${harness.workspaceId}/members`, member);
    const { page, close } = await browser.visit(harness.server, { subject, workspaceId: harness.workspaceId });
    await open(page, '/workspace/backups');
    await page.getByText('Whole Workspace').waitFor(longTimeout);
    const named = /^(Back up|Download|Restore|Delete)/;
    expect(await page.getByRole('main').getByRole('button', { name: named }).count()).toBe(0);
    await keepPicture(page, 'backups-viewer');
    await close();
  });
});
