import { expect, test } from 'vitest';
import { hasDisplay } from './display.ts';

test.each([
  ['linux', {}, false],
  ['linux', { DISPLAY: '' }, false],
  ['linux', { DISPLAY: ':0' }, true],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0', SSH_CONNECTION: '::1 1 ::1 2' }, true],
  ['darwin', {}, true],
  ['darwin', { SSH_CONNECTION: '::1 1 ::1 2' }, false],
  ['win32', {}, true],
])('%s with %o has a display: %s', (platform, env, expected) => {
  expect(hasDisplay(env, platform)).toBe(expected);
});
