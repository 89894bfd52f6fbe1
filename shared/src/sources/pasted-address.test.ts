import { expect, test } from 'vitest';
import { readPastedAddress } from './pasted-address.ts';

const plain = { wasSsh: false };
const copy = 'svc-copy:copy_01M7Z83NVFG2M6CEC4RENWJDTJ';

test.each([
  ['https://example.com/o/r', { url: 'https://example.com/o/r', ...plain }],
  ['  https://example.com/o/r.git/ ', { url: 'https://example.com/o/r.git', ...plain }],
  ['example.com/o/r', { url: 'https://example.com/o/r', ...plain }],
  ['git@example.com:o/r.git', { url: 'https://example.com/o/r.git', wasSsh: true }],
  ['example.com:o/r.git', { url: 'https://example.com/o/r.git', wasSsh: true }],
  ['ssh://git@example.com:2222/o/r.git', { url: 'https://example.com/o/r.git', wasSsh: true }],
  [
    'https://example.com/o/r/tree/v1.2.0/modules/net',
    { url: 'https://example.com/o/r', ref: 'v1.2.0', path: 'modules/net', ...plain },
  ],
  ['https://example.com/o/r/tree/main', { url: 'https://example.com/o/r', ref: 'main', ...plain }],
  ['https://example.com/o/r/blob/main/a/main.tf', { url: 'https://example.com/o/r', ref: 'main', path: 'a', ...plain }],
  ['https://example.com/o/r/blob/main/main.tf', { url: 'https://example.com/o/r', ref: 'main', ...plain }],
  ['https://example.com/g/s/r/-/tree/main/x', { url: 'https://example.com/g/s/r', ref: 'main', path: 'x', ...plain }],
  ['https://example.com/o/r/src/branch/dev/x/y', { url: 'https://example.com/o/r', ref: 'dev', path: 'x/y', ...plain }],
  ['https://example.com/o/r/src/abc123/x', { url: 'https://example.com/o/r', ref: 'abc123', path: 'x', ...plain }],
  [
    'git::https://example.com/o/r.git//modules/x?ref=v1',
    { url: 'https://example.com/o/r.git', ref: 'v1', path: 'modules/x', ...plain },
  ],
  [
    'git::ssh://git@example.com/o/r.git//x?ref=v1',
    { url: 'https://example.com/o/r.git', ref: 'v1', path: 'x', wasSsh: true },
  ],
  ['https://example.com/o/r.git?ref=main', { url: 'https://example.com/o/r.git', ref: 'main', ...plain }],
  ['http://127.0.0.1:8080/hello.git', { url: 'http://127.0.0.1:8080/hello.git', ...plain }],
  ['/home/ada/my modules/net', { url: 'file:///home/ada/my%20modules/net', ...plain }],
  ['C:\\code\\net', { url: 'file:///C:/code/net', ...plain }],
  ['file:///srv/git/net', { url: 'file:///srv/git/net', ...plain }],
  [copy, { url: copy, ...plain }],
  [`${copy}//modules/my%20net?ref=v1%2F2`, { url: copy, path: 'modules/my net', ref: 'v1/2', ...plain }],
])('recognizes %s', (text, expected) => expect(readPastedAddress(text)).toEqual(expected));

test.each([`${copy}//../up`, `${copy}//%zz`, `${copy}?ref=a..b`, `${copy}#x`, 'svc-copy:copy_1'])(
  '%j is not the address of a copy',
  (text) => expect(readPastedAddress(text)).toBeUndefined(),
);

test.each(['', '   ', 'hello', 'not a url', 'ftp://example.com/x', 'javascript:alert(1)', 'git::', 'https://'])(
  '%j is not a repository address',
  (text) => expect(readPastedAddress(text)).toBeUndefined(),
);

test.each(['https://e.com/o/r//%zz', 'https://e.com/o/r/tree/%ff', 'https://e.com/o/r/tree/main/%zz'])(
  'refuses %s, whose escapes are not UTF-8',
  (text) => expect(readPastedAddress(text)).toBeUndefined(),
);

test('refuses a path that leaves the repository', () => {
  expect(readPastedAddress('git::https://example.com/o/r.git//a/..%2f..?ref=v1')).toBeUndefined();
});
