import { readdirSync } from 'node:fs';
import path from 'node:path';

const source = path.join(import.meta.dirname, 'server/src');
const foldersIn = (...names) =>
  readdirSync(path.join(source, ...names), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** Commits after this one are checked; those before it follow no convention. */
export const lastUncheckedCommit = '234fbeb08f70640a42f42d5ddbd304376325f02e';

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
