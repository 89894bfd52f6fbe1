import path from 'node:path';
import { parseArgs } from 'node:util';
import { repositoryRoot } from '#server/kernel/entry';
import { backups } from './backups.ts';
import { baselines } from './baselines.ts';
import { copies } from './copies.ts';
import { formHost } from './form-host.ts';
import { hangingReceivers } from './hanging-receivers.ts';
import { lists } from './lists.ts';
import { marks } from './marks.ts';
import type { CaseResult } from './median.ts';
import { pages } from './pages.ts';
import { redaction } from './redaction.ts';
import { resources } from './resources.ts';
import { runOverhead } from './run-overhead.ts';
import { search } from './search.ts';
import { sync } from './sync.ts';

/** Each group measures its cases and returns one result per case; `entry` is the built product. */
const groups: { [name: string]: (samples: number, entry: string) => Promise<CaseResult[]> } = {
  baselines,
  'run-overhead': runOverhead,
  sync,
  lists,
  pages,
  redaction,
  resources,
  search,
  marks,
  'hanging-receivers': hangingReceivers,
  backups,
  copies,
  'form-host': formHost,
};

const { values, positionals } = parseArgs({
  options: { samples: { type: 'string', default: '7' } },
  allowPositionals: true,
});
const samples = Number(values.samples);
const chosen = positionals.length === 0 ? Object.keys(groups) : positionals;
const unknown = chosen.filter((name) => groups[name] === undefined);
if (unknown.length > 0 || !Number.isInteger(samples) || samples < 1) {
  process.stderr.write(`Usage: node bench/run.ts [--samples N] [${Object.keys(groups).join('|')}]…\n`);
  process.exit(2);
}

const entry = path.join(repositoryRoot, 'dist/server/groundctl.js');
for (const name of chosen) {
  try {
    const results = (await groups[name]?.(samples, entry)) ?? [];
    for (const result of results) process.stdout.write(`${JSON.stringify(result)}\n`);
  } catch (error) {
    // A group that cannot run must not hide the results of the others.
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
