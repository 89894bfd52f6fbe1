import { expect, test, vi } from 'vitest';
import { installIpc } from './ipc.ts';

type Frame = { url: string; parent: object | null } | null;
type Listener = (event: { senderFrame: Frame }, ...args: unknown[]) => unknown;
const { listeners } = vi.hoisted(() => ({ listeners: new Map<string, Listener>() }));
vi.mock('electron', () => ({
  ipcMain: { handle: (channel: string, listener: Listener) => listeners.set(channel, listener) },
  shell: {},
}));

const origin = 'http://127.0.0.1:4600';

test('the desktop answers only its own page, and passes on nothing that a page sends but a passphrase', async () => {
  const openFolder = vi.fn(async () => '/home/ada');
  const unseal = vi.fn(() => ({ sealed: false, oldKeys: 0 }));
  installIpc(origin, {
    'desktop:open-folder': openFolder,
    'desktop:new-sign-in-link': () => 'link',
    'desktop:version': () => '1.2.3',
    'desktop:unseal': unseal,
  });
  expect([...listeners.keys()].sort()).toEqual([
    'desktop:new-sign-in-link',
    'desktop:open-folder',
    'desktop:unseal',
    'desktop:version',
  ]);
  const invoke = (channel: string, senderFrame: Frame, sent: unknown = '/etc') =>
    listeners.get(channel)?.({ senderFrame }, sent);
  const own = { url: `${origin}/install`, parent: null };
  expect(await invoke('desktop:open-folder', own)).toBe('/home/ada');
  expect(openFolder.mock.calls).toEqual([[]]);
  expect([invoke('desktop:new-sign-in-link', own), invoke('desktop:version', own)]).toEqual(['link', '1.2.3']);
  expect(invoke('desktop:unseal', own, 'correct horse')).toEqual({ sealed: false, oldKeys: 0 });
  for (const sent of [null, { passphrase: 'x' }, 'x'.repeat(1_025)])
    expect(() => invoke('desktop:unseal', own, sent)).toThrow('at most 1024 characters');
  expect(unseal.mock.calls).toEqual([['correct horse']]);
  for (const frame of [
    null,
    { url: `${origin}/install`, parent: {} },
    { url: 'https://evil.example/', parent: null },
    { url: 'http://127.0.0.1:4601/', parent: null },
    { url: `blob:${origin}/1b4e28ba`, parent: null },
    { url: 'about:blank', parent: null },
  ])
    expect(() => invoke('desktop:new-sign-in-link', frame)).toThrow('Only the dashboard itself may use the desktop.');
});
