import { expect, test } from 'vitest';
import { tagProblem } from './check-tag.ts';

const changelog = '# Changelog\n\n## 1.2.0, not released yet\n\n## 1.1.0 - 2026-11-27\n\n## 1.0.0\n';

const dataFolders = ['1.0.0-ledger-40.sql', '1.1.0-ledger-52.sql', '1.2.0-ledger-52.sql', 'write.ts'];

test.each([
  ['v1.1.0', '1.1.0'],
  ['v1.0.0', '1.0.0'],
])('accepts %s, whose section is complete', (tag, version) => {
  expect(tagProblem(tag, { version, changelog, dataFolders })).toBeUndefined();
});

test('refuses a tag of another version, a missing section and one that is not released', () => {
  expect(tagProblem('v1.1.1', { version: '1.1.0', changelog, dataFolders })).toContain('must be v1.1.0');
  expect(tagProblem('v1.3.0', { version: '1.3.0', changelog, dataFolders })).toContain('no section of 1.3.0');
  expect(tagProblem('v1.0.0', { version: '1.0.0', changelog, dataFolders: ['1.0.1-ledger-40.sql'] })).toContain(
    'no data folder of 1.0.0',
  );
  expect(tagProblem('v1.2.0', { version: '1.2.0', changelog, dataFolders })).toContain('Put the date into its heading');
});
