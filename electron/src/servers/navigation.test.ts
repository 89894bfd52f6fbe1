import { expect, test, vi } from 'vitest';
import { decideServerNavigation, isServerRequestAllowed } from './navigation.ts';

vi.mock('electron', () => ({ shell: {} }));

const origin = 'https://team.example';
const back = (uri: string, host = origin) =>
  `${uri}?host_url=${encodeURIComponent(host)}&product=notes&run_id=apply_1&capsule_id=cap_1`;

test.each([
  [`${origin}/`, 'inside'],
  ['HTTPS://TEAM.example:443/runs#x', 'inside'],
  ['https://opentofu.org/docs/', 'browser'],
  ['http://team.example/', 'browser'],
  ['https://team.example:8443/', 'browser'],
  ['https://team.example.evil.example/', 'browser'],
  [back('https://app.example/done'), 'browser'],
  [back('notes://done'), 'app'],
  [back('notes://done', 'http://127.0.0.1:4600'), 'denied'],
  [back('groundctl://install'), 'denied'],
  [back('groundctl://done'), 'denied'],
  ['groundctl://install?git=https%3A%2F%2Fexample.com%2Fr', 'denied'],
  ['groundctl://runs/run_1', 'denied'],
  [back('GROUNDCTL://install'), 'denied'],
  ['http://127.0.0.1:4600/', 'denied'],
  ['http://127.0.0.1:4600/new?git=https%3A%2F%2Fexample.com%2Fr', 'denied'],
  ['http://localhost:4600/', 'denied'],
  ['http://LOCALHOST:4600/', 'denied'],
  ['http://0x7f.1:4600/', 'denied'],
  ['http://2130706433:4600/', 'denied'],
  ['http://0:4600/', 'denied'],
  ['http://[::1]:4600/', 'denied'],
  ['http://[::ffff:127.0.0.1]:4600/', 'denied'],
  ['http://app.localhost:4600/', 'denied'],
  [back('https://127.0.0.1:4600/done'), 'denied'],
  ['https://team.example@evil.example/', 'denied'],
  ['file:///etc/passwd', 'denied'],
  ['file://team.example/share', 'denied'],
  ['data:text/html,x', 'denied'],
  [`blob:${origin}/1b4e28ba`, 'denied'],
  ['javascript:alert(1)', 'denied'],
  ['about:blank', 'denied'],
  ['devtools://devtools/bundled/inspector.html', 'denied'],
  ['chrome://settings', 'denied'],
  ['smb://evil.example/share', 'denied'],
  ['mailto:a@b.example', 'denied'],
  ['', 'denied'],
])('the page of a saved server opens %s: %s', (address, decision) => {
  expect(decideServerNavigation(address, origin)).toBe(decision);
});

test.each([
  [`${origin}/api/v1/runs`, 'xhr', true],
  [`${origin}/`, 'mainFrame', true],
  [`${origin}/assets/x.js`, 'script', true],
  ['wss://team.example/events', 'webSocket', true],
  [`blob:${origin}/1b4e28ba`, 'other', true],
  ['data:image/png;base64,eA==', 'image', true],
  [`${origin}/`, 'subFrame', false],
  [`blob:${origin}/1b4e28ba`, 'subFrame', false],
  [`blob:${origin}/1b4e28ba`, 'mainFrame', false],
  ['blob:https://evil.example/1b4e28ba', 'other', false],
  ['data:text/html,x', 'mainFrame', false],
  ['data:text/html,x', 'object', false],
  ['http://127.0.0.1:4600/api/v1/account/session/me', 'xhr', false],
  ['http://localhost:4600/', 'image', false],
  ['ws://127.0.0.1:4600/', 'webSocket', false],
  ['ws://team.example/events', 'webSocket', false],
  ['https://evil.example/collect', 'ping', false],
  ['http://169.254.169.254/latest/meta-data/', 'xhr', false],
  ['http://10.0.0.1/', 'mainFrame', false],
  ['https://team.example:8443/', 'xhr', false],
  ['file:///etc/passwd', 'xhr', false],
  ['ftp://team.example/', 'other', false],
  ['filesystem:https://team.example/x', 'other', false],
  ['not an address', 'xhr', false],
] as const)('a request to %s as %s is sent: %s', (address, type, is) => {
  expect(isServerRequestAllowed(address, type, origin)).toBe(is);
});

test('a server behind http on this machine reaches only its own port', () => {
  const tunnel = 'http://127.0.0.1:4601';
  expect(isServerRequestAllowed('ws://127.0.0.1:4601/x', 'webSocket', tunnel)).toBe(true);
  expect(isServerRequestAllowed('http://127.0.0.1:4600/', 'xhr', tunnel)).toBe(false);
  expect(decideServerNavigation('http://127.0.0.1:4601/runs', tunnel)).toBe('inside');
  expect(decideServerNavigation('http://127.0.0.1:4600/runs', tunnel)).toBe('denied');
});
