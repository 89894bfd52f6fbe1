import { findTool } from '../e2e/fixtures/tool.ts';
import { type BareSample, bareSample, terraformDataModule } from './bare-tool.ts';
import { cloneSample, listSample } from './git-baseline.ts';
import { serveRepository } from './git-origin.ts';
import { type CaseResult, compare } from './median.ts';

/** The tool and Git alone, each as its own baseline: the speed of this machine without the product. */
export async function baselines(samples: number): Promise<CaseResult[]> {
  const tool = findTool();
  const origin = await serveRepository(5_000);
  try {
    const bare: BareSample[] = [];
    const clones: number[] = [];
    const lists: number[] = [];
    for (let index = 0; index < samples; index += 1) {
      bare.push(await bareSample(tool, terraformDataModule(50)));
      clones.push(await cloneSample(origin.url));
      lists.push(await listSample(origin.url));
    }
    const alone = (name: string, times: readonly number[]) => compare(name, times, times);
    return [
      alone(
        'bare plan',
        bare.map((sample) => sample.planMs),
      ),
      alone(
        'bare apply',
        bare.map((sample) => sample.applyMs),
      ),
      alone('bare clone', clones),
      alone('bare ls-remote', lists),
    ];
  } finally {
    await origin.close();
  }
}
