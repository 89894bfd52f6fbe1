import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFindings, hasChromium, keepPicture, views } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import {
  type CodeHost,
  keepToken,
  startCodeHost,
  twoAccounts,
  waiting,
  writeFakeCloud,
} from './fixtures/fake-cloud.ts';
import { expectAccessible, runIn } from './fixtures/form-steps.ts';
import { getRun, installPlanned, startApply } from './fixtures/journey.ts';
import { openRoute } from './fixtures/route.ts';

const secret = 'canary-horse-battery-staple-9';

let codeHost: CodeHost;

type Listed = { connections: { id: string; status: string; envNames: string[]; displayName?: string }[] };
const listConnections = async () =>
  (await harness.http.get<Listed>(`/api/v1/connections?workspaceId=${harness.workspaceId}`)).body.connections;

/** Every part of the page and its storage that could have kept a value. */
const heldTexts = (page: Page) =>
  page.evaluate(() =>
    JSON.stringify([
      Object.entries(sessionStorage),
      Object.entries(localStorage),
      document.documentElement.outerHTML,
      [...document.querySelectorAll('input, textarea')].map((one) => (one as HTMLInputElement).value),
      history.state,
      location.href,
    ]),
  );
const open = (page: Page, route: string) => openRoute(page, route);
const keyFile = (name: string, content: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });

describe.skipIf(!hasChromium)('credentials of providers in the dashboard', () => {
  // One Run at a time, so that another one waits.
  serveBrowsed({ providers: true, env: { GROUNDCTL_CONCURRENT_RUNS: '1' } });
  beforeAll(async () => {
    codeHost = await startCodeHost(secret);
    writeFakeCloud(harness, codeHost);
  });
  afterAll(() => codeHost?.close());

  it('finds a recipe by keyboard, shows errors at their fields, and keeps the values out of the page', async () => {
    const { page, close } = await browser.visit(harness.server);
    await open(page, '/connections/new');
    await page.getByRole('searchbox').waitFor();
    await keepPicture(page, 'recipes');
    await page.keyboard.type('hashicorp/aws');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const keep = page.getByRole('button', { name: 'Save and test' });
    await keep.waitFor();
    await page.keyboard.type('AKIAEXAMPLEKEY123456');
    await page.keyboard.press('Enter');
    const missing = page.getByLabel('Secret access key', { exact: true });
    await expect.poll(() => missing.evaluate((one) => one === document.activeElement)).toBe(true);
    await keepPicture(page, 'recipe-missing');
    await page.keyboard.type(secret);
    await page.getByLabel(/^Name/).fill(`mine ${secret}`);
    await keep.click();
    await page.getByText(/looks like a secret/).waitFor();
    await expect.poll(() => page.getByLabel(/^Name/).evaluate((one) => one === document.activeElement)).toBe(true);
    await keepPicture(page, 'recipe-refused');
    await page.getByLabel(/^Name/).fill('The shop');
    await keep.dblclick();
    await page.getByRole('heading', { level: 1, name: 'The shop' }).waitFor();
    await page.getByText('The values are complete and readable').waitFor();
    await keepPicture(page, 'recipe-kept');
    expect(await heldTexts(page)).not.toContain(secret);
    await page.goBack();
    expect(await heldTexts(page)).not.toContain(secret);
    expect(await listConnections()).toMatchObject([
      { status: 'verified', envNames: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] },
    ]);
    await close();
  });

  it('takes files by choosing, dropping and pasting, and shows only their name and size', async () => {
    const { page, close } = await browser.visit(harness.server);
    await open(page, '/connections/new?recipe=google');
    const chooser = page.locator('input[type=file]');
    await chooser.setInputFiles(keyFile('photo.json', 'a\0b'));
    await page.getByText('This is not a text file.').waitFor();
    await chooser.setInputFiles(keyFile('key.json', `{"private_key": "${secret}"`));
    await page.getByText('key.json').waitFor();
    expect(await heldTexts(page)).not.toContain(secret);
    await keepPicture(page, 'recipe-file');
    await page.getByRole('button', { name: 'Save and test' }).click();
    await page.getByText('This Connection failed its last test').waitFor();
    await page.getByText(/is not valid for its format/).waitFor();
    await keepPicture(page, 'recipe-file-failed');
    await open(page, '/connections/new?recipe=kubernetes');
    const dropped = await page.evaluateHandle((text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], 'dropped.yaml'));
      return data;
    }, `apiVersion: v1\n# ${secret}`);
    await page.getByRole('button', { name: 'Choose a file' }).dispatchEvent('drop', { dataTransfer: dropped });
    await page.getByText('dropped.yaml').waitFor();
    await dropped.dispose();
    expect(await heldTexts(page)).not.toContain(secret);
    await page.getByRole('button', { name: 'Remove file' }).click();
    await page.getByRole('button', { name: 'Paste its text' }).click();
    await page.keyboard.insertText(`apiVersion: v1\nkind: Config\n# ${secret}\n`);
    await page.getByRole('button', { name: 'Use this text' }).click();
    await page.getByText('kubeconfig.yaml').waitFor();
    expect(await heldTexts(page)).not.toContain(secret);
    await close();
  });

  it('accepts variables and files of a provider without a recipe, by their names', async () => {
    const { page, close } = await browser.visit(harness.server);
    await open(page, '/connections/new?recipe=generic-env');
    await page.getByLabel('Provider', { exact: true }).fill('acme/cloud');
    await page.getByLabel('Variable', { exact: true }).fill('PATH');
    await page.getByLabel('Value', { exact: true }).fill(secret);
    await page.getByRole('button', { name: 'Save and test' }).click();
    await page.getByText(/This name is not allowed/).waitFor();
    await page.getByLabel('Variable', { exact: true }).fill('ACME_TOKEN');
    await page.getByRole('button', { name: 'Add a file' }).click();
    await page.getByLabel('Variable that holds the path').fill('ACME_KEY_FILE');
    await page.locator('input[type=file]').setInputFiles(keyFile('my key.pem', 'plain text'));
    await page.locator('summary', { hasText: 'Settings of the provider' }).click();
    await page.getByRole('button', { name: 'Add a setting' }).click();
    await page.getByLabel('Argument').fill('region');
    await page.getByLabel('Value', { exact: true }).last().fill('eu-1');
    await keepPicture(page, 'recipe-own');
    await page.getByRole('button', { name: 'Save and test' }).click();
    await page.getByText('ACME_KEY_FILE').waitFor();
    await page.getByText('eu-1').waitFor();
    await keepPicture(page, 'recipe-own-kept');
    expect(await heldTexts(page)).not.toContain(secret);
    await close();
  });

  it('shows the result of an OAuth sign-in', async () => {
    const { page, close } = await browser.visit(harness.server);
    await open(page, '/connections?connection_error=missing_code');
    await page.getByText('The sign-in was not completed').waitFor();
    const [first] = await listConnections();
    await open(page, `/connections?connected=1&connection_id=${first?.id}&connection_status=pending`);
    await page.getByRole('link', { name: 'Open it' }).click();
    await page.getByRole('heading', { level: 1, name: 'The shop' }).waitFor();
    await close();
  });

  it('shows missing Connections before the plan, creates one there and keeps the entered values', async () => {
    const { page, close } = await browser.visit(harness.server);
    const { url } = harness.repository('shop', { 'main.tf': twoAccounts });
    await keepToken(harness, { displayName: 'Plain one', token: 'a-token-that-is-one', isPlain: true });
    await keepToken(harness, { displayName: 'Plain two', token: 'a-token-that-is-two', isPlain: true });
    await open(page, '/new');
    await page.getByRole('main').getByRole('textbox').first().fill(url);
    await page.keyboard.press('Enter');
    await page.getByLabel(/^title/).fill('typed before', { timeout: 30_000 });
    const east = page.getByRole('combobox', { name: 'fake', exact: true });
    const west = page.getByRole('combobox', { name: 'fake.west', exact: true });
    await page.getByText('It needs a Connection and has none.').first().waitFor();
    await keepPicture(page, 'bindings-missing');
    expect(await accessibilityFindings(page)).toEqual([]);
    await east.selectOption({ label: 'Plain one' });
    await west.selectOption({ label: 'Plain two' });
    await page.getByText('Two Connections set the same variable to different values').first().waitFor();
    await keepPicture(page, 'bindings-conflict');
    await east.selectOption('');
    await west.selectOption('');
    await page.getByText('It needs a Connection and has none.').nth(1).waitFor();
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByText('Choose usable Connections first').waitFor();
    await expect.poll(() => east.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await expect
      .poll(() => dialog.getByLabel('Token', { exact: true }).evaluate((one) => one === document.activeElement))
      .toBe(true);
    await page.keyboard.type(secret);
    await keepPicture(page, 'bindings-new');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Provides FAKE_TOKEN').waitFor();
    await west.selectOption({ label: 'Fake cloud' });
    await page.getByText('What the plan can reach').click();
    await page
      .getByText(/downloaded before that/)
      .first()
      .waitFor();
    await keepPicture(page, 'bindings-chosen');
    expect(await page.getByLabel(/^title/).inputValue()).toBe('typed before');
    expect(await heldTexts(page)).not.toContain(secret);
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 60_000 });
    await page.getByRole('button', { name: 'Apply', exact: true }).waitFor({ timeout: 60_000 });
    await page.getByText('Credentials of this Run').click();
    await page.getByRole('link', { name: 'Fake cloud' }).first().waitFor();
    await keepPicture(page, 'run-credentials');
    const run = await getRun(harness, runIn(page));
    expect(run.providerResolutions).toMatchObject([
      { status: 'resolved_provider_connection' },
      { status: 'resolved_provider_connection', requirement: { alias: 'west' } },
    ]);
    await close();
  });

  it('changes the Connections of a Capsule by a plan', async () => {
    const { page, close } = await browser.visit(harness.server);
    await keepToken(harness, { displayName: 'Other account', token: 'another-token-of-the-west' });
    await open(page, '/capsules');
    await page.getByRole('link', { name: 'shop', exact: true }).click();
    await page.getByRole('link', { name: 'Configuration', exact: true }).click();
    await page.getByRole('link', { name: 'Fake cloud' }).first().waitFor();
    await keepPicture(page, 'capsule-credentials');
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'fake.west' }).selectOption({ label: 'Other account' });
    await dialog.getByText('What the plan can reach').click();
    await dialog.getByText('fake.west: token').waitFor();
    await keepPicture(page, 'capsule-change');
    expect(await accessibilityFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Plan with these' }).dblclick();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 60_000 });
    await page.getByRole('button', { name: 'Apply', exact: true }).waitFor({ timeout: 60_000 });
    await page.getByText('Credentials of this Run').click();
    await page.getByRole('link', { name: 'Other account' }).first().waitFor();
    await close();
  });

  it('names what a revocation stops, and links from a plan that can no longer be applied to other Connections', async () => {
    const { page, close } = await browser.visit(harness.server);
    await open(page, '/runs');
    await page.getByRole('link', { name: /Plan/ }).first().click();
    await page.waitForURL(/\/runs\/plan_/);
    const planPage = page.url();
    await open(page, '/connections');
    await page.getByRole('link', { name: 'Other account' }).click();
    const bound = page.getByRole('table', { name: 'Capsules that use it' });
    await bound.getByRole('link', { name: 'shop' }).waitFor();
    const uses = page.getByRole('table', { name: 'Runs that used it' }).getByRole('row');
    const use = uses.filter({ has: page.getByRole('link', { name: 'shop' }) });
    await use.filter({ hasText: 'FAKE_TOKEN' }).filter({ hasText: 'plan_' }).first().waitFor();
    await keepPicture(page, 'connection-bound');
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('shop (default)').waitFor();
    await keepPicture(page, 'connection-bound-revoke');
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('This Connection is revoked').waitFor();
    await page.goto(planPage);
    await page.getByText('A Connection of this plan cannot be used any more').waitFor();
    expect(await page.getByRole('button', { name: 'Apply', exact: true }).isDisabled()).toBe(true);
    await keepPicture(page, 'run-revoked');
    await page.getByRole('link', { name: 'Choose Connections' }).click();
    await page.getByText('A provider has no Connection that can be used').waitFor();
    await keepPicture(page, 'capsule-revoked');
    await page.getByRole('button', { name: 'Choose Connections' }).click();
    await page.getByRole('dialog').getByText('The chosen Connection is revoked.').first().waitFor();
    await keepPicture(page, 'capsule-change-revoked');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add a Connection for fake.west' }).click();
    await page.getByLabel('Token', { exact: true }).fill(secret);
    await page.getByLabel(/^Name/).fill('Third account');
    await page.getByRole('button', { name: 'Save and use' }).click();
    await expect
      .poll(() => page.getByRole('combobox', { name: 'fake.west' }).locator('option:checked').innerText())
      .toBe('Third account');
    await page.getByRole('button', { name: 'Plan with these' }).click();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 60_000 });
    await page.getByRole('button', { name: 'Apply', exact: true }).click({ timeout: 60_000 });
    await page.waitForURL(/\/runs\/apply_/, { timeout: 60_000 });
    await page.getByText('Credentials of this Run').waitFor();
    await page.getByText('Succeeded', { exact: true }).first().waitFor({ timeout: 60_000 });
    await close();
  });

  it('ends a queued Run whose Connection is revoked, and shows the remedy', async () => {
    const { page, close } = await browser.visit(harness.server);
    const { url } = harness.repository('slow', { 'main.tf': waiting });
    const { capsuleId, plan } = await installPlanned(harness, { url, name: 'slow' });
    const apply = await startApply(harness, plan);
    await expect.poll(async () => (await getRun(harness, apply.id)).status, { timeout: 30_000 }).toBe('running');
    await open(page, '/capsules');
    await page.getByRole('link', { name: 'shop', exact: true }).click();
    await page.getByRole('button', { name: 'Plan the same commit' }).click();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 60_000 });
    await page.getByText('Queued', { exact: true }).first().waitFor();
    const third = (await listConnections()).find(({ displayName }) => displayName === 'Third account');
    await harness.http.post(`/api/v1/connections/${third?.id}/revoke`);
    writeFileSync(path.join(harness.server.dataDir, 'capsules', capsuleId, 'tree', 'gate'), '');
    await page
      .getByText(/The Connection bound to \S+ was revoked/)
      .first()
      .waitFor({ timeout: 60_000 });
    await keepPicture(page, 'run-not-ready');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Choose Connections' }).click();
    await page.getByText('A provider has no Connection that can be used').waitFor();
    await close();
  });

  it('signs in at an OAuth provider, and returns to the entered values', async () => {
    const { page, close } = await browser.visit(harness.server);
    const { url } = harness.repository('signed-in', { 'main.tf': twoAccounts });
    await open(page, '/new');
    await page.getByRole('main').getByRole('textbox').first().fill(url);
    await page.keyboard.press('Enter');
    await page.getByLabel(/^title/).fill('typed before', { timeout: 30_000 });
    await page.getByRole('button', { name: 'Add a Connection for fake', exact: true }).click();
    await page.getByRole('button', { name: 'Sign in with fake' }).click();
    await page.getByText('You are signed in, and the Connection is saved.').waitFor({ timeout: 30_000 });
    await keepPicture(page, 'signed-in');
    expect(await heldTexts(page)).not.toContain(secret);
    await page.getByRole('link', { name: 'Continue where you were' }).click();
    await page.getByLabel(/^title/).waitFor({ timeout: 30_000 });
    expect(await page.getByLabel(/^title/).inputValue()).toBe('typed before');
    await page.getByRole('combobox', { name: 'fake', exact: true }).selectOption({ label: 'Fake cloud 2' });
    await page.getByText('Provides FAKE_TOKEN').waitFor();
    await close();
  });

  it.each(views)('is accessible on every screen: %s', async (name, view) => {
    const { page, close } = await browser.visit(harness.server, view);
    const [first] = await listConnections();
    const [{ id: planRunId = '', capsuleId = '' } = {}] = (
      await harness.http.get<{ runs: { id: string; capsuleId?: string }[] }>(
        `/api/v1/workspaces/${harness.workspaceId}/runs?type=plan`,
      )
    ).body.runs;
    const routes = [
      '/connections',
      '/connections/new',
      '/connections/new?recipe=aws',
      '/connections/new?recipe=kubernetes',
      '/connections/new?recipe=generic-env',
      `/connections/${first?.id}`,
      `/capsules/${capsuleId}`,
      `/capsules/${capsuleId}/configuration`,
      `/runs/${planRunId}`,
    ];
    await expectAccessible(page, { view: name, routes });
    await close();
  });
});
