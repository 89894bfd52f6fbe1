import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findKeyringUnavailableReason, type Keyring, startKeyring } from '../server/test/keyring.ts';
import { accessibilityFindings, hasChromium, keepPicture, shareBrowser, type TestBrowser } from './fixtures/browser.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';

const unavailableReason = hasChromium ? findKeyringUnavailableReason() : 'no browser';

describe.skipIf(unavailableReason)(
  `a key in the keychain of the machine${unavailableReason ? ` (${unavailableReason})` : ''}`,
  () => {
    let keyring: Keyring;
    let harness: Harness;
    let browser: TestBrowser;
    beforeAll(async () => {
      keyring = await startKeyring();
      const { DBUS_SESSION_BUS_ADDRESS = '', XDG_RUNTIME_DIR = '' } = keyring.env;
      harness = await startHarness({
        env: { GROUNDCTL_KEY_SOURCE: 'keychain', DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR },
      });
      browser = await shareBrowser();
    });
    afterAll(async () => {
      await browser?.close();
      await harness?.stop();
      await keyring?.close();
    });

    it('is shown in the settings, and is not in any file', async () => {
      const { page, close } = await browser.visit(harness.server);
      await page.getByRole('link', { name: 'Settings', exact: true }).click();
      const chosen = page.getByRole('radio', { name: /^Keychain of this machine/ });
      await chosen.waitFor();
      expect(await chosen.isChecked()).toBe(true);
      await keepPicture(page, 'settings-keychain');
      expect(existsSync(path.join(harness.server.dataDir, 'keys', 'master.key'))).toBe(false);
      await close();
    });

    it('locks the server while the keychain is locked at its start, and opens it once that is unlocked', async () => {
      const { page, close } = await browser.visit(harness.server);
      await keyring.lock();
      await harness.server.restart();
      await page.goto(harness.server.url);
      await page.getByRole('heading', { name: 'Ground Control is locked' }).waitFor();
      await page.getByText('The keychain of this machine is locked. Unlock it, then try again.').waitFor();
      await keepPicture(page, 'locked-keychain');
      expect(await accessibilityFindings(page)).toEqual([]);
      await page.getByLabel('Operator token', { exact: true }).fill(harness.server.operatorToken);
      await page.getByRole('button', { name: 'Try again', exact: true }).click();
      await page.getByText('It is still locked').waitFor({ timeout: 30_000 });
      await keyring.unlock();
      await page.getByRole('button', { name: 'Try again', exact: true }).click();
      await page.getByRole('navigation').waitFor({ timeout: 30_000 });
      expect((await harness.http.get(`/api/v1/connections?workspaceId=${harness.workspaceId}`)).status).toBe(200);
      await close();
    });
  },
);
