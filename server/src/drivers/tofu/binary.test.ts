import { expect, test } from 'vitest';
import { programFolders } from './binary.ts';

test('the folders of PATH are searched, without relative ones', () => {
  expect(programFolders('/usr/bin:relative::/opt/bin', 'linux')).toEqual(['/usr/bin', '/opt/bin']);
  expect(programFolders('C:\\Tools;relative;D:\\bin', 'win32')).toEqual(['C:\\Tools', 'D:\\bin']);
});

test('on macOS the folders of Homebrew follow, which the Finder does not pass on', () => {
  const fromFinder = '/usr/bin:/bin:/usr/sbin:/sbin';
  expect(programFolders(fromFinder, 'darwin').slice(-2)).toEqual(['/opt/homebrew/bin', '/usr/local/bin']);
  expect(programFolders('/usr/local/bin:/usr/bin', 'darwin')).toEqual([
    '/usr/local/bin',
    '/usr/bin',
    '/opt/homebrew/bin',
  ]);
});
