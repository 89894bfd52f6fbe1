import { dialog } from 'electron';
import { expect, test, vi } from 'vitest';
import { endSuperseded } from './fault.ts';
import type { Texts } from './texts.ts';

vi.mock('electron', () => ({ app: {}, dialog: { showErrorBox: vi.fn() } }));

const t = { superseded: 'Another server was promoted', seeLog: 'The log:' } as Texts;

test('a server that another one replaces is stopped, and its reason is shown', async () => {
  const showErrorBox = vi.mocked(dialog.showErrorBox);
  const { promise: superseded, resolve } = Promise.withResolvers<string>();
  const stop = vi.fn(async () => expect(showErrorBox).not.toHaveBeenCalled());
  const ended = endSuperseded({ superseded }, { stop, createReport: () => ({ t, logFile: '/logs/server.log' }) });
  expect(stop).not.toHaveBeenCalled();
  resolve('Do not start it again.');
  await ended;
  expect(stop).toHaveBeenCalledTimes(1);
  const detail = 'Do not start it again.\n\nThe log: /logs/server.log';
  expect(showErrorBox.mock.calls).toEqual([['Another server was promoted', detail]]);
});
