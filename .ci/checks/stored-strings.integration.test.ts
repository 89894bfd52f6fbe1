import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { listStoredStrings } from './stored-strings.ts';

it('strings that are stored or sent keep their names; a new one is added with vitest -u', async () => {
  const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx'], {
    cwd: repositoryRoot,
    encoding: 'utf8',
  });
  const files = paths
    .trim()
    .split('\n')
    .filter((name) => existsSync(path.join(repositoryRoot, name)))
    .map((name) => ({ path: name, text: readFileSync(path.join(repositoryRoot, name), 'utf8') }));
  await expect(`${listStoredStrings(files).join('\n')}\n`).toMatchFileSnapshot('stored-strings.txt');
});

it('a string is listed with its kind, once, and not from a test', () => {
  const text = "const a = path.join(dataDir, 'ledger.db');\nconst b = path.join(dataDir, 'ledger.db');";
  expect(
    listStoredStrings([
      { path: 'server/src/a.ts', text },
      { path: 'server/src/a.test.ts', text: "path.join(dataDir, 'other')" },
      { path: 'renderer/src/theme.ts', text: "const key = 'theme';" },
    ]),
  ).toEqual(['file ledger.db', 'storage theme']);
});
