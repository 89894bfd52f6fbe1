import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { type AppImageRelease, startAppImageRelease } from './fixtures/app-image-release.ts';
import { hasChromium } from './fixtures/browser.ts';
import { createScratch, type Desktop, startDesktop } from './fixtures/electron-shim/start.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { openGate, startHeldApply } from './fixtures/held-apply.ts';

/* The built desktop as a package that names a release channel, under the stand-in for Electron, with the real updater. */
const canRun = hasChromium && process.platform === 'linux';
const scratch = createScratch();
const at = (...names: string[]) => path.join(scratch.folder, ...names);
const patience = { timeout: 60_000, interval: 50 };

let release: AppImageRelease;
let desktop: Desktop | undefined;
beforeAll(async () => {
  if (!canRun) return;
  execFileSync(process.execPath, ['server/build.mjs', '--desktop'], { cwd: repositoryRoot });
  mkdirSync(at('resources/node'), { recursive: true });
  symlinkSync(process.execPath, at('resources/node/node'));
  release = await startAppImageRelease(scratch.folder, at('resources'));
  mkdirSync(at('app'));
  for (const name of ['dist', 'resources', 'node_modules'])
    symlinkSync(path.join(repositoryRoot, name), at('app', name));
  const own = JSON.parse(readFileSync(path.join(repositoryRoot, 'package.json'), 'utf8'));
  writeFileSync(at('app/package.json'), JSON.stringify({ ...own, releases: release.channel }));
});
afterEach(async () => {
  await desktop?.quit();
  desktop = undefined;
});
afterAll(() => {
  release?.close();
  scratch.remove();
});

/** Starts the desktop. The handle is no result of an async function, which would await each of its members. */
function open(app: string, env: Record<string, string>): Desktop {
  desktop = startDesktop({ userData: at('user'), app, isPackaged: true, resources: at('resources'), env });
  return desktop;
}
const whenShown = (shown: Desktop) =>
  vi.waitFor(async () => expect((await shown.windows())[0]?.state.isVisible, shown.log()).toBe(true), patience);
const checkAtStart = 'Look for Updates When It Starts';
async function about(of: Desktop, statement: string): Promise<void> {
  await of.choose('About Ground Control');
  await vi.waitFor(() => expect(of.reports.dialogs.at(-1)?.text, of.log()).toContain(statement), patience);
}
const dialogsOf = ({ reports }: Desktop) => reports.dialogs.map(({ text }) => text.split('\n')[0]);
async function check(of: Desktop, expected: readonly string[], buttons: readonly number[] = []): Promise<void> {
  of.reports.dialogs.length = 0;
  await of.pressButtons(...buttons);
  await of.choose('Check for Updates…');
  await vi.waitFor(() => expect(dialogsOf(of), of.log()).toEqual(expected), patience);
}

describe.skipIf(!canRun)('an update of the desktop', () => {
  test('is not offered to a package without a channel', async () => {
    const plain = open(repositoryRoot, { APPIMAGE: release.program });
    await whenShown(plain);
    await check(plain, ['This package is not updated automatically']);
    expect(plain.reports.dialogs.at(-1)?.text).toContain('This package is not signed');
    expect(await plain.menu()).not.toContain(checkAtStart);
    await about(plain, 'This package is not signed');
  });

  test('is looked for at the start when the person wants that, and only then', async () => {
    release.install();
    const env = { APPIMAGE: release.program };
    const first = open(at('app'), env);
    await whenShown(first);
    await about(first, 'This package belongs to a signed release');
    expect(first.reports.dialogs).toHaveLength(1);
    await first.choose(checkAtStart);
    expect(JSON.parse(readFileSync(at('user/desktop.json'), 'utf8'))).toMatchObject({ checksForUpdates: true });
    expect(await first.quit()).toBe(0);
    const next = open(at('app'), env);
    await vi.waitFor(() => expect(dialogsOf(next), next.log()).toEqual(['Version 9.8.7 is available']), patience);
    await next.choose(checkAtStart);
    expect(JSON.parse(readFileSync(at('user/desktop.json'), 'utf8'))).toMatchObject({ checksForUpdates: false });
  });

  describe('while an apply runs', () => {
    let harness: Harness;
    beforeAll(async () => {
      harness = await startHarness({ providers: true });
    });
    afterAll(() => harness?.stop());

    test('is downloaded with consent, not installed, and installed when the apply has ended', async () => {
      const held = await startHeldApply(harness, { name: 'held' });
      await harness.server.kill9();
      const { dataDir } = harness.server;
      release.install();
      const env = {
        APPIMAGE: release.program,
        GROUNDCTL_DATA_DIR: dataDir,
        GROUNDCTL_KEY_FILE: path.join(dataDir, 'keys', 'master.key'),
      };
      const updating = open(at('app'), env);
      await whenShown(updating);
      await check(updating, ['Version 9.8.7 is available']);
      const questions = ['Version 9.8.7 is available', 'Version 9.8.7 is ready to be installed'];
      await check(updating, [...questions, 'The update waits for a Run'], [0, 0]);
      expect(updating.reports.dialogs.at(-1)?.text).toContain(held.apply.id);
      expect(release.installed()).toBe('old');

      openGate(harness, held);
      const feed = `fetch('/api/v1/runs/${held.apply.id}').then((answer) => answer.json())`;
      await vi.waitFor(
        async () => expect(await updating.evaluate(feed)).toMatchObject({ run: { status: 'succeeded' } }),
        patience,
      );
      await check(updating, questions, [0, 0]);
      expect(await updating.exited).toBe(0);
      expect(release.installed()).toBe('new');
      expect(readdirSync(path.join(dataDir, 'ledger-copies'))).toEqual([expect.stringMatching(/^ledger-.*\.db$/)]);
    });
  });
});
