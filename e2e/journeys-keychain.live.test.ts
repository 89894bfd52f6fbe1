import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findKeyringObstacle, type Keyring, startKeyring } from '../server/test/keyring.ts';
import { accessibilityFindings, hasChromium, keepPicture, startBrowser, type TestBrowser } from './fixtures/browser.ts';
import { type Ground, startGround } from './fixtures/ground.ts';

const obstacle = hasChromium ? findKeyringObstacle() : 'no browser';

describe.skipIf(obstacle)(`a key in the keychain of the machine${obstacle ? ` (${obstacle})` : ''}`, () => {
  let keyring: Keyring;
  let ground: Ground;
  let browser: TestBrowser;
  beforeAll(async () => {
    keyring = await startKeyring();
    const { DBUS_SESSION_BUS_ADDRESS = '', XDG_RUNTIME_DIR = '' } = keyring.env;
    ground = await startGround({
      env: { GROUNDCTL_KEY_SOURCE: 'keychain', DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR },
    });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await ground?.stop();
    await keyring?.close();
  });

  it('is named by the settings, and lies in no file', async () => {
    const { page, close } = await browser.visit(ground.server);
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    const chosen = page.getByRole('radio', { name: /^Keychain of this machine/ });
    await chosen.waitFor();
    expect(await chosen.isChecked()).toBe(true);
    await keepPicture(page, 'settings-keychain');
    expect(existsSync(path.join(ground.server.dataDir, 'keys', 'master.key'))).toBe(false);
    await close();
  });

  it('locks the server while the keychain is locked at its start, and opens it once that is unlocked', async () => {
    const { page, close } = await browser.visit(ground.server);
    await keyring.lock();
    await ground.server.restart();
    await page.goto(ground.server.url);
    await page.getByRole('heading', { name: 'Ground Control is locked' }).waitFor();
    await page.getByText('The keychain of this machine is locked. Unlock it, then try again.').waitFor();
    await keepPicture(page, 'locked-keychain');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByLabel('Operator token', { exact: true }).fill(ground.server.operatorToken);
    await page.getByRole('button', { name: 'Try again', exact: true }).click();
    await page.getByText('It is still locked').waitFor({ timeout: 30_000 });
    await keyring.unlock();
    await page.getByRole('button', { name: 'Try again', exact: true }).click();
    await page.getByRole('navigation').waitFor({ timeout: 30_000 });
    expect((await ground.http.get(`/api/v1/connections?workspaceId=${ground.workspaceId}`)).status).toBe(200);
    await close();
  });
});
