import { setTimeout as pause } from 'node:timers/promises';
import { findTool, toolOutput } from '../e2e/fixtures/tool.ts';
import { bareSample } from './bare-tool.ts';
import { cpuTimeMs } from './cpu-time.ts';
import { type CaseResult, compare, timed } from './median.ts';
import { isRoot, measureAsOrdinaryUser } from './ordinary-user.ts';
import { withProduct } from './product.ts';
import { durationMs, measureRuns, type ProductSample, readingMs } from './product-runs.ts';
import { benchModule } from './run-modules.ts';
import { caseName, filtersOf, goalOf, type RunVariant, selectVariants } from './run-variants.ts';

type Sample = { firstMs: number; logMs: number; applyMs: number; nextMs: number; cpuMs: number };
type BareTool = { planMs: number; applyMs: number; startMs: number; cpuMs: number };

/**
 * Cost of a Run over the tool alone: first plan, plan of the unchanged Capsule, apply, and the time to the first log
 * line over one `version` call of the tool. The processor time of an apply and a next plan, with the start of the next
 * supervisors, is compared with that of the bare plan and apply. Measured in each variant that the filters select.
 */
export async function runOverhead(samples: number, entry: string, filters: readonly string[]): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const variant of selectVariants(filters)) {
    try {
      results.push(...(await measureVariant(variant, samples, entry)));
    } catch (error) {
      // A variant that this machine cannot run must not hide the results of the others.
      const reason = error instanceof Error ? error.message : String(error);
      process.stderr.write(`run-overhead ${filtersOf(variant).join(' ')}: ${reason}\n`);
      process.exitCode = 1;
    }
  }
  return results;
}

async function measureVariant(variant: RunVariant, samples: number, entry: string): Promise<CaseResult[]> {
  if (variant.user === 'ordinary' && isRoot()) {
    return measureAsOrdinaryUser(['--samples', String(samples), 'run-overhead', ...filtersOf(variant)], entry);
  }
  if (variant.user === 'root' && !isRoot()) throw new Error('Only root can measure as root.');
  const tool = findTool();
  const { text, mirror, env } = benchModule(variant.module);
  return withProduct({ entry, files: 0, module: text, env }, async (product) => {
    const ours: Sample[] = [];
    const bare: BareTool[] = [];
    // Both sides in turn, so that load on the machine affects both.
    await pause(readingMs);
    for (let index = 0; index < samples; index += 1) {
      const startMs = (await timed(() => toolOutput(tool, { cwd: '/', args: ['version'] }))).ms;
      const cpuBefore = cpuTimeMs(process.pid, 'children');
      const sample = await bareSample(tool, text, mirror);
      bare.push({ ...sample, startMs, cpuMs: cpuTimeMs(process.pid, 'children') - cpuBefore });
      ours.push(sampleOf(await measureRuns(product, `bench-${index}`, variant.pace === 'reading' ? readingMs : 0)));
    }
    return compareSides(variant, ours, bare);
  });
}

const sampleOf = ({ first, next, apply, cpuMs }: ProductSample): Sample => ({
  firstMs: durationMs(first),
  logMs: first.firstLogAt - first.requestedAt,
  nextMs: durationMs(next),
  applyMs: durationMs(apply),
  cpuMs,
});

function compareSides(variant: RunVariant, ours: readonly Sample[], bare: readonly BareTool[]): CaseResult[] {
  const steps = [
    ['first plan', 'firstMs', 'planMs'],
    ['next plan', 'nextMs', 'planMs'],
    ['apply', 'applyMs', 'applyMs'],
    ['first log line', 'logMs', 'startMs'],
    ['processor time', 'cpuMs', 'cpuMs'],
  ] as const;
  return steps.map(([step, measured, baseline]) =>
    compare(
      caseName(variant, step),
      ours.map((sample) => sample[measured]),
      bare.map((sample) => sample[baseline]),
      goalOf(variant, step),
    ),
  );
}
