import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { findBudgetProblems, lowerBudgets } from './budgets.ts';
import { countNames, countOpenings, countPhrases } from './count.ts';
import { declaredNames, splitName } from './declared-names.ts';
import { checkSpelling } from './spelling.ts';

const counts = (word: string, count: number) =>
  new Map([[word, Array.from({ length: count }, (_, at) => `a.ts:${at}`)]]);

describe('budgets', () => {
  it('accept a word that occurs as often as its budget says', () => {
    expect(findBudgetProblems(counts('old', 2), { old: 2 })).toEqual([]);
  });

  it('refuse one more occurrence, and list its locations', () => {
    expect(findBudgetProblems(counts('old', 2), { old: 1 })).toEqual([expect.stringMatching(/occurs 2 .* a\.ts:1$/s)]);
    expect(findBudgetProblems(counts('old', 1), {})).toHaveLength(1);
  });

  it('ask to be lowered when a word became rarer', () => {
    expect(findBudgetProblems(new Map(), { old: 1 })).toEqual([expect.stringContaining('npm run words -- --lower')]);
  });

  it('are lowered and never raised', () => {
    expect(lowerBudgets(counts('old', 2), { old: 3, rare: 1 })).toEqual({ old: 2 });
    expect(lowerBudgets(counts('old', 2), { old: 1 })).toEqual({ old: 1 });
  });
});

describe('names', () => {
  it('may hold a retired word when it is stored, or says that something was not found', () => {
    const text = 'const madeBy = 1; const runNotFound = 2; const runFound = 3;';
    expect([...countNames([{ path: 'server/src/a.ts', text }]).values()]).toEqual([['server/src/a.ts runFound']]);
  });

  it('are split into words', () => {
    expect(['isLocalOwner', 'HTTPServer', 'plan-again.ts', 'sha256Hex'].map(splitName)).toEqual([
      ['is', 'local', 'owner'],
      ['http', 'server'],
      ['plan', 'again', 'ts'],
      ['sha', 'hex'],
    ]);
  });

  it('are counted where they are declared, in every form of declaration', () => {
    const source = `
      const { a, b: [renamed], ...rest } = used;
      function run(parameter: Type, { inner = fallback }: Options) {}
      class Reader { #hidden = 1; read(line: string) {} }
      type Shape = { member: string };
      interface Port { method(): void }
      const arrow = (one: number) => ({ key: one });`;
    expect(declaredNames(source, false).sort()).toEqual(
      'Port Reader Shape a arrow inner line member method one parameter read renamed rest run'.split(' ').sort(),
    );
  });

  it('hold a retired word in code and in the name of a file', () => {
    const files = [{ path: 'server/src/os/room.ts', text: 'export const plannedDoor = 1;' }];
    expect([...countNames(files).keys()].sort()).toEqual(['door', 'room']);
  });
});

it('phrases are counted in documentation and not in code', () => {
  const text = 'This is no number.\nIt is no longer there.';
  expect([...countPhrases([{ path: 'docs/a.md', text }])]).toEqual([['is no …', ['docs/a.md:1']]]);
  expect(countPhrases([{ path: 'server/src/a.ts', text }]).size).toBe(0);
});

it('openings are doc comments that begin with a clause, and no other comments', () => {
  // Joined here, so that this file holds no such comment.
  const opening = (word: string) => ['/**', word, 'it was. */'].join(' ');
  const text = `${opening('What')}\n// How it is.\n/**\n * Whether it is.\n */\n/** Returns what it was. */`;
  expect([...countOpenings([{ path: 'server/src/a.ts', text }])]).toEqual([
    ['What', ['server/src/a.ts:1']],
    ['Whether', ['server/src/a.ts:3']],
  ]);
});

it('spelling reports unknown words and, separately, retired words, also inside a name', async () => {
  const cache = path.join(repositoryRoot, '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(path.join(cache, 'words-'));
  try {
    const file = path.join(folder, 'planted.ts');
    // Joined here, so that this file holds neither word.
    const [retired, misspelled] = [['To', 'ld'].join(''), ['qux', 'zyk'].join('')];
    writeFileSync(file, `const was${retired} = '${misspelled}';\n`);
    const { unknown, flagged } = await checkSpelling([file]);
    expect(unknown).toEqual([expect.stringMatching(new RegExp(`planted\\.ts:1 ${misspelled}$`))]);
    expect([...flagged.keys()]).toEqual([retired.toLowerCase()]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
