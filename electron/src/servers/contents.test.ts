import { EventEmitter } from 'node:events';
import type { WebContents } from 'electron';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { guardServerContents, guardSignInContents, lockOwnContents } from './contents.ts';

vi.mock('electron', () => ({ shell: {} }));

const origin = 'https://team.example';
const start = `${origin}/api/v1/auth/oidc/example/start?return=%2F`;
const appLink = `notes://done?host_url=${encodeURIComponent(origin)}&product=notes&run_id=apply_1&capsule_id=cap_1`;
const requests = { openInBrowser: vi.fn(), openApp: vi.fn(), signIn: vi.fn() };
const loadURL = vi.fn(async () => undefined);
const setWebRTCIPHandlingPolicy = vi.fn();
let open: (details: { url: string }) => { action: string };
let contents: EventEmitter;
beforeEach(() => {
  vi.clearAllMocks();
  const setWindowOpenHandler = (handler: typeof open) => {
    open = handler;
  };
  contents = Object.assign(new EventEmitter(), { setWindowOpenHandler, loadURL, setWebRTCIPHandlingPolicy });
});
const isStopped = (name: string, details: object = {}) => {
  const preventDefault = vi.fn();
  contents.emit(name, { ...details, preventDefault });
  return preventDefault.mock.calls.length > 0;
};
const called = () => Object.values(requests).flatMap(({ mock }) => mock.calls.flat());

describe('the page of a saved server', () => {
  beforeEach(() => guardServerContents(contents as unknown as WebContents, origin, requests));

  test('stays on its origin, and the person is asked about other pages and apps', () => {
    expect(isStopped('will-navigate', { url: `${origin}/runs` })).toBe(false);
    expect(called()).toEqual([]);
    expect(isStopped('will-navigate', { url: 'https://opentofu.org/' })).toBe(true);
    expect(isStopped('will-navigate', { url: appLink })).toBe(true);
    expect(requests.openInBrowser.mock.calls).toEqual([['https://opentofu.org/']]);
    expect(requests.openApp.mock.calls).toEqual([[appLink]]);
  });

  test.each([
    'http://127.0.0.1:4600/',
    'groundctl://install?git=x',
    'groundctl://runs/run_1',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'about:blank',
  ])('goes nowhere by %s, and nothing is asked', (url) => {
    expect(isStopped('will-navigate', { url })).toBe(true);
    expect(isStopped('will-redirect', { url, isMainFrame: true })).toBe(true);
    expect(open({ url })).toEqual({ action: 'deny' });
    expect([called(), loadURL.mock.calls]).toEqual([[], []]);
  });

  test('follows redirects of its origin only, and asks about no other one', () => {
    expect(isStopped('will-redirect', { url: `${origin}/home`, isMainFrame: true })).toBe(false);
    expect(isStopped('will-redirect', { url: 'https://evil.example/', isMainFrame: true })).toBe(true);
    expect(isStopped('will-redirect', { url: appLink, isMainFrame: true })).toBe(true);
    expect(called()).toEqual([]);
  });

  test('asks before it is sent to a sign-in provider, which it cannot imitate on this machine', () => {
    isStopped('will-navigate', { url: start });
    expect(isStopped('will-redirect', { url: 'https://login.example/authorize', isMainFrame: true })).toBe(true);
    expect(requests.signIn.mock.calls).toEqual([['https://login.example/authorize']]);
    for (const url of ['http://login.example/', 'https://127.0.0.1:4600/', 'groundctl://install?git=x', 'file:///etc'])
      expect([url, isStopped('will-redirect', { url, isMainFrame: true })]).toEqual([url, true]);
    isStopped('will-redirect', { url: 'https://login.example/authorize', isMainFrame: false });
    isStopped('will-navigate', { url: `${origin}/api/v1/auth/oidc/../start` });
    isStopped('will-redirect', { url: 'https://login.example/authorize', isMainFrame: true });
    expect(requests.signIn).toHaveBeenCalledOnce();
  });

  test('has no frame, no second window, and no say in how its window moves and closes', () => {
    expect(isStopped('will-frame-navigate', { url: `${origin}/`, isMainFrame: false })).toBe(true);
    expect(isStopped('will-frame-navigate', { url: `${origin}/`, isMainFrame: true })).toBe(false);
    expect(open({ url: `${origin}/runs` })).toEqual({ action: 'deny' });
    expect(loadURL.mock.calls).toEqual([[`${origin}/runs`]]);
    for (const name of ['will-attach-webview', 'will-prevent-unload', 'content-bounds-updated'])
      expect([name, isStopped(name)]).toEqual([name, true]);
    expect(setWebRTCIPHandlingPolicy.mock.calls).toEqual([['disable_non_proxied_udp']]);
  });
});

test('the window of a sign-in provider stays on https, and gives the page of the server back', () => {
  const onReturn = vi.fn();
  guardSignInContents(contents as unknown as WebContents, origin, onReturn);
  for (const url of [
    'https://login.example/',
    'https://other.example/consent',
    `${origin}/api/v1/auth/oidc/x/callback`,
  ])
    expect([url, isStopped('will-navigate', { url }), isStopped('will-redirect', { url })]).toEqual([
      url,
      false,
      false,
    ]);
  for (const url of ['http://login.example/', 'https://localhost:4600/', 'file:///etc/passwd', 'groundctl://install'])
    expect([url, isStopped('will-navigate', { url }), isStopped('will-redirect', { url })]).toEqual([url, true, true]);
  contents.emit('did-navigate', {}, 'https://login.example/consent');
  expect(onReturn).not.toHaveBeenCalled();
  contents.emit('did-navigate', {}, `${origin}/`);
  expect(onReturn.mock.calls).toEqual([[`${origin}/`]]);
  expect(open({ url: 'https://login.example/' })).toEqual({ action: 'deny' });
});

test('a page of the desktop itself goes nowhere', () => {
  lockOwnContents(contents as unknown as WebContents);
  expect(isStopped('will-navigate', { url: 'data:text/html,x' })).toBe(true);
  expect(isStopped('will-frame-navigate', { url: 'data:text/html,x', isMainFrame: true })).toBe(true);
  expect(open({ url: `${origin}/` })).toEqual({ action: 'deny' });
});
