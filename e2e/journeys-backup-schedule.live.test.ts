import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { accessibilityFindings, extremeViews, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settledPage } from './fixtures/form-steps.ts';
import { expectStableLayout, observeLayoutShifts } from './fixtures/layout-shifts.ts';

const longTimeout = { timeout: 60_000 };
const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'groundctl-copies-')));

describe.skipIf(!hasChromium)('the schedule of backups', () => {
  serveBrowsed({ env: { GROUNDCTL_BACKUP_FOLDERS: folder } });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const address = () => `${harness.server.url}/workspace/backups`;

  it('is set by an owner, whose mistakes are named, and copies a backup at once when asked', async () => {
    const { page, close } = await browser.visit(harness.server);
    await page.goto(address());
    await page.getByText('No schedule. Backups are created only on request.').waitFor(longTimeout);
    await page.getByRole('button', { name: 'Set a schedule' }).click();
    await page.getByLabel('Copies to keep').fill('0');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter a number from 1 to 365.').waitFor();
    await page.getByText('Enter the absolute path of a folder.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByLabel('Copies to keep').fill('5');
    await page.getByLabel('Folder', { exact: true }).fill(os.homedir());
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('This folder cannot be used').waitFor(longTimeout);
    await page.getByLabel('Folder', { exact: true }).fill(folder);
    await keepPicture(page, 'schedule-form');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('None yet').waitFor(longTimeout);
    await page.getByRole('button', { name: 'Start now' }).click();
    await page.getByText('5; 1 stored now').waitFor(longTimeout);
    expect(readdirSync(folder, { recursive: true }).filter((file) => String(file).endsWith('.age'))).toHaveLength(1);
    await keepPicture(page, 'schedule');
    await close();
  });

  it.each(extremeViews)('is read without findings, %s', async (name, view) => {
    const { page, close } = await browser.visit(harness.server, view);
    await observeLayoutShifts(page);
    await page.goto(address());
    await settledPage(page);
    expect(await accessibilityFindings(page)).toEqual([]);
    await expectStableLayout(page);
    await keepPicture(page, `schedule-${name}`);
    await close();
  });

  it('is ended, and the copies stay', async () => {
    const { page, close } = await browser.visit(harness.server);
    await page.goto(address());
    await page.getByRole('button', { name: 'End the schedule' }).click(longTimeout);
    await page.getByRole('alertdialog').getByRole('button', { name: 'End the schedule' }).click();
    await page.getByText('No schedule. Backups are created only on request.').waitFor(longTimeout);
    expect(readdirSync(folder, { recursive: true }).length).toBeGreaterThan(0);
    await close();
  });
});
