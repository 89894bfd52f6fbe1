import { setTimeout as pause } from 'node:timers/promises';
import { terraformDataModule } from './bare-tool.ts';
import { type CaseResult, compare } from './median.ts';
import { localPool, type PooledProduct, withPools } from './pool-product.ts';
import { durationMs, measureRuns, readingMs } from './product-runs.ts';

/** First plan, apply and next plan on a machine over the same on the server. */
export function pools(samples: number, entry: string): Promise<CaseResult[]> {
  return withPools({ entry, module: terraformDataModule(50) }, async (product) => {
    const { harness } = product;
    await harness.addMachine();
    const times = { local: [] as Sample[], pool: [] as Sample[] };
    await pause(readingMs);
    for (let index = 0; index < samples; index += 1) {
      await product.use(localPool);
      times.local.push(await sample(product, `local-${index}`));
      await product.use(harness.pool);
      times.pool.push(await sample(product, `pool-${index}`));
    }
    const steps = [
      ['first plan', 'first'],
      ['next plan', 'next'],
      ['apply', 'apply'],
      ['first log line', 'log'],
    ] as const;
    return steps.map(([name, step]) =>
      compare(
        `pool: ${name}, against the server's machine`,
        times.pool.map((one) => one[step]),
        times.local.map((one) => one[step]),
      ),
    );
  });
}

type Sample = { first: number; next: number; apply: number; log: number };

async function sample(product: PooledProduct, name: string): Promise<Sample> {
  const { first, next, apply } = await measureRuns(product, name, readingMs);
  return {
    first: durationMs(first),
    next: durationMs(next),
    apply: durationMs(apply),
    log: first.firstLogAt - first.requestedAt,
  };
}
