import { EventEmitter } from 'node:events';
import { beforeEach, expect, test, vi } from 'vitest';
import { registerOpened } from './deep-link.ts';

const { app } = vi.hoisted(() => ({
  app: { isPackaged: true, setAsDefaultProtocolClient: vi.fn(), on: vi.fn() },
}));
vi.mock('electron', () => ({ app }));
beforeEach(() => vi.clearAllMocks());

const link = 'groundctl://install?git=https%3A%2F%2Fexample.com%2Fr';

test('passes on links and folders that the system opens; only an installed desktop registers for links', () => {
  const onOpened = vi.fn();
  registerOpened(onOpened);
  expect(app.setAsDefaultProtocolClient.mock.calls).toEqual([['groundctl']]);
  const event = Object.assign(new EventEmitter(), { preventDefault: vi.fn() });
  const handlers = Object.fromEntries(app.on.mock.calls);
  handlers['open-url'](event, link);
  handlers['open-file'](event, '/home/ada/network');
  expect(onOpened.mock.calls).toEqual([[link], ['/home/ada/network']]);
  expect(event.preventDefault).toHaveBeenCalledTimes(2);
  app.isPackaged = false;
  registerOpened(onOpened);
  expect(app.setAsDefaultProtocolClient).toHaveBeenCalledOnce();
});
