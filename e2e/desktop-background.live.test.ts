import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { hasChromium } from './fixtures/browser.ts';
import {
  bubblewrap,
  createScratch,
  type Desktop,
  savePicture,
  startDesktop,
  whenShown,
} from './fixtures/electron-shim/start.ts';
import { type DesktopWork, openWork } from './fixtures/electron-shim/work.ts';

// The desktop without a window: the built bundles under the stand-in for Electron, as in desktop.live.test.ts.
const scratch = createScratch();
const folder = (name: string) => path.join(scratch.folder, name);
const started: Desktop[] = [];
const works: DesktopWork[] = [];
const withTray = { GROUNDCTL_TRAY: 'on' };
const start = (...args: Parameters<typeof startDesktop>): Desktop => {
  const desktop = startDesktop(...args);
  started.push(desktop);
  return desktop;
};
const workOf = async (userData: string): Promise<DesktopWork> => {
  const work = await openWork(path.join(userData, 'data'));
  works.push(work);
  return work;
};
const until = <T>(check: () => Promise<T> | T) => vi.waitFor(check, { timeout: 60_000, interval: 50 });
const system = async (desktop: Desktop, matching: object) =>
  until(async () => expect(await desktop.system(), desktop.log()).toMatchObject(matching));
const urlIs = (desktop: Desktop, url: string) =>
  until(async () => expect((await desktop.windows())[0]?.url, desktop.log()).toBe(url));
const runtime = (userData: string) => path.join(userData, 'data/runtime.json');
const originOf = (userData: string): string => JSON.parse(readFileSync(runtime(userData), 'utf8')).url;

beforeAll(() => {
  if (hasChromium) execFileSync(process.execPath, ['server/build.mjs', '--desktop'], { cwd: repositoryRoot });
});
afterEach(async () => {
  for (const work of works.splice(0)) work.close();
  for (const desktop of started.splice(0)) await desktop.quit();
});
afterAll(() => scratch.remove());

describe.skipIf(!hasChromium)('a desktop with a tray', () => {
  test('shows what runs, waits and failed, notifies once, and keeps the system awake during an apply', async () => {
    const userData = folder('busy');
    const desktop = start({ userData, env: withTray });
    const origin = await whenShown(desktop);
    await system(desktop, { tray: { tooltip: 'Ground Control', dot: null }, badge: 0, blockers: 0 });
    const work = await workOf(userData);
    const { apply, capsuleId, failedId } = await work.seedBusy();
    await work.touch();
    await system(desktop, {
      tray: {
        tooltip: 'Ground Control\n1 plan waits for you\n1 Capsule failed\n1 Run is going on',
        dot: [220, 38, 38],
        menu: expect.arrayContaining(['1 plan waits for you', 'Recent Capsules', '  applying']),
      },
      ...{ badge: 1, blockers: 1, blocked: 1 },
    });
    await desktop.chooseInTray('applying');
    await urlIs(desktop, `${origin}/capsules/${capsuleId}`);
    await desktop.chooseInTray('1 Run is going on');
    await urlIs(desktop, `${origin}/runs?status=running`);
    work.fail(apply);
    await work.touch();
    await system(desktop, { tray: { menu: expect.arrayContaining(['2 Capsules failed']) }, blockers: 0, blocked: 1 });

    // The page would notify too; the desktop is the only one that does.
    await desktop.evaluate(
      'void (window.Notification = class { static permission = "granted"; constructor() { window.isShownByPage = true; } })',
    );
    const runId = await work.requestApproval();
    const notifications = [{ title: 'Your approval is requested', body: expect.stringMatching(/^Shop · /) }];
    await system(desktop, { notifications });
    await desktop.clickNotification(0);
    await urlIs(desktop, `${origin}/runs/${runId}`);
    expect(await desktop.evaluate('window.isShownByPage')).toBeUndefined();
    expect([failedId, (await desktop.system()).notifications]).toEqual([expect.any(String), notifications]);
    expect(desktop.reports.dialogs).toEqual([]);
  });

  test('goes on without its window, says so once, and opens it again where it was', async () => {
    const userData = folder('hidden');
    const desktop = start({ userData, env: withTray });
    const origin = await whenShown(desktop);
    const work = await workOf(userData);
    await desktop.choose('Install a module…');
    await urlIs(desktop, `${origin}/new`);
    await desktop.closeWindow();
    const explained = { title: 'Ground Control keeps running', body: expect.stringContaining('notification area') };
    await system(desktop, { notifications: [explained] });
    expect([await desktop.windows(), existsSync(runtime(userData))]).toEqual([[], true]);
    // Its window has a new browser profile here, so the session is gone and the page signs in again.
    await desktop.chooseInTray('Open Ground Control');
    expect(await whenShown(desktop)).toBe(origin);
    await urlIs(desktop, `${origin}/new`);
    await desktop.closeWindow();
    await until(async () => expect(await desktop.windows()).toEqual([]));

    const runId = await work.requestApproval();
    await system(desktop, { notifications: [explained, { title: 'Your approval is requested' }] });
    // A link while no window is open, from a second start.
    expect(await start({ userData, args: [`groundctl://runs/${runId}`] }).exited).toBe(0);
    await whenShown(desktop);
    await urlIs(desktop, `${origin}/runs/${runId}`);
    await desktop.chooseInTray('Keep Running When the Window Is Closed');
    await desktop.closeWindow();
    expect([await desktop.exited, existsSync(runtime(userData))]).toEqual([0, false]);
    const again = start({ userData, env: withTray });
    await whenShown(again);
    expect((await again.system()).tray?.menu).toContain('Keep Running When the Window Is Closed');
  });

  test('starts at login without a window when the person turned that on', async () => {
    const userData = folder('login');
    const resources = folder('resources');
    mkdirSync(path.join(resources, 'node'), { recursive: true });
    execFileSync('ln', ['-s', process.execPath, path.join(resources, 'node/node')]);
    const installed = { userData, resources, isPackaged: true, env: withTray };
    const file = path.join(userData, '.config/autostart/groundctl-desktop.desktop');
    const desktop = start({ ...installed, args: ['--hidden'] });
    await system(desktop, { tray: { tooltip: 'Ground Control' } });
    expect([await desktop.windows(), existsSync(file)]).toEqual([[], false]);
    await desktop.chooseInTray('Start at Login');
    await system(desktop, { tray: { menu: expect.arrayContaining(['Start at Login ✓']) } });
    expect(readFileSync(file, 'utf8')).toMatch(/^Exec=".+" --hidden$/m);
    // A second start at login changes nothing; one by the person opens the window.
    expect(await start({ ...installed, args: ['--hidden'] }).exited).toBe(0);
    expect(await desktop.windows()).toEqual([]);
    expect(await start(installed).exited).toBe(0);
    await whenShown(desktop);
    await desktop.chooseInTray('Start at Login');
    expect(existsSync(file)).toBe(false);
    expect(await desktop.quit()).toBe(0);
  });
});

describe.skipIf(!hasChromium)('groundctl open', () => {
  test('shows a page in the running desktop, and brings it to the front', async () => {
    const userData = folder('opened');
    const desktop = start({ userData });
    const origin = await whenShown(desktop);
    const { capsuleId } = await (await workOf(userData)).seedBusy();
    await desktop.minimize();
    const groundctl = (...args: string[]) =>
      execFileSync(
        process.execPath,
        ['dist/server/groundctl.js', 'open', ...args, '--data-dir', path.join(userData, 'data')],
        { cwd: repositoryRoot, encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: userData } },
      );
    expect(groundctl(capsuleId)).toBe(`${origin}/capsules/${capsuleId}\n`);
    await urlIs(desktop, `${origin}/capsules/${capsuleId}`);
    const shown = { url: `${origin}/capsules/${capsuleId}`, state: { isMinimized: false, isFocused: true } };
    expect(await desktop.windows()).toMatchObject([shown]);
    await desktop.minimize();
    groundctl();
    await until(async () => expect(await desktop.windows()).toMatchObject([shown]));
  });
});

describe.skipIf(!hasChromium)('a desktop without a tray', () => {
  test('asks before it quits while a Run is going on, and starts minimized at login', async () => {
    const userData = folder('no-tray');
    const desktop = start({ userData, env: { GROUNDCTL_TRAY: 'off' }, args: ['--hidden'] });
    const minimized = { state: { isVisible: false, isMinimized: true } };
    await until(async () => expect(await desktop.windows(), desktop.log()).toMatchObject([minimized]));
    expect(await start({ userData }).exited).toBe(0);
    await whenShown(desktop);
    const work = await workOf(userData);
    await work.seedBusy();
    await work.touch();
    await system(desktop, { blockers: 1 });
    expect((await desktop.system()).tray).toBeUndefined();
    await desktop.pressButtons(0);
    await desktop.closeWindow();
    await until(async () => expect(await desktop.windows()).toMatchObject([{ state: { isMinimized: true } }]));
    expect(desktop.reports.dialogs).toMatchObject([{ text: expect.stringMatching(/^Quit while Runs are going on\?/) }]);
    await desktop.pressButtons(1);
    await desktop.closeWindow();
    expect(await desktop.exited).toBe(0);
  });
});

describe.skipIf(!hasChromium || !existsSync(bubblewrap))('a desktop without a network', () => {
  test('starts, and shows its dashboard', async () => {
    const desktop = start({ userData: folder('offline'), isOffline: true });
    const origin = await whenShown(desktop);
    const hosts = "[...new Set(performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin))]";
    expect(await desktop.evaluate(hosts)).toEqual([origin]);
    await expect(fetch(origin)).rejects.toThrow();
    expect(desktop.reports).toEqual({ dialogs: [], complaints: [], relaunches: 0 });
  });
});

describe.skipIf(!hasChromium)('what is opened with the desktop', () => {
  test('is shown while the vault is sealed, after it was opened', async () => {
    const userData = folder('sealed');
    const first = start({ userData });
    await whenShown(first);
    const work = await workOf(userData);
    const { capsuleId } = await work.seedBusy();
    work.close();
    expect(await first.quit()).toBe(0);
    const key = path.join(userData, 'test.key');
    renameSync(key, `${key}.away`);
    const desktop = start({ userData, args: [`groundctl://capsules/${capsuleId}`], env: withTray });
    await until(async () =>
      expect(await desktop.evaluate('document.title'), desktop.log()).toMatch(/^Ground Control is locked/),
    );
    await system(desktop, { tray: { menu: expect.arrayContaining(['The vault is sealed']) }, badge: 0, blockers: 0 });
    renameSync(`${key}.away`, key);
    expect(await desktop.evaluate("document.querySelectorAll('form input').length")).toBe(0);
    await desktop.click('form button[type="submit"]');
    await urlIs(desktop, `${originOf(userData)}/capsules/${capsuleId}`);
    await desktop.find('nav a');
    await system(desktop, { tray: { menu: expect.arrayContaining([expect.stringMatching(/Capsules? failed/)]) } });
  });

  test('is shown after the window took the passphrase of the vault', async () => {
    const userData = folder('passphrase');
    const passphraseFile = `${userData}.passphrase`;
    writeFileSync(passphraseFile, 'correct horse battery staple', { mode: 0o600 });
    const env = { GROUNDCTL_KEY_SOURCE: 'passphrase' };
    const first = start({ userData, env: { ...env, GROUNDCTL_PASSPHRASE_FILE: passphraseFile } });
    await whenShown(first);
    expect(await first.quit()).toBe(0);
    const desktop = start({ userData, env });
    const text = () => desktop.evaluate('document.body.innerText');
    await until(async () => expect(await text(), desktop.log()).toContain('It waits for its passphrase.'));
    const complete = async (passphrase: string) => {
      await desktop.fill('form input', passphrase);
      await desktop.click('form button[type="submit"]');
    };
    await complete('incorrect horse battery staple');
    await until(async () => expect(await text()).toContain('Incorrect passphrase. Type it again.'));
    await savePicture(desktop, 'desktop-passphrase');
    await complete('correct horse battery staple');
    await desktop.find('nav a');
    expect(await text()).not.toContain('locked');
  });

  test('is a folder or an address that waits for the person, also when it is dropped', async () => {
    const userData = folder('dropped');
    const module = folder('a module');
    mkdirSync(module);
    const desktop = start({ userData, args: ['--flag', module] });
    const origin = await whenShown(desktop);
    const pageOf = (address: string) => `${origin}/new?url=${encodeURIComponent(address)}`;
    const requests = "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/sources')).length";
    await urlIs(desktop, pageOf(module));
    await until(async () => expect(await desktop.evaluate("document.getElementById('address')?.value")).toBe(module));
    await desktop.drop({ file: 'network' });
    await urlIs(desktop, pageOf('/dropped/network'));
    await desktop.drop({ text: 'https://github.com/owner/network' });
    await urlIs(desktop, pageOf('https://github.com/owner/network'));
    await desktop.drop({ text: 'javascript:alert(1)' });
    await urlIs(desktop, pageOf('https://github.com/owner/network'));
    expect(await start({ userData, args: ['https://example.com/r'] }).exited).toBe(0);
    await urlIs(desktop, pageOf('https://example.com/r'));
    expect(await desktop.evaluate(requests)).toBe(0);
  });

  test('offers the actions of a right click, and keeps the zoom', async () => {
    const userData = folder('clicks');
    const desktop = start({ userData });
    await whenShown(desktop);
    const editFlags = { canCut: true, canCopy: true, canPaste: true, canSelectAll: true };
    const facts = { isEditable: false, selectionText: '', linkURL: 'https://opentofu.org/docs/', editFlags };
    expect(await desktop.rightClick(facts)).toEqual(['https://opentofu.org/docs/', 'Copy Link Address']);
    await desktop.chooseInPopup('Copy Link Address');
    expect((await desktop.system()).copied).toBe('https://opentofu.org/docs/');
    expect(await desktop.rightClick({ ...facts, isEditable: true, linkURL: '' })).toContain('Paste');
    expect(await desktop.rightClick({ ...facts, linkURL: '' })).toEqual([]);
    await desktop.setZoom(2);
    expect(await desktop.quit()).toBe(0);
    const again = start({ userData });
    await whenShown(again);
    await until(async () => expect(await again.zoom()).toEqual([2]));
  });
});
