import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { hasDisplay } from '#shared/display';
import { type AttackedDesktop, expectNoAttackSucceeds } from './fixtures/desktop-attacks.ts';
import { openWork } from './fixtures/electron-shim/work.ts';
import { killLeftovers } from './fixtures/leftovers.ts';
import { departingAnswers, startMaliciousServer } from './fixtures/malicious-server.ts';

/** Electron's own program, which npm does not include: `npx install-electron` downloads it. */
function findElectron(): string | undefined {
  const folder = path.join(repositoryRoot, 'node_modules/electron');
  const named = path.join(folder, 'path.txt');
  const program = existsSync(named) ? path.join(folder, 'dist', readFileSync(named, 'utf8')) : '';
  return existsSync(program) ? program : undefined;
}

const program = findElectron() ?? '';
const isShown = hasDisplay(process.env, process.platform);
const canRun = program !== '' && isShown;
const skipped = canRun
  ? [
      'clicks on the tray, on notifications, in native menus and dialogs: a program cannot make them',
      'real sleep, login and drops from the file manager: they belong to the session of a person',
      ...(process.platform === 'darwin' ? [] : ['the Dock and its badge: only macOS has them']),
      ...(process.platform === 'win32' ? [] : ['the jump list and the taskbar overlay: only Windows has them']),
      'links of the system: they need an installed package',
      'certificates of saved servers: the system would have to trust an authority of the tests',
    ]
  : [`everything: there is ${program === '' ? 'no Electron program (npx install-electron)' : 'no display'}`];
process.stderr.write(`\n!! The real desktop. Skipped here:\n${skipped.map((line) => `!!   ${line}\n`).join('')}\n`);

let folder = '';
let opened: ElectronApplication[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'groundctl-electron-'));
  opened = [];
});
afterEach(async () => {
  for (const desktop of opened) await desktop.close().catch(() => undefined);
  killLeftovers(folder);
  rmSync(folder, { recursive: true, force: true });
});

const dataDir = () => path.join(folder, 'data');
const runtimeFile = () => path.join(dataDir(), 'runtime.json');
const until = <T>(check: () => Promise<T> | T) => vi.waitFor(check, { timeout: 60_000, interval: 100 });

/** Starts Electron's program on the files of this test. */
async function launch(...more: string[]): Promise<ElectronApplication> {
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const own = { GROUNDCTL_DATA_DIR: dataDir(), GROUNDCTL_NODE: process.execPath, GROUNDCTL_TRAY: 'on' };
  // Does not use the keychain of the person who runs the tests.
  const key = { GROUNDCTL_KEY_SOURCE: 'file', GROUNDCTL_KEY_FILE: path.join(folder, 'test.key') };
  const env = { ...process.env, ...own, ...key } as Record<string, string>;
  const args = [...sandbox, `--user-data-dir=${folder}`, repositoryRoot, ...more];
  const desktop = await _electron.launch({ executablePath: program, args, env });
  opened.push(desktop);
  return desktop;
}

/** Starts it a second time, which passes the arguments to the first one and ends. */
const launchAgain = (...more: string[]) => launch(...more).catch(() => undefined);

async function whenShown(desktop: ElectronApplication): Promise<Page> {
  const window = await desktop.firstWindow();
  await window.locator('nav a').first().waitFor();
  return window;
}

const labels = (desktop: ElectronApplication) =>
  desktop.evaluate(({ Menu }) =>
    (Menu.getApplicationMenu()?.items ?? []).flatMap(({ submenu }) => (submenu?.items ?? []).map(({ label }) => label)),
  );

describe.skipIf(!canRun)('the real desktop', () => {
  test('opens the dashboard signed in, exposes nothing to its page, and shuts down cleanly', async () => {
    const desktop = await launch();
    const window = await whenShown(desktop);
    expect(await window.evaluate('[typeof require, typeof process]')).toEqual(['undefined', 'undefined']);
    expect(await window.evaluate('window.groundControlDesktop.version()')).toBe(
      JSON.parse(readFileSync(path.join(repositoryRoot, 'package.json'), 'utf8')).version,
    );
    await window.evaluate("void (location.href = 'file:///etc/passwd')");
    expect(new URL(window.url()).hostname).toBe('127.0.0.1');
    await desktop.close();
    expect(existsSync(runtimeFile())).toBe(false);
  });

  test('shows the page of a link from a second start, and has the settings of the desktop in its menu', async () => {
    const desktop = await launch();
    const window = await whenShown(desktop);
    expect(await labels(desktop)).toContain('Install a module…');
    if (process.platform !== 'darwin')
      expect(await labels(desktop)).toContain('Keep Running When the Window Is Closed');
    const capsule = `cap_${'0'.repeat(26)}`;
    void launchAgain(`groundctl://capsules/${capsule}`);
    await until(() => expect(new URL(window.url()).pathname).toBe(`/capsules/${capsule}`));
    expect(await desktop.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
  });

  test('goes on without a window, and opens it again where it was', async () => {
    const desktop = await launch();
    const window = await whenShown(desktop);
    await window.evaluate("void (location.href = '/runs')");
    await window.waitForURL('**/runs');
    await window.close();
    expect(existsSync(runtimeFile())).toBe(true);
    const [again] = await Promise.all([desktop.waitForEvent('window'), launchAgain()]);
    await again.waitForURL('**/runs');
    await again.locator('nav a').first().waitFor();
  });

  test('opens no window when it is started hidden', async () => {
    const desktop = await launch('--hidden');
    await until(() => expect(existsSync(runtimeFile())).toBe(true));
    expect(await desktop.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(0);
    const [window] = await Promise.all([desktop.waitForEvent('window'), launchAgain()]);
    await window.locator('nav a').first().waitFor();
  });

  test('keeps the system awake while an apply runs', async () => {
    const desktop = await launch();
    await whenShown(desktop);
    const blockers = () =>
      desktop.evaluate(({ powerSaveBlocker }) =>
        Array.from({ length: 10 }, (_, id) => id).filter((id) => powerSaveBlocker.isStarted(id)),
      );
    expect(await blockers()).toEqual([]);
    const work = await openWork(dataDir());
    try {
      const { apply } = await work.seedBusy();
      await work.touch();
      await until(async () => expect(await blockers()).toHaveLength(1));
      work.fail(apply);
      await work.touch();
      await until(async () => expect(await blockers()).toEqual([]));
    } finally {
      work.close();
    }
  });

  test('keeps the size and the zoom of its window', async () => {
    const desktop = await launch();
    await whenShown(desktop);
    await desktop.evaluate(({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows();
      window?.setSize(900, 700);
      window?.webContents.setZoomLevel(1);
    });
    await desktop.close();
    const again = await launch();
    await whenShown(again);
    const state = await again.evaluate(({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows();
      return [window?.getSize(), window?.webContents.getZoomLevel()];
    });
    expect(state).toEqual([[900, 700], 1]);
  });

  test('lets the page of a saved server succeed in none of its attacks', { timeout: 300_000 }, async () => {
    let local = '';
    const remote = await startMaliciousServer(
      undefined,
      departingAnswers(() => local),
    );
    try {
      const saved = { id: randomUUID(), name: 'Team', origin: remote.origin };
      writeFileSync(path.join(folder, 'servers.json'), JSON.stringify({ servers: [saved] }));
      const desktop = await launch();
      local = new URL((await whenShown(desktop)).url()).origin;
      const attacked = await openAttackedServer(desktop, remote.origin);
      const count = await expectNoAttackSucceeds(attacked, { remote: remote.origin, local, runId: exampleRun });
      expect(count).toBeGreaterThan(40);
      expect(new URL((await whenShown(desktop)).url()).origin).toBe(local);
    } finally {
      await remote.close();
    }
  });
});

const exampleRun = 'plan_01M80WAXV4J3K6YN1ACZ1G96CT';

/** Opens a saved server from the menu. What leaves the desktop is recorded, and each dialog is closed. */
async function openAttackedServer(desktop: ElectronApplication, origin: string): Promise<AttackedDesktop> {
  await desktop.evaluate(({ dialog, Menu, shell }) => {
    const opened: string[] = [];
    Object.assign(globalThis, { openedByAttack: opened });
    shell.openExternal = async (address) => void opened.push(address);
    const close = (...args: unknown[]) => (args.at(-1) as { cancelId: number }).cancelId;
    dialog.showMessageBoxSync = close;
    dialog.showMessageBox = async (...args: unknown[]) => ({ response: close(...args), checkboxChecked: false });
    const items = (Menu.getApplicationMenu()?.items ?? []).flatMap(({ submenu }) => submenu?.items ?? []);
    items.find(({ label }) => label === 'Team')?.click();
  });
  const inPage = (script: string, hasGesture: boolean): Promise<unknown> =>
    desktop.evaluate(
      ({ webContents }, { script, hasGesture, origin }) => {
        const page = webContents.getAllWebContents().find((one) => one.getURL().startsWith(origin));
        return page?.executeJavaScript(script, hasGesture);
      },
      { script, hasGesture, origin },
    );
  await until(async () => expect(await inPage('document.body.innerText', false)).toContain('Home'));
  return {
    load: () =>
      desktop.evaluate(async ({ webContents }, origin) => {
        const page = webContents.getAllWebContents().find((one) => one.getURL().startsWith(origin));
        await page?.loadURL(`${origin}/`);
      }, origin),
    evaluate: inPage,
    address: async () => String(await inPage('location.href', false)),
    traces: () =>
      desktop.evaluate(({ BrowserWindow }) => ({
        windows: BrowserWindow.getAllWindows().map((window) => window.getTitle()),
        opened: [...(globalThis as unknown as { openedByAttack: string[] }).openedByAttack],
      })),
  };
}
