import { readdirSync } from 'node:fs';
import path from 'node:path';

const source = path.join(import.meta.dirname, 'server/src');
const foldersIn = (...names) =>
  readdirSync(path.join(source, ...names), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** Commits after this one are checked. Earlier commits use scopes of folders that were renamed since. */
export const lastUncheckedCommit = 'e1802c5b0963d6372db23e89a85b791a1ecc4421';

export default {
  extends: ['@commitlint/config-conventional'],
  rules: {
    'header-max-length': [2, 'always', 72],
    'scope-enum': [
      2,
      'always',
      [
        ...foldersIn(),
        ...foldersIn('domains'),
        ...foldersIn('drivers'),
        'bench',
        'ci',
        'e2e',
        'electron',
        'release',
        'shared',
        'ui',
      ],
    ],
  },
};
