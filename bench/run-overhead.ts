import { setTimeout as pause } from 'node:timers/promises';
import { findTool, type Tool, toolOutput } from '../e2e/fixtures/tool.ts';
import type { Api, Run } from './api.ts';
import { bareSample, terraformDataModule } from './bare-tool.ts';
import { type CaseResult, compare, timed } from './median.ts';
import { type Product, withProduct } from './product.ts';

/** Pause between two Runs, in which a person would read: long enough for the next supervisor to be prewarmed. */
const readingMs = 1_000;

type Sample = { firstMs: number; logMs: number; applyMs: number; nextMs: number };

/**
 * Cost of a Run over the tool alone, for a module of 50 built-in resources: first plan, plan of the unchanged Capsule,
 * apply, and the time to the first log line over one `version` call of the tool.
 */
export function runOverhead(samples: number, entry: string): Promise<CaseResult[]> {
  const tool = findTool();
  return withProduct({ entry, files: 0 }, async (product) => {
    const ours: Sample[] = [];
    const bare: { planMs: number; applyMs: number; startMs: number }[] = [];
    // Both sides in turn, so that load on the machine affects both.
    for (let index = 0; index < samples; index += 1) {
      await pause(readingMs);
      const startMs = (await timed(() => versionOf(tool))).ms;
      bare.push({ ...(await bareSample(tool, terraformDataModule(50))), startMs });
      ours.push(await productSample(product, index));
    }
    const pick = <T, K extends keyof T>(list: readonly T[], key: K) => list.map((sample) => sample[key]);
    return [
      compare('first plan', pick(ours, 'firstMs'), pick(bare, 'planMs')),
      compare('next plan', pick(ours, 'nextMs'), pick(bare, 'planMs')),
      compare('apply', pick(ours, 'applyMs'), pick(bare, 'applyMs')),
      compare('first log line', pick(ours, 'logMs'), pick(bare, 'startMs')),
    ];
  });
}

const versionOf = (tool: Tool) => toolOutput(tool, { cwd: '/', args: ['version'] });

/** Installs a Capsule and times its first plan from the step that creates the plan Run, its apply and one more plan. */
async function productSample({ api, workspaceId, origin }: Product, index: number): Promise<Sample> {
  const name = `bench-${index}`;
  const source = { name, url: origin.url, ref: 'main', path: '.' };
  const created = await api.createInstallPlan(workspaceId, { source, capsule: { name, environment: 'default' } });
  let watched: Promise<{ firstMs: number; logMs: number }> | undefined;
  const plan = await api.reconcile(created, ({ installPlan }, requestedAt) => {
    if (installPlan.planRunId !== undefined) watched ??= watch(api, installPlan.planRunId, requestedAt);
  });
  if (watched === undefined || plan.planRunId === undefined) throw new Error('The install plan made no plan Run.');
  const first = await watched;
  const planRunId = plan.planRunId;
  await pause(readingMs);
  const apply = await timed(async () => expectSuccess(await api.waitForRun((await api.apply(planRunId)).id)));
  await pause(readingMs);
  const next = await timed(async () => {
    const { run } = await api.post<{ run: Run }>(`/capsules/${plan.capsuleId}/plan`);
    expectSuccess(await api.waitForRun(run.id));
  });
  return { ...first, applyMs: apply.ms, nextMs: next.ms };
}

async function watch(api: Api, runId: string, requestedAt: number): Promise<{ firstMs: number; logMs: number }> {
  let logAt: number | undefined;
  const status = await api.waitForRun(runId, ({ event }) => {
    if (event === 'log') logAt ??= performance.now();
  });
  expectSuccess(status);
  const endAt = performance.now();
  return { firstMs: endAt - requestedAt, logMs: (logAt ?? endAt) - requestedAt };
}

function expectSuccess(status: string): void {
  if (status !== 'succeeded') throw new Error(`The Run ended ${status}: its time says nothing.`);
}
