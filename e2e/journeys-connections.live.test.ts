import { existsSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFindings, hasChromium, keepPicture, views } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { expectAccessible, runIn } from './fixtures/form-steps.ts';
import { goodCredential } from './fixtures/git-server.ts';
import { getRun } from './fixtures/journey.ts';
import { openRoute } from './fixtures/route.ts';

/** Needs no provider, so that every machine can plan it. */
const module = `variable "title" {
  type = string
}
output "title" {
  value = var.title
}
`;

const wrongToken = 'wrong-horse-battery-staple';

let count = 0;
/** A repository whose host asks for a user name and a password. */
function privateUrl(): string {
  count += 1;
  const { url } = harness.repository(`private-${count}`, { 'main.tf': module });
  return url.replace('/plain/', '/private/');
}

type Listed = { connections: { id: string; status: string }[] };
const listConnections = async () =>
  (await harness.http.get<Listed>(`/api/v1/connections?workspaceId=${harness.workspaceId}`)).body.connections;

async function inspectRepository(page: Page, url: string): Promise<void> {
  await openRoute(page, '/new');
  await page.getByRole('main').getByRole('textbox').first().fill(url);
  await page.keyboard.press('Enter');
}

/** Fills the form of a token and sends it. */
async function giveToken(page: Page, { token, submit }: { token: string; submit: string }): Promise<void> {
  await page.getByLabel('Access token', { exact: true }).fill(token);
  await page.getByLabel(/^User name/).fill(goodCredential.username);
  await page.getByRole('button', { name: submit, exact: true }).click();
}

const storedTexts = (page: Page) =>
  page.evaluate(() => JSON.stringify([Object.entries(sessionStorage), Object.entries(localStorage)]));

describe.skipIf(!hasChromium)('Connections in the dashboard', () => {
  serveBrowsed();

  it('explains Connections while there is none', async () => {
    const { page, close } = await browser.visit(harness.server);
    await page.getByRole('link', { name: 'Connections', exact: true }).click();
    await page.getByRole('heading', { name: 'No Connection yet' }).waitFor();
    await keepPicture(page, 'connections-empty');
    await close();
  });

  it('goes from a refused private repository to a plan, and keeps the token out of the page', async () => {
    const { page, close } = await browser.visit(harness.server);
    await inspectRepository(page, privateUrl());
    await page.getByRole('heading', { name: 'Is this repository private?' }).waitFor({ timeout: 30_000 });
    await keepPicture(page, 'private-refused');
    expect(await accessibilityFindings(page)).toEqual([]);
    await giveToken(page, { token: wrongToken, submit: 'Use it and inspect again' });
    await page.getByRole('heading', { name: 'The host did not accept the access token' }).waitFor({ timeout: 30_000 });
    await keepPicture(page, 'private-wrong-token');
    await page.reload();
    await giveToken(page, { token: goodCredential.password, submit: 'Use it and inspect again' });
    await page.getByLabel(/^title/).fill('kept', { timeout: 30_000 });
    expect(await storedTexts(page)).not.toContain(goodCredential.password);
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 60_000 });
    await page.getByRole('button', { name: 'Apply', exact: true }).waitFor({ timeout: 60_000 });
    const run = await getRun(harness, runIn(page));
    const { body } = await harness.http.get<{ sources: unknown[] }>(
      `/api/v1/sources?workspaceId=${harness.workspaceId}`,
    );
    expect([run.status, body.sources]).toMatchObject([expect.any(String), [{ authConnectionId: expect.any(String) }]]);
    await close();
  });

  it('offers the token of the same host first, with one click', async () => {
    const { page, close } = await browser.visit(harness.server);
    await inspectRepository(page, privateUrl());
    await page.getByRole('button', { name: 'Use it and inspect again' }).waitFor({ timeout: 30_000 });
    await page.getByRole('button', { name: 'Use it and inspect again' }).dblclick();
    await page.getByLabel(/^title/).waitFor({ timeout: 30_000 });
    expect(await listConnections()).toHaveLength(2);
    await close();
  });

  it('shows each error beside its field, and creates one Connection however often the button is pressed', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, '/connections/new?kind=git');
    const before = await listConnections();
    const keep = page.getByRole('button', { name: 'Save token' });
    await keep.click();
    await page.getByText('Paste the access token.').waitFor();
    await page.getByLabel('Access token', { exact: true }).fill('one-good-token');
    await page.getByLabel(/^Repository to test it with/).fill('git@host.example:o/r.git');
    await keep.click();
    await expect.poll(() => page.getByLabel(/^Repository/).getAttribute('aria-invalid')).toBe('true');
    await keepPicture(page, 'connection-refused');
    await page.getByLabel(/^Repository/).fill('https://host.example/o/r.git');
    await page.getByLabel(/^Name/).fill('The shop');
    await keep.dblclick();
    await page.getByRole('heading', { level: 1, name: 'The shop' }).waitFor();
    expect(await listConnections()).toHaveLength(before.length + 1);
    await openRoute(page, '/connections?q=shop');
    await page.getByRole('link', { name: 'The shop' }).waitFor();
    expect(await page.locator('[data-row]').count()).toBe(1);
    await close();
  });

  it('tests a Connection, changes the access of a Source, and revokes it with a list of what is affected', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, '/connections');
    const newest = (await listConnections())[1]?.id ?? '';
    await openRoute(page, `/connections/${newest}`);
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText('The host listed the refs of the repository').waitFor({ timeout: 30_000 });
    expect(await page.locator('body').innerText()).not.toContain(goodCredential.password);
    await keepPicture(page, 'connection');
    await page.getByRole('link', { name: 'private-1' }).first().click();
    await page.getByRole('button', { name: 'Read without it' }).click();
    await page.getByText('Public: read without a token').waitFor();
    await page.getByRole('button', { name: 'Add an access token' }).click();
    await page.getByRole('combobox', { name: 'Access token' }).selectOption(newest);
    await page.getByRole('button', { name: 'Use it', exact: true }).click();
    await page.getByRole('button', { name: 'Read without it' }).waitFor();
    await openRoute(page, `/connections/${newest}`);
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('private-1').waitFor();
    await keepPicture(page, 'connection-revoke');
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('This Connection is revoked').waitFor();
    await close();
  });

  it('restores a Source with a revoked token by a new one, on its own page', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, '/sources');
    await page.getByRole('link', { name: 'private-2' }).click();
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByRole('heading', { name: 'The host did not accept the access token' }).waitFor({ timeout: 30_000 });
    await page.getByRole('button', { name: 'Choose an access token' }).click();
    await page.getByRole('button', { name: 'Add a new token' }).click();
    await keepPicture(page, 'source-refused');
    await giveToken(page, { token: goodCredential.password, submit: 'Use it and sync again' });
    await page.getByText(/Up to date: commit/).waitFor({ timeout: 30_000 });
    await close();
  });

  it.each(views)('is accessible on every screen: %s', async (name, view) => {
    const { page, close } = await browser.visit(harness.server, view);
    const [first] = await listConnections();
    const { body } = await harness.http.get<{ sources: { id: string }[] }>(
      `/api/v1/sources?workspaceId=${harness.workspaceId}`,
    );
    const routes = [
      '/connections',
      '/connections/new',
      `/connections/${first?.id}`,
      `/sources/${body.sources[0]?.id}`,
      '/settings',
    ];
    await expectAccessible(page, { view: name, routes });
    await close();
  });
});

describe.skipIf(!hasChromium)('the vault in the dashboard', () => {
  let keyFile: string;
  const passphrase = 'nine yellow boats at noon';

  serveBrowsed();
  beforeAll(() => {
    keyFile = path.join(harness.server.dataDir, 'keys', 'master.key');
  });

  it('rotates the keys and moves the master key to a passphrase', async () => {
    const { page, close } = await browser.visit(harness.server);
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByText(keyFile).waitFor();
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate', exact: true }).dblclick();
    await page.getByText(/re-encrypted, the last one/).waitFor({ timeout: 30_000 });
    await page.getByRole('radio', { name: /^Passphrase/ }).check();
    await page.getByLabel('New passphrase', { exact: true }).fill(passphrase);
    await page.getByRole('button', { name: 'Move the key' }).click();
    await page.getByText('The passphrases do not match. Type it again.').waitFor();
    await page.getByLabel('Confirm passphrase', { exact: true }).fill(passphrase);
    await page.getByRole('button', { name: 'Move the key' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Create the new key' }).click();
    await page.getByText('The new key is in use.').waitFor({ timeout: 30_000 });
    await keepPicture(page, 'settings-passphrase');
    expect([existsSync(keyFile), await storedTexts(page)]).toEqual([false, expect.not.stringContaining(passphrase)]);
    await close();
  });

  it('is locked at the start, shows the reason, and opens with the passphrase', async () => {
    const { page, close } = await browser.visit(harness.server);
    // Nothing but the stream of the page reports the restart then.
    await page.waitForLoadState('networkidle');
    await harness.server.restart();
    await page.getByRole('heading', { name: 'Ground Control is locked' }).waitFor();
    await page.getByText('It waits for its passphrase.').waitFor();
    await keepPicture(page, 'locked');
    expect(await accessibilityFindings(page)).toEqual([]);
    const open = page.getByRole('button', { name: 'Open', exact: true });
    await page.getByLabel('Operator token', { exact: true }).fill('nonsense');
    await page.getByLabel('Passphrase', { exact: true }).fill('not this one at all');
    await open.click();
    await page.getByText('This is not the operator token of this server.').waitFor();
    await page
      .getByLabel('Operator token', { exact: true })
      .fill(readFileSync(path.join(harness.server.dataDir, 'operator-token'), 'utf8').trim());
    await open.click();
    await page.getByText('Incorrect passphrase.').waitFor({ timeout: 30_000 });
    await page.getByLabel('Passphrase', { exact: true }).fill(passphrase);
    await open.dblclick();
    await page.getByRole('navigation').waitFor({ timeout: 30_000 });
    await close();
  });

  it('continues when the missing key is back, in Japanese on a phone', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, '/settings');
    await page.getByRole('radio', { name: /^Key file/ }).check();
    await page.getByRole('button', { name: 'Move the key' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Create the new key' }).click();
    await page.getByText('The new key is in use.').waitFor({ timeout: 30_000 });
    await close();
    const phone = await browser.visit(harness.server, { dark: true, language: 'ja', width: 390, height: 844 });
    renameSync(keyFile, `${keyFile}.away`);
    await harness.server.restart();
    await phone.page.getByRole('heading', { name: 'Ground Control はロックされています' }).waitFor();
    await phone.page.getByLabel('オペレータートークン', { exact: true }).fill(harness.server.operatorToken);
    await phone.page.getByRole('button', { name: '再試行', exact: true }).click();
    await phone.page.getByText('まだロックされています').waitFor();
    await keepPicture(phone.page, 'dark-ja-narrow-locked');
    expect(await accessibilityFindings(phone.page)).toEqual([]);
    renameSync(`${keyFile}.away`, keyFile);
    await phone.page.getByRole('button', { name: '再試行', exact: true }).click();
    await phone.page.getByRole('navigation').waitFor({ timeout: 30_000 });
    await phone.close();
  });
});
