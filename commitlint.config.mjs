import { readdirSync } from 'node:fs';
import path from 'node:path';

const source = path.join(import.meta.dirname, 'server/src');
const foldersIn = (...names) =>
  readdirSync(path.join(source, ...names), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** Commits after this one are checked. Earlier commits use scopes of folders that were renamed since. */
export const lastUncheckedCommit = '2ce90c415df5c6dd3c429e258d5d5e5a878e110e';

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
