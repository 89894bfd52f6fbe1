import { expect, test } from 'vitest';
import { matchesRecord } from './release-match.ts';

const record = {
  format: 1 as const,
  version: '2.0.0',
  ledger: 60,
  publishedAt: '2026-11-27T00:00:00Z',
  notesUrl: 'https://example.test/',
  signature: 'AAAA',
  files: [
    { name: 'Ground-Control-2.0.0.AppImage', sizeBytes: 9, sha512: 'AAAA' },
    { name: 'Ground-Control-2.0.0.deb', sizeBytes: 9, sha512: 'BBBB' },
  ],
};
const file = (url: string, sha512: string) => ({ url, sha512 });
const good = file('Ground-Control-2.0.0.AppImage', 'AAAA');

test('an update whose files are all in the signed record matches it', () => {
  expect(matchesRecord({ version: '2.0.0', files: [good, file('Ground-Control-2.0.0.deb', 'BBBB')] }, record)).toBe(
    true,
  );
});

test.each([
  ['another version', { version: '2.0.1', files: [good] }],
  ['another digest', { version: '2.0.0', files: [{ ...good, sha512: 'BBBB' }] }],
  ['a file that is not in the record', { version: '2.0.0', files: [good, file('extra.deb', 'BBBB')] }],
  ['a file at another address', { version: '2.0.0', files: [file(`https://other.test/${good.url}`, 'AAAA')] }],
  ['a file in another folder', { version: '2.0.0', files: [file(`../${good.url}`, 'AAAA')] }],
  ['no file', { version: '2.0.0', files: [] }],
])('an update with %s does not', (_what, update) => {
  expect(matchesRecord(update, record)).toBe(false);
});
