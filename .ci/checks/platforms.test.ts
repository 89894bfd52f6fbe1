import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import type { Concern } from '#server/kernel/platform-concern';
import { concerns } from '#server/kernel/platform-table';
import { platformsPage } from './platforms-page.ts';

/** Text of sources that depend on the operating system. A source that only passes the platform on does not. */
const dependence =
  /process\.platform [!=]==|\/proc\/|'\/dev\/|\bO_NOFOLLOW\b|\bO_NONBLOCK\b|get(?:eu|u)id\b|'\/bin\/sh'|\bsymlinkSync\b|xdg-open|\bmkfifo\b/;
/** Files that depend on nothing that a person could notice. */
const exempt: readonly string[] = [
  // A metric that is left out where it cannot be read.
  'server/src/domains/operator/metrics.ts',
  // A test server for the demo and the tests.
  'server/src/cli/git-http-server.ts',
  'server/src/kernel/platforms.ts',
  'server/src/kernel/platform-table.ts',
];

const listed = new Set(Object.values<Concern>(concerns).flatMap(({ files }) => files));
const sources = globSync(['{server,electron,shared}/src/**/*.ts', 'electron/*.ts'], { cwd: repositoryRoot }).filter(
  (file) => !file.endsWith('.test.ts'),
);

it('docs/platforms.md is what the table says', async () => {
  await expect(platformsPage()).toMatchFileSnapshot('../../docs/platforms.md');
});

it('the table names every source that depends on the operating system, and only sources that exist', () => {
  // Almost every file of the desktop depends on the system.
  const checked = sources.filter((file) => !file.startsWith('electron/'));
  const dependent = checked.filter((file) => dependence.test(readFileSync(path.join(repositoryRoot, file), 'utf8')));
  expect(dependent.filter((file) => !listed.has(file) && !exempt.includes(file))).toEqual([]);
  expect([...listed, ...exempt].filter((file) => !sources.includes(file))).toEqual([]);
});
