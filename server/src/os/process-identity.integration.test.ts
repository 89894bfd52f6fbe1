import { expect, test } from 'vitest';
import type { ProcessIdentity } from './process-identity.ts';
import { catchesSignal, identityOf, isAlive, killGroup, signalProcess } from './process-identity.ts';
import { spawnDetached } from './spawn.ts';

const sleeper = () =>
  spawnDetached({ file: '/bin/sleep', argv: ['60'], env: {}, stdio: ['ignore', 'ignore', 'ignore'] });

test('identifies a process only while it lives', async () => {
  const child = await sleeper();
  const identity = identityOf(child.pid) as ProcessIdentity;
  expect(isAlive(identity)).toBe(true);
  expect(signalProcess(identity, 'SIGTERM')).toBe(true);
  expect((await child.exited).signal).toBe('SIGTERM');
  expect(isAlive(identity)).toBe(false);
  expect(signalProcess(identity, 'SIGTERM')).toBe(false);
  expect(identityOf(child.pid)).toBeUndefined();
});

test('another start time or another boot is another process, and gets no signal', () => {
  const own = identityOf(process.pid) as ProcessIdentity;
  expect(isAlive({ ...own, startTime: '1' })).toBe(false);
  expect(isAlive({ ...own, bootId: 'other' })).toBe(false);
  expect(signalProcess({ ...own, startTime: '1' }, 'SIGKILL')).toBe(false);
});

test('a group ends as a whole', async () => {
  const child = await spawnDetached({
    file: '/bin/sh',
    argv: ['-c', 'sleep 60 & wait'],
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  expect(killGroup(identityOf(child.pid) as ProcessIdentity)).toBe(true);
  expect((await child.exited).signal).toBe('SIGKILL');
});

test.runIf(process.platform === 'linux')('reports whether a process catches a signal', async () => {
  const child = await sleeper();
  expect(catchesSignal(child.pid, 2)).toBe(false);
  expect(catchesSignal(2 ** 22 + 1, 2)).toBeUndefined();
  process.kill(child.pid, 'SIGKILL');
  await child.exited;
});
