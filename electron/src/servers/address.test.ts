import { expect, test } from 'vitest';
import { isLoopbackHost, readServerAddress } from './address.ts';

const read = (text: string) =>
  readServerAddress(text, { localOrigin: 'http://127.0.0.1:4600', saved: ['https://known.example'] });

test.each([
  ['https://team.example', 'https://team.example'],
  ['  https://Team.example/runs/run_1?x=1#y  ', 'https://team.example'],
  ['team.example', 'https://team.example'],
  ['team.example:8443/', 'https://team.example:8443'],
  ['https://team.example:443', 'https://team.example'],
  ['https://例え.jp', 'https://xn--r8jz45g.jp'],
  ['http://127.0.0.1:4601', 'http://127.0.0.1:4601'],
  ['http://localhost:8080', 'http://localhost:8080'],
  ['https://10.0.0.7', 'https://10.0.0.7'],
])('%s is the server %s', (text, origin) => {
  expect(read(text)).toEqual({ origin });
});

test.each([
  ['', 'invalid'],
  ['https://', 'invalid'],
  ['file:///etc/passwd', 'invalid'],
  ['javascript://team.example/alert(1)', 'invalid'],
  ['groundctl://install', 'invalid'],
  ['ftp://team.example', 'invalid'],
  ['https://team.example\u0000.evil.example', 'invalid'],
  ['https://team.example\u202e', 'invalid'],
  [`https://team.example/${'x'.repeat(2_048)}`, 'invalid'],
  ['https://team.example@evil.example', 'credentials'],
  ['https://user:word@team.example', 'credentials'],
  ['http://team.example', 'insecure'],
  ['http://10.0.0.7', 'insecure'],
  ['http://127.0.0.1.evil.example', 'insecure'],
  ['http://127.0.0.1:4600', 'this-machine'],
  ['http://localhost:4600/new', 'this-machine'],
  ['http://0x7f.1:4600', 'this-machine'],
  ['http://[::1]:4600', 'this-machine'],
  ['http://[::ffff:127.0.0.1]:4600', 'this-machine'],
  ['https://127.9.9.9:4600', 'this-machine'],
  ['https://known.example/login', 'known'],
])('%s is refused: %s', (text, refusal) => {
  expect(read(text)).toEqual({ refusal });
});

test.each([
  ['127.0.0.1', true],
  ['127.255.0.9', true],
  ['localhost', true],
  ['app.localhost', true],
  ['localhost.', true],
  ['0.0.0.0', true],
  ['[::1]', true],
  ['[::]', true],
  ['[::ffff:7f00:1]', true],
  ['127.0.0.1.evil.example', false],
  ['localhost.evil.example', false],
  ['10.0.0.1', false],
  ['[2001:db8::1]', false],
])('%s is a loopback host: %s', (host, is) => {
  expect(isLoopbackHost(host)).toBe(is);
});
