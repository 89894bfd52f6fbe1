import { expect, test } from 'vitest';
import { returnRisk } from './return-risk.ts';

test.each([
  ['smb://files.example/share', 'share'],
  ['SEARCH-MS://query', 'share'],
  ['ldap://directory.example/x', 'share'],
  ['sftp://host.example/x', 'share'],
  ['ssh://host.example', 'program'],
  ['git+ssh://host.example/x', 'program'],
  ['ms-msdt://id', 'program'],
  ['ms-word://ofe', 'program'],
  ['vscode://file/x', 'program'],
  ['x-man-page://1/ls', 'program'],
  ['https://app.example/done', undefined],
  ['notes://done', undefined],
  ['com.example.shell-notes://done', undefined],
  ['mscan://done', undefined],
])('%s: %s', (uri, risk) => {
  expect(returnRisk(uri)).toBe(risk);
});
