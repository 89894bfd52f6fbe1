import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readWholeJournal } from '#server/runner/contract/journal';
import { writeSection } from './doc-section.ts';
import type { ProfileResult } from './median.ts';
import { withProduct } from './product.ts';
import { durationMs, measureRuns, type ProductSample, type RunTimes, readingMs } from './product-runs.ts';
import { type ProfiledRun, type ProfileRow, profileRows, profileTable, wholeOf } from './profile-rows.ts';
import { type BenchModule, benchModule } from './run-modules.ts';
import { selectVariants } from './run-variants.ts';

type Step = 'first' | 'next' | 'apply';
const steps: readonly (readonly [Step, string])[] = [
  ['first', 'first plan'],
  ['next', 'next plan'],
  ['apply', 'apply'],
];
type Column = { title: string; rows: ProfileRow[] };

/**
 * Shows where the time of a Run goes, from the times that its journal and the ledger hold, and writes the table to
 * `docs/performance.md`. Each column is the round with the median duration. The filters select modules.
 */
export async function profile(samples: number, entry: string, filters: readonly string[]): Promise<ProfileResult[]> {
  const modules = new Set(selectVariants(filters).map((variant) => variant.module));
  const columns: Column[] = [];
  for (const name of modules) columns.push(...(await profileModule(benchModule(name), samples, entry)));
  writeSection('profile', profileTable(columns));
  return columns.map(({ title, rows }) => ({
    case: `profile: ${title}`,
    medianMs: wholeOf(rows),
    parts: Object.fromEntries(rows.flatMap(([name, ms]) => (ms === undefined ? [] : [[name, ms]]))),
    samples,
  }));
}

function profileModule(module: BenchModule, samples: number, entry: string): Promise<Column[]> {
  return withProduct({ entry, files: 0, module: module.text, env: module.env }, async (product) => {
    const rounds: ProductSample[] = [];
    await pause(readingMs);
    for (let index = 0; index < samples; index += 1) {
      rounds.push(await measureRuns(product, `bench-${index}`, readingMs));
    }
    const read = async (times: RunTimes): Promise<ProfiledRun> => {
      const { run } = await product.api.get<{ run: Record<string, string> }>(`/runs/${times.runId}`);
      const at = (name: string) => Date.parse(run[name] ?? '');
      const records = [...readWholeJournal(path.join(product.server.dataDir, 'runs', times.runId))];
      const rounded = { requestedAt: Math.round(times.requestedAt), endedAt: Math.round(times.endedAt) };
      return {
        ...rounded,
        createdAt: at('createdAt'),
        startedAt: at('startedAt'),
        finishedAt: at('finishedAt'),
        records,
      };
    };
    const columns: Column[] = [];
    for (const [step, title] of steps) {
      const times = middleOf(rounds.map((round) => round[step]));
      columns.push({ title: `${title}, ${module.title}`, rows: profileRows(await read(times)) });
    }
    return columns;
  });
}

/** Returns the Run whose duration is the median, or the shorter of the two middle ones. */
function middleOf(runs: readonly RunTimes[]): RunTimes {
  const sorted = [...runs].sort((a, b) => durationMs(a) - durationMs(b));
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) throw new Error('A profile needs at least one round.');
  return middle;
}
