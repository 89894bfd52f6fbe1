import path from 'node:path';
import { parseArgs } from 'node:util';
import { repositoryRoot } from '#server/kernel/entry';
import { groups } from './groups.ts';
import type { BenchResult } from './median.ts';
import { reportedGroups, reportedRounds, writeReport } from './report.ts';
import { variantFilters } from './run-variants.ts';

const { values, positionals } = parseArgs({
  options: { samples: { type: 'string', default: '5' } },
  allowPositionals: true,
});
const samples = Number(values.samples);
const isReport = positionals[0] === 'report';
const rest = isReport ? positionals.slice(1) : positionals;
const filters = rest.filter((name) => variantFilters.includes(name));
const named = rest.filter((name) => !variantFilters.includes(name));
const isUnknown = named.some((name) => groups[name] === undefined);
if (isUnknown || !Number.isInteger(samples) || samples < 1) {
  const choices = `[${Object.keys(groups).join('|')}]… [${variantFilters.join('|')}]…`;
  process.stderr.write(`Usage: node bench/run.ts [--samples N] [report] ${choices}\n`);
  process.exit(2);
}

const entry = path.join(repositoryRoot, 'dist/server/groundctl.js');
const all = isReport ? reportedGroups : Object.keys(groups);
const results: BenchResult[] = [];
for (const name of named.length === 0 ? all : named) {
  const startedAt = performance.now();
  const rounds = isReport ? reportedRounds(name, samples) : samples;
  try {
    for (const result of (await groups[name]?.(rounds, entry, filters)) ?? []) {
      process.stdout.write(`${JSON.stringify(result)}\n`);
      results.push(result);
    }
  } catch (error) {
    // A group that cannot run must not hide the results of the others.
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
  if (isReport) process.stderr.write(`${name} took ${Math.round((performance.now() - startedAt) / 1_000)} seconds.\n`);
}
if (isReport) await writeReport(results, { isWhole: rest.length === 0 });
