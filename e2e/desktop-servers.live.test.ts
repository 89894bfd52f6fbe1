import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { createAuthority } from '../server/test/certificate-authority.ts';
import { hasChromium } from './fixtures/browser.ts';
import { type AttackedDesktop, expectNoAttackSucceeds } from './fixtures/desktop-attacks.ts';
import { createScratch, type Desktop, savePicture, startDesktop } from './fixtures/electron-shim/start.ts';
import { departingAnswers, type MaliciousServer, startMaliciousServer } from './fixtures/malicious-server.ts';
import { startServer } from './fixtures/server.ts';

// Saved servers in the built desktop: the stand-in shows their pages in the system's Chromium, and Node judges their
// certificates.
if (!hasChromium) process.stderr.write('\n!! Chromium is missing: saved servers of the desktop are not tested.\n\n');

const scratch = createScratch();
const at = (name: string) => path.join(scratch.folder, name);
const until = vi.waitFor;
const patience = { timeout: 60_000, interval: 50 };
const runId = 'plan_01M80WAXV4J3K6YN1ACZ1G96CT';

type Authority = Awaited<ReturnType<typeof createAuthority>>;
let first: Authority;
let second: Authority;
let unknown: Authority;
let desktop: Desktop;
let remote: MaliciousServer;
let localOrigin = '';
const titleOf = (name: string, server: { origin: string }) =>
  `${name} – ${new URL(server.origin).host} – Ground Control`;

async function whenShown(): Promise<void> {
  await until(async () => expect((await desktop.windows())[0]?.state.isVisible, desktop.log()).toBe(true), patience);
  await desktop.find('nav a');
}
const whenTitled = (title: string) => until(async () => expect(await desktop.titles()).toContain(title), patience);

/** Saves a server on the desktop's own page. */
async function save(name: string, origin: string): Promise<void> {
  await desktop.choose('Manage Servers…');
  await until(async () => {
    await desktop.fillIn('Servers', '[name=address]', origin);
    await desktop.fillIn('Servers', '[data-kind=add] [name=name]', name);
  }, patience);
  await desktop.clickIn('Servers', '[data-kind=add] button');
}
/** Clicks on a button that copies, and pastes in another window. */
async function copiesIn(title: string): Promise<void> {
  await desktop.clickIn(title, 'button[aria-label^="Copy: "]');
  await until(
    async () =>
      expect(await desktop.evaluateIn(title, `document.querySelector('[aria-label^="Copied: "]') !== null`)).toBe(true),
    patience,
  );
  expect(await desktop.pasteIn('Servers', '[name=address]')).toMatch(/^npm run groundctl -- sign-in --data-dir/);
}
const shows = (title: string, text: string) =>
  until(async () => expect(await desktop.evaluateIn(title, 'document.body.innerText')).toContain(text), patience);

beforeAll(async () => {
  if (!hasChromium) return;
  execFileSync(process.execPath, ['server/build.mjs', '--desktop'], { cwd: repositoryRoot });
  [first, second, unknown] = await Promise.all([
    createAuthority('Authority of the team'),
    createAuthority('Authority of a proxy'),
    createAuthority('Authority that no one trusts'),
  ]);
  writeFileSync(at('authorities.pem'), `${first.ca}\n${second.ca}\n`);
  remote = await startMaliciousServer(
    first.server,
    departingAnswers(() => localOrigin),
  );
  desktop = startDesktop({ userData: at('user'), env: { NODE_EXTRA_CA_CERTS: at('authorities.pem') } });
  await whenShown();
  localOrigin = new URL((await desktop.windows())[0]?.url ?? '').origin;
});
afterAll(async () => {
  await desktop?.quit();
  await remote?.close();
  scratch.remove();
});

/* The tests share one desktop and follow each other. */
describe.skipIf(!hasChromium)('saved servers', () => {
  test('are added on a page of the desktop, which refuses what is not a server', async () => {
    for (const [address, reason] of [
      ['file:///etc/passwd', 'not the address of a server'],
      ['http://team.example', 'reached by https'],
      [localOrigin.replace('127.0.0.1', 'localhost'), 'belongs to the server of this desktop'],
    ] as const) {
      await save('Team', address);
      await shows('Servers', reason);
    }
    await save('Team', remote.origin);
    await shows('Servers', remote.origin);
    await save('TEAM', 'https://other.example');
    await shows('Servers', 'Another server has this name');
    expect(JSON.parse(readFileSync(at('user/servers.json'), 'utf8')).servers).toMatchObject([
      { name: 'Team', origin: remote.origin },
    ]);
    await savePicture(desktop, 'desktop-servers', 'Servers');
    await desktop.clickIn('Servers', '[data-kind=open]');
    await whenTitled(titleOf('Team', remote));
    await shows(titleOf('Team', remote), 'Home');
  });

  test('have windows that say whose page they show, whatever the page does', async () => {
    const title = titleOf('Team', remote);
    await desktop.evaluateIn(title, 'void (document.title = "This machine – Ground Control")');
    await desktop.resizeTo(title, 900, 600);
    expect(await desktop.strip(title)).toEqual({
      text: expect.stringMatching(new RegExp(`^Team\\s+${remote.origin}\\s*$`)),
      page: { x: 0, y: 40, width: 900, height: 560 },
    });
    expect(await desktop.titles()).toContain(title);
    expect(await desktop.preferencesOf(title)).toMatchObject({
      preferences: {
        partition: expect.stringMatching(/^persist:server-[0-9a-f-]{36}$/),
        preload: path.join(repositoryRoot, 'dist/desktop/preload/notice-preload.cjs'),
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webviewTag: false,
        disableDialogs: true,
        devTools: false,
      },
      rtcPolicy: 'disable_non_proxied_udp',
      spellChecks: false,
      offersScreen: false,
      devices: false,
    });
  });

  test('get no permission, not even that of the own dashboard', async () => {
    const permissions = 'clipboard-sanitized-write clipboard-read notifications media geolocation midi fullscreen';
    for (const permission of [...permissions.split(' '), 'pointerLock', 'openExternal', 'fileSystem', 'hid', 'usb'])
      expect([permission, await desktop.permissionIn(titleOf('Team', remote), permission, remote.origin)]).toEqual([
        permission,
        { requested: false, checked: false },
      ]);
  });

  test('notify of Runs in words of the desktop, and a click opens the Run on their own page', async () => {
    const title = titleOf('Team', remote);
    const port = 'window.groundControlNotices';
    expect(await desktop.evaluateIn(title, `Object.keys(${port})`)).toEqual(['show']);
    expect(await desktop.evaluateIn(title, `${port}.show('run.waiting', '${runId}')`)).toBe(true);
    expect(await desktop.notifications()).toEqual([
      { title: `Team (${new URL(remote.origin).host})`, body: 'Your plan waits for a decision' },
    ]);
    await desktop.clickNotification(0);
    await until(async () => expect(await desktop.addressIn(title)).toBe(`${remote.origin}/runs/${runId}`), patience);
  });

  test('open another web page only after the person has agreed', async () => {
    const before = desktop.reports.dialogs.length;
    await desktop.pressButtons(0);
    await desktop.evaluateIn(titleOf('Team', remote), `void (location.href = 'https://opentofu.org/docs/')`);
    await until(async () => expect((await desktop.desk()).opened).toEqual(['https://opentofu.org/docs/']), patience);
    expect(desktop.reports.dialogs.slice(before).map(({ text }) => text)).toEqual([
      '“Team” opens this address in your browser. Continue?\nhttps://opentofu.org/docs/',
    ]);
  });

  test('succeed in none of the attacks of their pages', { timeout: 120_000 }, async () => {
    const title = titleOf('Team', remote);
    const local = (await desktop.windows())[0]?.url;
    const attacked: AttackedDesktop = {
      load: () => desktop.goIn(title, `${remote.origin}/`),
      evaluate: (script, hasGesture) =>
        hasGesture ? desktop.evaluateIn(title, script) : desktop.evaluateAlone(title, script),
      address: () => desktop.addressIn(title),
      traces: async () => ({ titles: await desktop.titles(), opened: (await desktop.desk()).opened }),
    };
    const count = await expectNoAttackSucceeds(attacked, { remote: remote.origin, local: localOrigin, runId });
    expect(count).toBeGreaterThan(40);
    expect((await desktop.windows())[0]?.url).toBe(local);
    expect(await desktop.notifications()).toHaveLength(1);
    expect(existsSync(at('user/Downloads'))).toBe(false);
    await desktop.find('nav a');
  });

  test('cannot call the channels of the desktop, even with a process that was taken over', async () => {
    const title = titleOf('Team', remote);
    for (const channel of ['desktop:open-folder', 'desktop:new-sign-in-link', 'desktop:version', 'servers:manage'])
      await expect(desktop.invokeAs(title, channel, { kind: 'remove', id: 'x' })).rejects.toThrow('Only the');
    for (const args of [[{ icon: '/etc/passwd' }], ['run.failed', '/etc/passwd'], ['Your password expired', runId]])
      expect(await desktop.invokeAs(title, 'servers:notice', ...args)).toBe(false);
    expect(await desktop.notifications()).toHaveLength(1);
  });

  test('take an install link only when the person chooses them', async () => {
    const link = 'groundctl://install?git=https%3A%2F%2Fexample.com%2Fr&product=notes&return_uri=notes%3A%2F%2Fdone';
    const open = async () => {
      const other = startDesktop({ userData: at('user'), args: [link] });
      expect(await other.exited).toBe(0);
      await whenTitled('Choose a server');
      await shows('Choose a server', 'https://example.com/r');
    };
    await open();
    await desktop.clickIn('Choose a server', 'li:nth-child(2) button');
    await until(
      async () =>
        expect(await desktop.addressIn(titleOf('Team', remote))).toBe(`${remote.origin}/new?${link.split('?')[1]}`),
      patience,
    );
    await open();
    await desktop.clickIn('Choose a server', 'li:nth-child(1) button');
    await until(async () => expect(await desktop.evaluate('location.search')).toBe(`?${link.split('?')[1]}`), patience);
    expect(await desktop.titles()).not.toContain('Choose a server');
  });

  test('are refused when their certificate changes, and reported about when another trusted authority issued it', async () => {
    const title = titleOf('Team', remote);
    const reopen = async () => {
      await desktop.closeTitled(title);
      await desktop.choose('Team');
      await whenTitled(title);
    };
    const requests = remote.requested.length;
    remote.present(unknown.server);
    await reopen();
    await until(
      async () => expect((await desktop.strip(title)).text).toContain('certificate of this server was refused'),
      patience,
    );
    remote.present(second.server);
    await reopen();
    await until(async () => expect((await desktop.strip(title)).text).toContain('was refused'), patience);
    expect(desktop.reports.dialogs.at(-1)?.text).toMatch(/Before: Authority of the team\nNow: Authority of a proxy/);
    expect(remote.requested).toHaveLength(requests);
    await desktop.pressButtons(0);
    await reopen();
    await shows(title, 'Home');
    remote.present(first.server);
  });

  test('are renamed and removed with everything that they stored', async () => {
    await desktop.choose('Manage Servers…');
    await whenTitled('Servers');
    await desktop.fillIn('Servers', '[data-kind=rename] [name=name]', 'Our team');
    await desktop.clickIn('Servers', '[data-kind=rename] button');
    await whenTitled(titleOf('Our team', remote));
    expect(await desktop.menu()).toContain('Our team');
    await desktop.evaluateIn(titleOf('Our team', remote), 'localStorage.setItem("kept", "1")');
    await desktop.pressButtons(0);
    await desktop.clickIn('Servers', '[data-kind=remove]');
    await until(async () => expect(await desktop.menu()).not.toContain('Our team'), patience);
    expect(await desktop.titles()).not.toContain(titleOf('Our team', remote));
    await save('Again', remote.origin);
    await desktop.clickIn('Servers', '[data-kind=open]');
    await shows(titleOf('Again', remote), 'Home');
    expect(await desktop.evaluateIn(titleOf('Again', remote), 'localStorage.getItem("kept")')).toBeNull();
  });

  test('have a sign-in of their own, and say when they cannot be reached', async () => {
    const team = await startServer();
    try {
      await save('Lab', team.url);
      await until(async () => expect(await desktop.menu()).toContain('Lab'), patience);
      await desktop.choose('Lab');
      const title = titleOf('Lab', { origin: team.url });
      await whenTitled(title);
      await shows(title, 'Sign in');
      expect(await desktop.evaluate('fetch("/api/v1/account/session/me").then((answer) => answer.status)')).toBe(200);
      await copiesIn(title);
    } finally {
      await team.stop();
    }
    await desktop.choose('Reload');
    await until(
      async () =>
        expect((await desktop.strip(titleOf('Lab', { origin: team.url }))).text).toContain('cannot be reached'),
      patience,
    );
  });
});
