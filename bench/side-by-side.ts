import { findTool } from '../e2e/fixtures/tool.ts';
import type { Run } from './api.ts';
import { openBareFolder, terraformDataModule } from './bare-tool.ts';
import { type CaseResult, compare, timed } from './median.ts';
import { type Product, withProduct } from './product.ts';
import { install } from './product-runs.ts';

const capsules = 20;
/** Runs at the same time, which is also the default of the server. */
const parallel = 2;

/** Plans of 20 Capsules that are requested at once, over the tool alone in 20 folders with the same parallelism. */
export function sideBySide(samples: number, entry: string): Promise<CaseResult[]> {
  const tool = findTool();
  const setting = { entry, files: 0, env: { GROUNDCTL_CONCURRENT_RUNS: String(parallel) } };
  return withProduct(setting, async (product) => {
    const ids: string[] = [];
    for (let index = 0; index < capsules; index += 1) ids.push((await install(product, `bench-${index}`)).capsuleId);
    const folders = ids.map(() => openBareFolder(tool, terraformDataModule(50)));
    try {
      const ours: number[] = [];
      const bare: number[] = [];
      for (let index = 0; index < samples; index += 1) {
        bare.push((await timed(() => inTurns(folders, (folder) => folder.plan()))).ms);
        ours.push((await timed(() => Promise.all(ids.map((id) => plan(product, id))))).ms);
      }
      return [compare(`${capsules} Capsules planned side by side`, ours, bare)];
    } finally {
      for (const folder of folders) folder.remove();
    }
  });
}

async function plan({ api }: Product, capsuleId: string): Promise<void> {
  const { run } = await api.post<{ run: Run }>(`/capsules/${capsuleId}/plan`);
  const status = await api.waitForRun(run.id);
  if (status !== 'succeeded' && status !== 'waiting_approval') throw new Error(`A plan ended ${status}.`);
}

/** Performs an action for each item, as many at the same time as the server does. */
async function inTurns<T>(items: readonly T[], action: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const work = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await action(item);
  };
  await Promise.all(Array.from({ length: parallel }, work));
}
