import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';

/** Files in which an empty text stands for a missing id, with the reason. */
const allowed: Readonly<Record<string, string>> = {
  'renderer/src/components/provider-bindings/binding-row.tsx': 'a select without a choice has an empty value',
  'renderer/src/components/repository-access.tsx': 'a select without a choice has an empty value',
  'renderer/src/features/capsules/settings/runner-pool.tsx': 'a select without a choice has an empty value',
  'renderer/src/features/connections/connection-page.tsx': 'shown as text',
  'renderer/src/features/run-groups/layer.tsx': 'shown as text',
  'server/src/cli/client/run-text.ts': 'shown as text',
  'server/src/domains/connections/materials.ts': 'sealed values of the installation are bound to an empty Workspace',
  'server/src/domains/install-configs/digests.ts': 'sealed values of the installation are bound to an empty Workspace',
};

test('no code puts an empty text in the place of a missing id', () => {
  const files = globSync('{electron,renderer,server,shared}/src/**/*.{ts,tsx}', { cwd: repositoryRoot });
  const found = files
    .filter((file) => !/\.test\.tsx?$/.test(file))
    .filter((file) => /[iI]d\)? \?\? ''/.test(readFileSync(path.join(repositoryRoot, file), 'utf8')));
  expect(found.toSorted()).toEqual(Object.keys(allowed));
});
