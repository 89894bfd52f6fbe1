import type { Run } from './api.ts';
import { terraformDataModule } from './bare-tool.ts';
import { type CaseResult, compare, timed } from './median.ts';
import { type PooledProduct, withPools } from './pool-product.ts';
import { install } from './product-runs.ts';

const capsules = 20;
const machines = 4;
/** Runs at the same time on one machine. */
const concurrency = 2;

/** Plans of 20 Capsules that are requested at once, on four machines over one. All share the processors of this computer. */
export function poolMachines(samples: number, entry: string): Promise<CaseResult[]> {
  return withPools({ entry, module: terraformDataModule(50) }, async (product) => {
    const { harness } = product;
    await product.use(harness.pool);
    await harness.addMachine({ concurrency });
    const ids: string[] = [];
    for (let index = 0; index < capsules; index += 1) ids.push((await install(product, `bench-${index}`)).capsuleId);
    const one = await planRounds(product, { ids, samples });
    for (let index = 1; index < machines; index += 1) await harness.addMachine({ concurrency });
    const four = await planRounds(product, { ids, samples });
    return [compare(`pool: ${capsules} Capsules planned on ${machines} machines, against one`, four, one)];
  });
}

type Rounds = { ids: readonly string[]; samples: number };

/** Times rounds in which all Capsules are planned. The first round, in which machines fetch what they lack, does not count. */
async function planRounds({ api }: PooledProduct, { ids, samples }: Rounds): Promise<number[]> {
  const plan = async (capsuleId: string): Promise<void> => {
    const { run } = await api.post<{ run: Run }>(`/capsules/${capsuleId}/plan`);
    const status = await api.waitForRun(run.id);
    if (status !== 'succeeded') throw new Error(`A plan ended ${status}.`);
  };
  const times: number[] = [];
  for (let round = 0; round <= samples; round += 1) {
    const { ms } = await timed(() => Promise.all(ids.map(plan)));
    if (round > 0) times.push(ms);
  }
  return times;
}
