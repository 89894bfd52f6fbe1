import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { mergeChannels } from './merge-channels.ts';

const channel = (version: string, url: string) =>
  `version: ${version}\nfiles:\n  - url: ${url}\n    sha512: AA==\npath: ${url}\n`;

test('a merged channel has the packages of all builds', () => {
  const merged = parse(mergeChannels([channel('1.0.0', 'arm64.zip'), channel('1.0.0', 'x64.zip')]));
  expect(merged).toEqual({
    version: '1.0.0',
    files: [
      { url: 'arm64.zip', sha512: 'AA==' },
      { url: 'x64.zip', sha512: 'AA==' },
    ],
    path: 'arm64.zip',
  });
});

test('builds of different versions are not merged', () => {
  expect(() => mergeChannels([channel('1.0.0', 'a'), channel('1.0.1', 'b')])).toThrow('different versions');
});
