import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { attackKinds } from './fixtures/hostile/index.ts';
import { listsOf } from './fixtures/hostile/page.ts';

const page = readFileSync(path.join(repositoryRoot, 'docs/hostile-modules.md'), 'utf8');
const attacks = attackKinds.flat();
const lists = listsOf(attacks);

test.each(['everywhere', 'sandboxed', 'networked'] as const)(
  'the page about hostile modules lists what holds %s as it is tested',
  (name) => expect(page).toContain(`\n\n${lists[name]}\n`),
);

test('it states their number, and lists each once', () => {
  expect(page).toContain(`${attacks.length} attacks`);
  const lines = page.split('\n').filter((line) => line.startsWith('- '));
  expect(new Set(lines).size).toBe(attacks.length);
  expect(attacks.length).toBeGreaterThanOrEqual(60);
});
