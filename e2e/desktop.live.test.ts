import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { chromiumPath, hasChromium } from './fixtures/browser.ts';
import { createScratch, type Desktop, startDesktop, whenShown } from './fixtures/electron-shim/start.ts';
import { startServer } from './fixtures/server.ts';
import { cacheDir } from './fixtures/tool.ts';

// The built main and preload bundles, in a process of their own, with a stand-in for Electron that shows its windows in
// the system's Chromium.
if (!hasChromium) process.stderr.write(`\n!! ${chromiumPath} is missing: the desktop is not tested.\n\n`);

const scratch = createScratch();
const folder = (name: string) => path.join(scratch.folder, name);
const started: Desktop[] = [];
const start = (...args: Parameters<typeof startDesktop>): Desktop => {
  const desktop = startDesktop(...args);
  started.push(desktop);
  return desktop;
};
const until = vi.waitFor;
const patience = { timeout: 60_000, interval: 50 };

beforeAll(() => {
  if (hasChromium) execFileSync(process.execPath, ['server/build.mjs', '--desktop'], { cwd: repositoryRoot });
});
afterEach(async () => {
  for (const desktop of started.splice(0)) await desktop.quit();
});
afterAll(() => scratch.remove());

/* Its tests share one desktop, and the last one ends it. */
describe.skipIf(!hasChromium)('a running desktop', () => {
  let desktop: Desktop;
  let origin = '';
  beforeAll(async () => {
    desktop = startDesktop({ userData: folder('running') });
    origin = await whenShown(desktop);
  });
  afterAll(() => desktop?.quit());

  test('shows the dashboard signed in, in a window that exposes nothing to its page', async () => {
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const [window] = await desktop.windows();
    expect(window?.url).toBe(`${origin}/`);
    expect(window?.options).toMatchObject({ width: 1280, height: 800, show: false });
    expect(window?.options.webPreferences).toEqual({
      preload: path.join(repositoryRoot, 'dist/desktop/preload/preload.cjs'),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
      devTools: true,
    });
    expect(await desktop.evaluate('[typeof require, typeof process, typeof module]')).toEqual(
      Array(3).fill('undefined'),
    );
    expect(
      await desktop.evaluate('fetch("/api/v1/account/session/me").then((answer) => answer.json())'),
    ).toHaveProperty('subject');
    await desktop.picture(folder('first.png'));
    expect(desktop.reports).toEqual({ dialogs: [], complaints: [], relaunches: 0 });
  });

  test('exposes only what HTTP cannot do to its page', async () => {
    const bridge = 'window.groundControlDesktop';
    expect(await desktop.evaluate(`Object.keys(${bridge}).sort()`)).toEqual([
      'droppedPath',
      'newSignInLink',
      'openFolder',
      'unseal',
      'version',
    ]);
    expect(await desktop.evaluate(`${bridge}.version()`)).toBe(
      JSON.parse(readFileSync(path.join(repositoryRoot, 'package.json'), 'utf8')).version,
    );
    expect(await desktop.evaluate(`${bridge}.openFolder()`)).toBeNull();
    await desktop.answerFolder('/home/ada/modules');
    expect(await desktop.evaluate(`${bridge}.openFolder()`)).toBe('/home/ada/modules');
    expect(await desktop.evaluate(`[${bridge}.droppedPath(new File([], 'x')), ${bridge}.droppedPath('x')]`)).toEqual([
      '/dropped/x',
      '',
    ]);
    const link = await desktop.evaluate(`${bridge}.newSignInLink()`);
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign-in\?at=\d+#\S+$/);
    // Not awaited: the page leaves as soon as its session ends, and an awaited evaluation would end with it.
    await desktop.evaluate(
      `window.isOldPage = true; void fetch("/api/v1/account/session/me", { method: "DELETE" }).finally(() => location.assign(${JSON.stringify(link)}))`,
    );
    await until(async () => {
      expect(await desktop.evaluate('window.isOldPage')).toBeUndefined();
      expect((await desktop.windows())[0]?.url).toBe(`${origin}/`);
    }, patience);
    await desktop.find('nav a');
  });

  test("stays on the server's own pages: external links open in the system's browser, other addresses are blocked", async () => {
    const go = (address: string) => desktop.evaluate(`void (location.href = ${JSON.stringify(address)})`);
    const open = (address: string) =>
      desktop.evaluate(`void window.open(${JSON.stringify(address)}, '_blank', 'noopener')`);
    await go('https://opentofu.org/docs/');
    await open('https://registry.opentofu.org/x?y=1');
    await go('https://user@evil.example/');
    await open('https://user:word@evil.example/');
    await go('file:///etc/passwd');
    await open('file:///etc/passwd');
    await go('groundctl-evil://x');
    await until(
      async () =>
        expect((await desktop.desk()).opened).toEqual([
          'https://opentofu.org/docs/',
          'https://registry.opentofu.org/x?y=1',
        ]),
      patience,
    );
    const [window, ...others] = await desktop.windows();
    expect([window?.url, others]).toEqual([`${origin}/`, []]);
    await open(`${origin}/runs`);
    await until(async () => expect((await desktop.windows())[0]?.url).toBe(`${origin}/runs`), patience);
    expect((await desktop.desk()).opened).toHaveLength(2);
  });

  test('grants its page copying, and no other permission, device, dictionary or download but a log', async () => {
    const [yes, no] = [true, false].map((is) => ({ requested: is, checked: is }));
    expect(await desktop.requestPermission('clipboard-sanitized-write', `${origin}/runs`)).toEqual(yes);
    expect(await desktop.requestPermission('clipboard-sanitized-write', 'http://127.0.0.1:1/')).toEqual(no);
    for (const permission of ['notifications', 'clipboard-read', 'media', 'geolocation', 'openExternal', 'fileSystem'])
      expect([permission, await desktop.requestPermission(permission, origin)]).toEqual([permission, no]);
    await desktop.evaluate(`{
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob(['x']));
      link.download = 'stolen.txt';
      link.click();
      link.download = 'plan_01M80WAXV4J3K6YN1ACZ1G96CT.log';
      setTimeout(() => link.click(), 500);
    }`);
    await until(
      async () =>
        expect(await desktop.desk()).toMatchObject({
          deniedDownloads: ['stolen.txt'],
          promptedDownloads: ['plan_01M80WAXV4J3K6YN1ACZ1G96CT.log'],
          devices: false,
          spellChecks: false,
        }),
      patience,
    );
  });

  test('runs once: a second start ends and brings the first window to the front', async () => {
    await desktop.minimize();
    const second = start({ userData: folder('running') });
    expect(await second.exited).toBe(0);
    await until(async () => {
      const windows = await desktop.windows();
      expect(windows.map(({ state }) => state)).toEqual([
        { isVisible: true, isMinimized: false, isMaximized: false, isFocused: true, timesFocused: 1 },
      ]);
    }, patience);
  });

  test('reloads a crashed page', async () => {
    await desktop.evaluate('void (window.isOld = true)');
    await desktop.crashPage();
    await until(async () => expect(await desktop.evaluate('window.isOld === undefined')).toBe(true), patience);
    await desktop.find('nav a');
  });

  test('reports a fault of its server, and exits', async () => {
    await desktop.fault('the disk is gone');
    expect(await desktop.exited).toBe(1);
    expect(desktop.reports.dialogs).toEqual([
      {
        kind: 'message',
        title: 'Ground Control',
        text: expect.stringContaining('a running apply continues'),
      },
    ]);
    expect(desktop.log()).toContain('the disk is gone');
    expect(JSON.stringify(desktop.reports.dialogs)).not.toContain('the disk');
  });
});

describe.skipIf(!hasChromium)('the desktop', () => {
  test('shows the link that it is opened with for review, signed in, and shows a refused link as refused', async () => {
    const link = 'groundctl://install?git=https%3A%2F%2Fexample.com%2Fr&product=notes&return_uri=notes%3A%2F%2Fdone';
    const userData = folder('links');
    const desktop = start({ userData, args: [link] });
    const origin = await whenShown(desktop);
    const shows = (text: string) =>
      until(async () => expect(await desktop.evaluate('document.body.innerText')).toContain(text), patience);
    await shows('Review an install link');
    expect((await desktop.windows())[0]?.url).toBe(`${origin}/new?${link.split('?')[1]}`);
    expect(await start({ userData, args: ['--flag', 'groundctl://install?var.region=eu'] }).exited).toBe(0);
    await shows('var.region');
    expect(await start({ userData, args: ['groundctl://elsewhere?x=1'] }).exited).toBe(0);
    expect((await desktop.windows())[0]?.url).toBe(`${origin}/new?var.region=eu`);
    expect(desktop.reports.complaints).toEqual([]);
  });

  test('shuts its server down cleanly, and restarts at the same address with the same window position', async () => {
    const userData = folder('again');
    const runtime = path.join(userData, 'data/runtime.json');
    const desktop = start({ userData });
    const origin = await whenShown(desktop);
    expect(JSON.parse(readFileSync(runtime, 'utf8')).pid).toBe(desktop.pid);
    await desktop.moveTo(310, 120);
    await desktop.closeWindow();
    expect([await desktop.exited, existsSync(runtime)]).toEqual([0, false]);
    const again = start({ userData });
    expect(await whenShown(again)).toBe(origin);
    expect((await again.windows())[0]?.bounds).toMatchObject({ x: 310, y: 120, width: 1280, height: 800 });
    expect(await again.quit()).toBe(0);
    expect(existsSync(runtime)).toBe(false);
  });

  test('has a menu for its other actions', async () => {
    const desktop = start({ userData: folder('menu'), locale: 'ja' });
    const origin = await whenShown(desktop);
    await desktop.choose('モジュールをインストール…');
    await until(async () => expect((await desktop.windows())[0]?.url).toBe(`${origin}/new`), patience);
    await desktop.choose('ブラウザーで開く');
    await desktop.choose('ログを表示');
    const { opened, revealed } = await desktop.desk();
    expect(opened).toEqual([expect.stringMatching(/^file:\/\/.*\/sign-in\.html$/)]);
    expect(readFileSync(new URL(opened[0] ?? ''), 'utf8')).toMatch(/url=\S+\/sign-in\?at=\d+#\S+"/);
    expect(revealed).toEqual([path.join(folder('menu'), 'logs/server.log')]);
    await desktop.choose('サインインし直す');
    await until(async () => expect((await desktop.windows())[0]?.url).toBe(`${origin}/`), patience);
    await desktop.choose('戻る');
    expect(await desktop.menu()).toEqual(expect.arrayContaining(['拡大', '縮小', '実際のサイズ', '終了']));
  });

  test('does not touch the data folder of a newer version, and says so', async () => {
    const dataDir = folder('newer');
    mkdirSync(dataDir, { mode: 0o700 });
    const ledger = new Database(path.join(dataDir, 'ledger.db'));
    ledger.exec('CREATE TABLE __drizzle_migrations (id INTEGER PRIMARY KEY, hash TEXT, created_at NUMERIC)');
    const insert = ledger.prepare("INSERT INTO __drizzle_migrations (hash) VALUES ('newer')");
    for (let count = 0; count < 1_000; count += 1) insert.run();
    ledger.close();
    const desktop = start({ userData: folder('newer-user'), env: { GROUNDCTL_DATA_DIR: dataDir } });
    expect(await desktop.exited).toBe(1);
    expect(desktop.reports.dialogs.map(({ text }) => text)).toEqual([
      expect.stringContaining('A newer version of Ground Control has changed this ledger'),
    ]);
    expect(readdirSync(dataDir)).toEqual(['ledger.db']);
  });

  test('reports why it cannot start', async () => {
    const server = await startServer();
    try {
      const desktop = start({ userData: folder('taken'), env: { GROUNDCTL_DATA_DIR: server.dataDir } });
      expect(await desktop.exited).toBe(1);
      expect(desktop.reports.dialogs).toEqual([
        {
          kind: 'error',
          title: 'Ground Control cannot start',
          text: expect.stringContaining('Another server already uses this data folder.'),
        },
      ]);
    } finally {
      await server.stop();
    }
  });

  test('keeps its data in its own folder when installed, and runs supervisors in the bundled Node', async () => {
    const resources = folder('resources');
    mkdirSync(path.join(resources, 'node'), { recursive: true });
    symlinkSync(process.execPath, path.join(resources, 'node/node'));
    // A supervisor waits only where a tool is found.
    const env = { XDG_CACHE_HOME: path.dirname(cacheDir) };
    const desktop = start({ userData: folder('installed'), isPackaged: true, resources, env });
    await whenShown(desktop);
    const [window] = await desktop.windows();
    expect(window?.options.webPreferences).toMatchObject({ devTools: false });
    const supervisors = path.join(folder('installed'), 'data/supervisors');
    const [home = ''] = readdirSync(supervisors);
    const waiting = () =>
      readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map((pid) => commandOf(pid))
        .filter((command) => command.includes(supervisors));
    const [program, entry] = ['node', 'supervisor.cjs'].map((name) => path.join(supervisors, home, name));
    const command = expect.stringMatching(new RegExp(`^${program}(?: --\\S+)+ ${entry}(?: --\\S+)* $`));
    await until(() => expect(waiting()).toEqual([command]), patience);
    expect([await desktop.quit(), desktop.log()]).toEqual([0, expect.any(String)]);
    await until(() => expect(waiting()).toEqual([]), patience);
  });
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
