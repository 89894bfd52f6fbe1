import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  accessibilityFindings,
  extremeViews,
  hasChromium,
  keepPicture,
  shareBrowser,
  signInLink,
  type TestBrowser,
} from './fixtures/browser.ts';
import { startServer, type TestServer } from './fixtures/server.ts';

const longTimeout = { timeout: 60_000 };
const password = 'correct horse battery';
const newPassword = 'staple battery horse';

let server: TestServer;
let browser: TestBrowser;

/** The set-up link that the server printed at its latest start. */
const setupLink = (): string =>
  server
    .log()
    .match(/Set up the owner with: (\S+)/g)
    ?.at(-1)
    ?.split(': ')[1] ?? '';

describe.skipIf(!hasChromium)('a small team', () => {
  beforeAll(async () => {
    server = await startServer();
    browser = await shareBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('sets a server up by its console link, invites a person, assigns a role and removes the person', async () => {
    const visitor = await browser.open(server.url);
    await visitor.page.getByText('This server has no password yet').waitFor(longTimeout);
    await keepPicture(visitor.page, 'team-fresh');
    await visitor.close();

    expect(setupLink()).toMatch(/\/setup#[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$/);
    const ada = await browser.open(setupLink());
    await ada.page.getByLabel('Your name').fill('Ada');
    await ada.page.getByLabel('E-mail').fill('ada@example.com');
    await ada.page.getByLabel('Password', { exact: true }).fill('short');
    await ada.page.getByRole('button', { name: 'Set up' }).click();
    await ada.page.getByText('Write at least 12 characters.').waitFor(longTimeout);
    await ada.page.getByText('1 field needs a correction').waitFor();
    await ada.page.getByRole('button', { name: 'Password', exact: true }).click();
    expect(await ada.page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('password');
    await keepPicture(ada.page, 'team-setup-refused');
    expect(await accessibilityFindings(ada.page)).toEqual([]);
    await ada.page.getByLabel('Password', { exact: true }).fill(password);
    await keepPicture(ada.page, 'team-setup');
    await ada.page.getByRole('button', { name: 'Set up' }).click();
    await ada.page.getByRole('link', { name: 'Members' }).click(longTimeout);

    await ada.page.getByText('The only owner').waitFor(longTimeout);
    await ada.page.getByLabel('E-mail').fill('Grace@example.com');
    await ada.page.getByRole('combobox', { name: 'Role', exact: true }).selectOption('viewer');
    await ada.page.getByRole('button', { name: 'Add', exact: true }).click();
    const link = (await ada.page.getByTestId('invitation').textContent(longTimeout)) ?? '';
    expect(link).toMatch(/\/invite#svcinv_[\w-]{43}$/);
    await keepPicture(ada.page, 'team-invited');

    const grace = await browser.open(link);
    await grace.page.getByRole('heading', { name: 'Join Main' }).waitFor(longTimeout);
    await grace.page.getByText('Ada invited grace@example.com to this Workspace.').waitFor(longTimeout);
    await grace.page.getByLabel('Your name').fill('Grace');
    await grace.page.getByLabel('Password', { exact: true }).fill(password);
    expect(await accessibilityFindings(grace.page)).toEqual([]);
    await keepPicture(grace.page, 'team-invitation');
    await grace.page.getByRole('button', { name: 'Accept the invitation' }).click();
    await grace.page.getByRole('navigation').waitFor(longTimeout);

    // No one reloads the page of the owner: the stream reports that she joined.
    const row = ada.page.getByRole('listitem').filter({ hasText: 'grace@example.com' });
    await row.getByText('Active', { exact: true }).waitFor(longTimeout);
    await row.getByRole('combobox').selectOption('admin');
    await grace.page.getByRole('link', { name: 'Members' }).click();
    await grace.page.getByRole('heading', { name: 'Add member' }).waitFor(longTimeout);
    await grace.page.getByText('Only owners change roles').waitFor(longTimeout);
    await keepPicture(grace.page, 'team-admin');

    await row.getByRole('button', { name: 'Remove Grace' }).click();
    await ada.page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await grace.page.getByText('You are no longer a member of').waitFor(longTimeout);
    await keepPicture(grace.page, 'team-removed');
    await ada.page.getByText('1 removed member').waitFor(longTimeout);
    const used = await browser.open(link);
    await used.page.getByText('This invitation is no longer valid').waitFor(longTimeout);
    expect(await used.page.getByLabel('Your name').count()).toBe(0);
    await Promise.all([used.close(), grace.close(), ada.close()]);
  });

  it('signs in by password to the requested page, ends other sessions and changes the password', async () => {
    const first = await browser.open(`${server.url}/account`);
    await first.page.getByLabel('E-mail').fill('ada@example.com');
    await first.page.getByLabel('Password', { exact: true }).fill('not the password');
    await first.page.getByRole('button', { name: 'Sign in' }).click();
    await first.page.getByText('Incorrect e-mail or password').waitFor(longTimeout);
    await keepPicture(first.page, 'team-wrong-password');
    await first.page.getByLabel('Password', { exact: true }).fill(password);
    await first.page.getByRole('button', { name: 'Sign in' }).click();
    await first.page.getByRole('heading', { name: 'Your account' }).waitFor(longTimeout);

    const second = await browser.visit(server);
    await second.page.getByRole('link', { name: 'Your account' }).click();
    await second.page.getByText('this one').waitFor(longTimeout);
    await second.page.getByRole('button', { name: 'Sign out other sessions' }).click();
    await second.page.getByRole('alertdialog').getByRole('button', { name: 'Sign out other sessions' }).click();
    // The other page learns that its session has ended without a reload.
    await first.page.getByRole('button', { name: 'Sign in' }).waitFor(longTimeout);

    const { page } = second;
    await page.getByLabel('Current password', { exact: true }).fill(password);
    await page.getByLabel('New password', { exact: true }).fill(newPassword);
    await page.getByLabel('Confirm new password', { exact: true }).fill(newPassword);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The password is changed').waitFor(longTimeout);
    await keepPicture(page, 'team-account');
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor(longTimeout);
    await Promise.all([first.close(), second.close()]);
  });

  it('signs in by a fresh link that is opened after a used one', async () => {
    const { page, close } = await browser.open(`${server.url}/sign-in#spent`);
    await page.getByText('This sign-in link was used already').waitFor(longTimeout);
    await page.goto(await signInLink(server));
    await page.getByRole('navigation').waitFor(longTimeout);
    await close();
  });

  it.each(extremeViews)('is accessible: %s', async (name, view) => {
    const { page, close } = await browser.visit(server, view);
    for (const route of ['account', 'members']) {
      await page.goto(`${server.url}/${route}`);
      await page.getByRole('list').last().getByRole('listitem').first().waitFor(longTimeout);
      expect(await accessibilityFindings(page)).toEqual([]);
      await keepPicture(page, `team-${route}-${name.replaceAll(' ', '-')}`);
    }
    await close();
    const out = await browser.open(`${server.url}/sign-in?error=login_not_allowed`, view);
    await out.page.locator('form').waitFor(longTimeout);
    expect(await accessibilityFindings(out.page)).toEqual([]);
    await keepPicture(out.page, `team-sign-in-${name.replaceAll(' ', '-')}`);
    await out.close();
  });
});
