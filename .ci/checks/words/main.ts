// Checks spelling and retired words: `npm run words`. With --lower it lowers the budgets of words that became rarer.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '#server/kernel/entry';
import { type Budgets, findBudgetProblems, lowerBudgets, type Occurrences } from './budgets.ts';
import { countNames, countOpenings, countPhrases } from './count.ts';
import { checkSpelling } from './spelling.ts';

const budgetsFile = path.join(import.meta.dirname, 'budgets.json');
const kinds = ['everywhere', 'names', 'phrases', 'openings'] as const;
type Kind = (typeof kinds)[number];

const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
  cwd: repositoryRoot,
  encoding: 'utf8',
})
  .split('\0')
  .filter((name) => name !== '' && existsSync(path.join(repositoryRoot, name)));
const files = paths
  .filter((name) => /\.(?:tsx?|md)$/.test(name))
  .map((name) => ({ path: name, text: readFileSync(path.join(repositoryRoot, name), 'utf8') }));

const { unknown, flagged } = await checkSpelling(paths);
const counts: Record<Kind, Occurrences> = {
  everywhere: flagged,
  names: countNames(files),
  phrases: countPhrases(files),
  openings: countOpenings(files),
};
const budgets = JSON.parse(readFileSync(budgetsFile, 'utf8')) as Record<Kind, Budgets>;

if (process.argv.includes('--lower')) {
  const lowered = Object.fromEntries(kinds.map((kind) => [kind, lowerBudgets(counts[kind], budgets[kind])]));
  writeFileSync(budgetsFile, `${JSON.stringify(lowered, null, 2)}\n`);
} else {
  const problems = kinds.flatMap((kind) =>
    findBudgetProblems(counts[kind], budgets[kind]).map((text) => `${kind}: ${text}`),
  );
  for (const one of unknown)
    problems.push(`spelling: ${one}. Correct it, or add it to .ci/checks/words/project-words.txt.`);
  for (const problem of problems) console.error(problem);
  console.log(
    `words: ${paths.length} files, ${problems.length === 0 ? 'nothing to correct' : `${problems.length} problems`}`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}
