import { EventEmitter } from 'node:events';
import { beforeEach, expect, test, vi } from 'vitest';
import { deepLinkAddress, findDeepLink, registerDeepLinks } from './deep-link.ts';

const { app } = vi.hoisted(() => ({
  app: { isPackaged: true, setAsDefaultProtocolClient: vi.fn(), on: vi.fn() },
}));
vi.mock('electron', () => ({ app }));
beforeEach(() => vi.clearAllMocks());

const link = 'groundctl://install?git=https%3A%2F%2Fexample.com%2Fr';
const origin = 'http://127.0.0.1:4600';

test('finds a link among the arguments of the program', () => {
  expect(findDeepLink(['/opt/ground-control', '--enable-x', link])).toBe(link);
  for (const other of [
    'https://ground.example/install?git=x',
    'groundctl://other?git=x',
    'groundctl:install?git=x',
    '--url=groundctl://install?git=x',
  ])
    expect(findDeepLink(['/opt/ground-control', other])).toBeUndefined();
});

test('opens only its review, whatever it contains', () => {
  expect(deepLinkAddress(link, origin)).toBe(`${origin}/new?git=https%3A%2F%2Fexample.com%2Fr`);
  expect(deepLinkAddress('groundctl://install?x=//evil.example/@', origin)).toBe(`${origin}/new?x=//evil.example/@`);
  expect(deepLinkAddress('groundctl://install', origin)).toBe(`${origin}/new`);
});

test('an installed desktop handles links of the system', () => {
  const onLink = vi.fn();
  registerDeepLinks(onLink);
  expect(app.setAsDefaultProtocolClient.mock.calls).toEqual([['groundctl']]);
  const [name, onOpenUrl] = app.on.mock.calls[0] ?? [];
  const event = Object.assign(new EventEmitter(), { preventDefault: vi.fn() });
  expect(name).toBe('open-url');
  onOpenUrl(event, link);
  onOpenUrl(event, 'groundctl://elsewhere');
  expect(onLink.mock.calls).toEqual([[link]]);
  expect(event.preventDefault).toHaveBeenCalledTimes(2);
  app.isPackaged = false;
  registerDeepLinks(onLink);
  expect(app.setAsDefaultProtocolClient).toHaveBeenCalledOnce();
});
