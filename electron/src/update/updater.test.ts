import { EventEmitter } from 'node:events';
import type { AppUpdater } from 'electron-updater';
import { expect, test } from 'vitest';
import type { Log } from '#server/index';
import { wrapUpdater } from './updater.ts';

/** An updater of the library, whose installer does this. */
class FakeUpdater extends EventEmitter {
  autoInstallOnAppQuit = true;
  readonly #install: (updater: FakeUpdater) => void;
  constructor(install: (updater: FakeUpdater) => void) {
    super();
    this.#install = install;
  }
  setFeedURL(): void {}
  quitAndInstall(): void {
    this.#install(this);
  }
}

const wrap = (fake: FakeUpdater) =>
  wrapUpdater(fake as unknown as AppUpdater, {
    channel: { url: 'https://example.test/stable/', publicKey: 'A'.repeat(43) },
    log: {} as Log,
  });

test.each<[string, (updater: FakeUpdater) => void]>([
  ['at once', (updater) => updater.emit('error', new Error('The password was not entered.'))],
  ['later', (updater) => setImmediate(() => updater.emit('error', new Error('The password was not entered.')))],
])('an installer that reports its failure %s rejects', async (_when, install) => {
  await expect(wrap(new FakeUpdater(install)).install()).rejects.toThrow('The password was not entered.');
});

test('nothing is installed when the desktop quits', () => {
  const fake = new FakeUpdater(() => undefined);
  wrap(fake);
  expect(fake.autoInstallOnAppQuit).toBe(false);
});
