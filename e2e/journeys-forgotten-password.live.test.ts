import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type MailServer, startMailServer } from '../server/test/mail-server.ts';
import {
  accessibilityFindings,
  extremeViews,
  hasChromium,
  keepPicture,
  shareBrowser,
  type TestBrowser,
} from './fixtures/browser.ts';
import { settledPage } from './fixtures/form-steps.ts';
import { createHttp } from './fixtures/http.ts';
import { startServer, type TestServer } from './fixtures/server.ts';

const password = 'correct horse battery';
const newPassword = 'staple battery horse';
const email = 'ada@example.com';

let mail: MailServer;
let server: TestServer;
let browser: TestBrowser;

describe.skipIf(!hasChromium)('a forgotten password', () => {
  beforeAll(async () => {
    mail = await startMailServer();
    server = await startServer({
      env: { GROUNDCTL_SMTP_URL: `smtp://127.0.0.1:${mail.port}`, GROUNDCTL_SMTP_FROM: 'ground@example.com' },
    });
    const findCode = () => /\/setup#([0-9A-Z-]{14})/.exec(server.log())?.[1];
    await vi.waitFor(() => expect(findCode()).toBeDefined(), { timeout: 10_000 });
    const code = findCode();
    const http = createHttp({ url: server.url, token: '' });
    const { status } = await http.post('/api/v1/auth/setup', { code, email, displayName: 'Ada', password });
    expect(status).toBe(201);
    browser = await shareBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await mail?.close();
  });

  it('is replaced through a link in a mail, which signs in once and opens the account', async () => {
    const { page, close } = await browser.open(`${server.url}/sign-in`);
    await page.getByRole('button', { name: 'Forgot your password?' }).click();
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByText('a link is on its way').waitFor();
    await mail.arrived(1);
    expect(mail.received[0]?.to).toEqual([email]);
    const link = /http:\S+\/sign-in\S+/.exec(mail.received[0]?.text ?? '')?.[0] ?? '';
    await page.goto(link);
    await page.waitForURL(`${server.url}/account`);
    await page.getByLabel('New password', { exact: true }).fill(newPassword);
    await page.getByLabel('Confirm new password', { exact: true }).fill(newPassword);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The password is changed').waitFor();
    // An account with an e-mail chooses mail too.
    await page.getByRole('group', { name: 'By mail' }).getByLabel('My Run fails').check();
    await page.getByRole('button', { name: 'Save notifications' }).click();
    await page.getByText('Saved.').waitFor();
    await page.reload();
    await settledPage(page);
    expect(await page.getByRole('group', { name: 'By mail' }).getByLabel('My Run fails').isChecked()).toBe(true);
    expect(await accessibilityFindings(page)).toEqual([]);
    await close();

    const again = await browser.open(`${server.url}/sign-in`);
    await again.page.getByLabel('E-mail').fill(email);
    await again.page.getByLabel('Password', { exact: true }).fill(newPassword);
    await again.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await again.page.getByRole('navigation').waitFor();
    await again.close();
    const late = await browser.open(link);
    await late.page.getByText('This sign-in link was used already').waitFor();
    await late.close();
  });

  it.each(extremeViews)('is requested on an accessible page: %s', async (name, view) => {
    const { page, close } = await browser.open(`${server.url}/sign-in`, view);
    const isJapanese = view.language === 'ja';
    await page.getByRole('button', { name: isJapanese ? 'パスワードを忘れた場合' : 'Forgot your password?' }).click();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByLabel(isJapanese ? 'メールアドレス' : 'E-mail').fill('nobody@example.com');
    await page.getByRole('button', { name: isJapanese ? 'リンクを送信' : 'Send the link' }).click();
    await page
      .getByRole('status')
      .getByText(isJapanese ? 'リンクをお送りします' : 'a link is on its way')
      .waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, `forgotten-password-${name.replaceAll(' ', '-')}`);
    await close();
    expect(mail.received).toHaveLength(1);
  });
});
