import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  accessibilityFindings,
  hasChromium,
  keepPicture,
  startBrowser,
  type TestBrowser,
  type View,
} from './fixtures/browser.ts';
import { depth } from './fixtures/depth.ts';
import { type Ground, startGround } from './fixtures/ground.ts';

if (!hasChromium)
  process.stderr.write('\n!! The journeys of credentials are skipped: there is no chromium on this machine.\n\n');

const ends: [string, View][] = [
  ['light', {}],
  ['dark ja narrow', { dark: true, language: 'ja', width: 390, height: 844 }],
];
const others: [string, View][] = [
  ['dark', { dark: true }],
  ['ja', { language: 'ja' }],
  ['narrow', { width: 390, height: 844 }],
];
const views = depth({ quick: ends, deep: [...ends, ...others] });
const secret = 'canary-horse-battery-staple-9';

let ground: Ground;
let browser: TestBrowser;

type Listed = { connections: { id: string; status: string; envNames: string[]; displayName?: string }[] };
const listConnections = async () =>
  (await ground.http.get<Listed>(`/api/v1/connections?workspaceId=${ground.workspaceId}`)).body.connections;

/** Everywhere in the page and its storages that a value could have stayed. */
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
const open = (page: Page, place: string) => page.goto(ground.server.url + place);
const keyFile = (name: string, content: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });

describe.skipIf(!hasChromium)('credentials of providers in the dashboard', () => {
  beforeAll(async () => {
    ground = await startGround({ providers: true });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await ground?.stop();
  });

  it('finds a recipe by keyboard, tells what is wrong at its field, and keeps the values from the page', async () => {
    const { page, close } = await browser.visit(ground.server);
    await open(page, '/connections/new');
    await page.getByRole('searchbox').waitFor();
    await keepPicture(page, 'recipes');
    await page.keyboard.type('hashicorp/aws');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const keep = page.getByRole('button', { name: 'Keep and test' });
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
    await page.getByText('It is complete, and everything in it reads as it should').waitFor();
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
    const { page, close } = await browser.visit(ground.server);
    await open(page, '/connections/new?recipe=google');
    const chooser = page.locator('input[type=file]');
    await chooser.setInputFiles(keyFile('photo.json', 'a\0b'));
    await page.getByText('This is no text file.').waitFor();
    await chooser.setInputFiles(keyFile('key.json', `{"private_key": "${secret}"`));
    await page.getByText('key.json').waitFor();
    expect(await heldTexts(page)).not.toContain(secret);
    await keepPicture(page, 'recipe-file');
    await page.getByRole('button', { name: 'Keep and test' }).click();
    await page.getByText('This Connection failed its last test').waitFor();
    await page.getByText(/does not read as what it should be/).waitFor();
    await keepPicture(page, 'recipe-file-failed');
    await open(page, '/connections/new?recipe=kubernetes');
    await page.getByRole('button', { name: 'Paste its text' }).click();
    await page.keyboard.insertText(`apiVersion: v1\nkind: Config\n# ${secret}\n`);
    await page.getByRole('button', { name: 'Use this text' }).click();
    await page.getByText('kubeconfig.yaml').waitFor();
    expect(await heldTexts(page)).not.toContain(secret);
    await close();
  });

  it('takes variables and files of a provider that has no recipe, by their names', async () => {
    const { page, close } = await browser.visit(ground.server);
    await open(page, '/connections/new?recipe=generic-env');
    await page.getByLabel('Provider', { exact: true }).fill('acme/cloud');
    await page.getByLabel('Variable', { exact: true }).fill('PATH');
    await page.getByLabel('Value', { exact: true }).fill(secret);
    await page.getByRole('button', { name: 'Keep and test' }).click();
    await page.getByText(/Not a name that can be given/).waitFor();
    await page.getByLabel('Variable', { exact: true }).fill('ACME_TOKEN');
    await page.getByRole('button', { name: 'Add a file' }).click();
    await page.getByLabel('Variable that holds the path').fill('ACME_KEY_FILE');
    await page.locator('input[type=file]').setInputFiles(keyFile('my key.pem', 'plain text'));
    await page.locator('summary', { hasText: 'Settings of the provider' }).click();
    await page.getByRole('button', { name: 'Add a setting' }).click();
    await page.getByLabel('Argument').fill('region');
    await page.getByLabel('Value', { exact: true }).last().fill('eu-1');
    await keepPicture(page, 'recipe-own');
    await page.getByRole('button', { name: 'Keep and test' }).click();
    await page.getByText('ACME_KEY_FILE').waitFor();
    await page.getByText('eu-1').waitFor();
    await keepPicture(page, 'recipe-own-kept');
    expect(await heldTexts(page)).not.toContain(secret);
    await close();
  });

  it('tells how a sign-in at another place has ended', async () => {
    const { page, close } = await browser.visit(ground.server);
    await open(page, '/connections?connection_error=missing_code');
    await page.getByText('The sign-in did not come to an end').waitFor();
    const [first] = await listConnections();
    await open(page, `/connections?connected=1&connection_id=${first?.id}&connection_status=pending`);
    await page.getByRole('link', { name: 'Open it' }).click();
    await page.getByRole('heading', { level: 1, name: 'The shop' }).waitFor();
    await close();
  });

  it.each(views)('is accessible on every screen: %s', async (name, view) => {
    const { page, close } = await browser.visit(ground.server, view);
    const [first] = await listConnections();
    const places = [
      '/connections',
      '/connections/new',
      '/connections/new?recipe=aws',
      '/connections/new?recipe=kubernetes',
      '/connections/new?recipe=generic-env',
      `/connections/${first?.id}`,
    ];
    for (const place of places) {
      await open(page, place);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expect.poll(() => page.locator('.animate-pulse').count()).toBe(0);
      expect([place, await accessibilityFindings(page)]).toEqual([place, []]);
      await keepPicture(
        page,
        `${name.replaceAll(' ', '-')}${place.replaceAll(/[/?=]/g, '-').replace(/_[0-9A-Z]{26}/, '')}`,
      );
    }
    await close();
  });
});
