import { EventEmitter } from 'node:events';
import type { Session, WebContents } from 'electron';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { decideNavigation, guardContents, guardSession } from './navigation.ts';

const { openExternal } = vi.hoisted(() => ({ openExternal: vi.fn(async () => undefined) }));
vi.mock('electron', () => ({ shell: { openExternal } }));

const origin = 'http://127.0.0.1:4600';
const back = (uri: string, host = origin) =>
  `${uri}?host_url=${encodeURIComponent(host)}&product=notes&run_id=apply_1&capsule_id=cap_1`;
const confirmOpenApp = vi.fn();
beforeEach(() => openExternal.mockClear());

test.each([
  [`${origin}/`, 'inside'],
  [`${origin}/runs/run_1?line=4#L4`, 'inside'],
  ['HTTP://127.0.0.1:4600/x', 'inside'],
  ['http://0x7f.1:4600/x', 'inside'],
  ['https://opentofu.org/docs/', 'browser'],
  ['http://127.0.0.1:4601/', 'browser'],
  ['https://127.0.0.1:4600/', 'browser'],
  ['http://localhost:4600/', 'browser'],
  ['http://127.0.0.1:46000/', 'browser'],
  ['http://127.0.0.1.evil.example:4600/', 'browser'],
  ['http://127.0.0.1:4600.evil.example/', 'denied'],
  ['https://例え.jp/', 'browser'],
  ['http://127.0.0.1:4600@evil.example/', 'denied'],
  ['https://user:word@evil.example/', 'denied'],
  ['http://user@127.0.0.1:4600/', 'denied'],
  ['file:///etc/passwd', 'denied'],
  ['blob:http://127.0.0.1:4600/1b4e28ba', 'denied'],
  ['data:text/html,<h1>x</h1>', 'denied'],
  ['javascript:alert(1)', 'denied'],
  ['about:blank', 'denied'],
  ['view-source:http://127.0.0.1:4600/', 'denied'],
  ['devtools://devtools/bundled/inspector.html', 'denied'],
  ['chrome://settings', 'denied'],
  ['ms-msdt:/id PCWDiagnostic', 'denied'],
  ['vscode://file/etc', 'denied'],
  ['smb://evil.example/share', 'denied'],
  [back('notes://done'), 'app'],
  [back('com.example.notes:///done'), 'app'],
  [back('https://app.example/done'), 'browser'],
  [back('javascript://done'), 'denied'],
  [back('file:///etc'), 'denied'],
  [`${back('notes://done')}&more=1`, 'denied'],
  [`${back('notes://done')}#x`, 'denied'],
  [back('notes://done', 'http://127.0.0.1:4601'), 'denied'],
  [back('notes://done').replace('product=notes', 'product=No'), 'denied'],
  ['notes://done', 'denied'],
  ['mailto:a@b.example', 'denied'],
  ['//evil.example/', 'denied'],
  ['/runs', 'denied'],
  ['http://', 'denied'],
  ['', 'denied'],
])('%s is opened: %s', (address, decision) => {
  expect(decideNavigation(address, origin)).toBe(decision);
});

test('an address too long for any browser is not opened', () => {
  expect(decideNavigation(`https://opentofu.org/${'x'.repeat(2_048)}`, origin)).toBe('denied');
});

describe('a guarded window', () => {
  const loadURL = vi.fn(async () => undefined);
  let open: (details: { url: string }) => { action: string };
  let contents: EventEmitter;
  beforeEach(() => {
    loadURL.mockClear();
    const setWindowOpenHandler = (handler: typeof open) => {
      open = handler;
    };
    contents = Object.assign(new EventEmitter(), { setWindowOpenHandler, loadURL });
    guardContents(contents as unknown as WebContents, origin, confirmOpenApp);
  });
  const isStopped = (name: string, details: object) => {
    const preventDefault = vi.fn();
    contents.emit(name, { ...details, preventDefault });
    return preventDefault.mock.calls.length > 0;
  };

  test('follows its own links and passes an external link to the browser, normalized', () => {
    expect(isStopped('will-navigate', { url: `${origin}/runs` })).toBe(false);
    expect(openExternal).not.toHaveBeenCalled();
    expect(isStopped('will-navigate', { url: 'https://OpenTofu.org/a b\n"' })).toBe(true);
    expect(openExternal.mock.calls).toEqual([['https://opentofu.org/a%20b%22']]);
    expect(isStopped('will-navigate', { url: 'file:///etc/passwd' })).toBe(true);
    expect(openExternal).toHaveBeenCalledTimes(1);
  });

  test('asks before it follows a return link to an app, and passes nothing on automatically', () => {
    expect(isStopped('will-navigate', { url: back('notes://done') })).toBe(true);
    expect(confirmOpenApp.mock.calls).toEqual([[back('notes://done')]]);
    expect(isStopped('will-redirect', { url: back('notes://done') })).toBe(true);
    expect(open({ url: back('notes://done') })).toEqual({ action: 'deny' });
    expect(confirmOpenApp).toHaveBeenCalledTimes(1);
    expect(openExternal).not.toHaveBeenCalled();
  });

  test('blocks external redirects, every frame and every webview, and opens nothing for them', () => {
    expect(isStopped('will-redirect', { url: `${origin}/runs` })).toBe(false);
    expect(isStopped('will-redirect', { url: 'https://opentofu.org/' })).toBe(true);
    expect(isStopped('will-frame-navigate', { url: `${origin}/runs`, isMainFrame: false })).toBe(true);
    expect(isStopped('will-frame-navigate', { url: `${origin}/runs`, isMainFrame: true })).toBe(false);
    expect(isStopped('will-attach-webview', {})).toBe(true);
    expect(openExternal).not.toHaveBeenCalled();
  });

  test('never gets a second window', () => {
    const addresses = ['https://opentofu.org/', `${origin}/runs`, 'file:///etc/passwd', 'about:blank'];
    expect(addresses.map((url) => open({ url }))).toEqual(addresses.map(() => ({ action: 'deny' })));
    expect(openExternal.mock.calls).toEqual([['https://opentofu.org/']]);
    expect(loadURL.mock.calls).toEqual([[`${origin}/runs`]]);
  });
});

test('a guarded session refuses devices, dictionaries and every download but the files of the dashboard', () => {
  const set = { setPermissionRequestHandler: vi.fn(), setPermissionCheckHandler: vi.fn() };
  const more = { setDevicePermissionHandler: vi.fn(), setSpellCheckerEnabled: vi.fn() };
  const session = Object.assign(new EventEmitter(), set, more);
  guardSession(session as unknown as Session, origin);
  const request = set.setPermissionRequestHandler.mock.calls[0]?.[0];
  const check = set.setPermissionCheckHandler.mock.calls[0]?.[0];
  const requestPermission = (permission: string, requestingUrl: string) => {
    const answer = vi.fn();
    request(null, permission, answer, { requestingUrl });
    return [answer.mock.calls, check(null, permission, requestingUrl)];
  };
  expect(requestPermission('clipboard-sanitized-write', `${origin}/`)).toEqual([[[true]], true]);
  for (const [permission, url] of [
    ['clipboard-sanitized-write', 'https://evil.example/'],
    ['clipboard-sanitized-write', ''],
    ['notifications', `${origin}/`],
    ['clipboard-read', `${origin}/`],
    ['media', `${origin}/`],
    ['usb', `${origin}/`],
  ] as const)
    expect([permission, url, requestPermission(permission, url)]).toEqual([permission, url, [[[false]], false]]);
  expect(more.setDevicePermissionHandler.mock.calls[0]?.[0]()).toBe(false);
  expect(more.setSpellCheckerEnabled).toHaveBeenCalledWith(false);
  const log = `plan_${'0'.repeat(26)}.log`;
  const backupUrl = `/api/v1/workspaces/ws_${'0'.repeat(26)}/backups/bkp_${'0'.repeat(26)}/download`;
  const backup = `bkp_${'0'.repeat(26)}.age`;
  const kit = 'ground-control-recovery-kit-0123abcd-2026-11-27.txt';
  const copyUrl = `/api/v1/copies/copy_${'0'.repeat(26)}/repository`;
  const copy = `copy_${'0'.repeat(26)}.git.tar`;
  const setSaveDialogOptions = vi.fn();
  const isStopped = (url: string, name: string) => {
    const preventDefault = vi.fn();
    session.emit(
      'will-download',
      { preventDefault },
      { getURL: () => url, getFilename: () => name, setSaveDialogOptions },
    );
    return preventDefault.mock.calls.length > 0;
  };
  for (const [url, name] of [
    [`blob:${origin}/1b4e28ba`, 'stolen.txt'],
    [`blob:${origin}/1b4e28ba`, `${log}.exe`],
    [`blob:${origin}/1b4e28ba`, `../${log}`],
    [`${origin}/api/v1/runs/x/logs`, log],
    ['blob:https://evil.example/1b4e28ba', log],
    [`blob:${origin}0/1b4e28ba`, log],
    [`${origin}${backupUrl}`, 'stolen.txt'],
    [`${origin}${backupUrl}/more`, backup],
    [`${origin}/api/v1/runs/x/logs`, backup],
    [`https://evil.example${backupUrl}`, backup],
    [`blob:${origin}/1b4e28ba`, backup],
    [`${origin}${copyUrl}`, backup],
    [`${origin}${copyUrl}?x=1`, 'copy.tar'],
    [`${origin}/kit`, kit],
    [`blob:${origin}/1b4e28ba`, `../${kit}`],
  ] as const)
    expect([url, name, isStopped(url, name)]).toEqual([url, name, true]);
  expect(setSaveDialogOptions).not.toHaveBeenCalled();
  expect(isStopped(`blob:${origin}/1b4e28ba`, log)).toBe(false);
  expect(isStopped(`${origin}${backupUrl}`, backup)).toBe(false);
  expect(isStopped(`blob:${origin}/1b4e28ba`, kit)).toBe(false);
  expect(isStopped(`${origin}${copyUrl}`, copy)).toBe(false);
  const names = setSaveDialogOptions.mock.calls.map(([{ defaultPath }]) => defaultPath);
  expect(names).toEqual([log, backup, kit, copy]);
});
