import type { BrowserWindow } from 'electron';
import { beforeEach, expect, test, vi } from 'vitest';
import { confirmOpenApp } from './open-app.ts';

const { openExternal, showMessageBoxSync } = vi.hoisted(() => ({
  openExternal: vi.fn(async () => undefined),
  showMessageBoxSync: vi.fn(),
}));
vi.mock('electron', () => ({
  app: { getLocale: () => 'en-GB' },
  dialog: { showMessageBoxSync },
  shell: { openExternal },
}));
beforeEach(() => vi.clearAllMocks());

const window = {} as BrowserWindow;
const address = 'notes://done?host_url=http%3A%2F%2F127.0.0.1&product=notes&run_id=apply_1&capsule_id=cap_1';

test('opens an app when the person, who sees the whole address, agrees', () => {
  showMessageBoxSync.mockReturnValue(0);
  confirmOpenApp(window, address);
  const [shownIn, options] = showMessageBoxSync.mock.calls[0] ?? [];
  expect(shownIn).toBe(window);
  expect(options).toMatchObject({ buttons: ['Open', 'Cancel'], defaultId: 1, cancelId: 1 });
  expect(options.detail).toContain(address);
  expect(openExternal.mock.calls).toEqual([[address]]);
});

test('opens no app when the person does not agree', () => {
  showMessageBoxSync.mockReturnValue(1);
  confirmOpenApp(window, address);
  expect(openExternal).not.toHaveBeenCalled();
});
