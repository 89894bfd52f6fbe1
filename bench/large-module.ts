import { findTool } from '../e2e/fixtures/tool.ts';
import { type BareSample, bareSample, terraformDataModule } from './bare-tool.ts';
import { type CaseResult, compare } from './median.ts';
import { withProduct } from './product.ts';
import { durationMs, measureRuns, type ProductSample, readingMs } from './product-runs.ts';

/** Cost of a Run over the tool alone, for a module of 1,000 built-in resources. */
export function largeModule(samples: number, entry: string): Promise<CaseResult[]> {
  const tool = findTool();
  const module = terraformDataModule(1_000);
  return withProduct({ entry, files: 0, module }, async (product) => {
    const ours: ProductSample[] = [];
    const bare: BareSample[] = [];
    for (let index = 0; index < samples; index += 1) {
      bare.push(await bareSample(tool, module));
      ours.push(await measureRuns(product, `bench-${index}`, readingMs));
    }
    const bareMs = (step: keyof BareSample) => bare.map((sample) => sample[step]);
    const times = (step: 'first' | 'next' | 'apply') => ours.map((sample) => durationMs(sample[step]));
    return [
      compare('1,000 resources: first plan', times('first'), bareMs('planMs')),
      compare('1,000 resources: next plan', times('next'), bareMs('planMs')),
      compare('1,000 resources: apply', times('apply'), bareMs('applyMs')),
    ];
  });
}
