import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Tool, toolOutput } from '../e2e/fixtures/tool.ts';
import { timed } from './median.ts';

/** A module of `count` built-in resources, so that neither the start of a provider nor the network is measured. */
export function terraformDataModule(count: number): string {
  const resource = (index: number) => `resource "terraform_data" "item_${index}" {\n  input = "item ${index}"\n}\n`;
  const resources = Array.from({ length: count }, (_, index) => resource(index)).join('\n');
  return `${resources}\noutput "last" {\n  value = terraform_data.item_${count - 1}.output\n}\n`;
}

export type BareSample = { planMs: number; applyMs: number };

/**
 * One sample of the tool alone in a fresh folder that already holds the module: `init` + `plan -out` + `show -json`, then
 * `apply <plan>` + `output -json`. Times in milliseconds.
 */
export async function bareSample(tool: Tool, module: string): Promise<BareSample> {
  const cwd = mkdtempSync(path.join(os.tmpdir(), 'groundctl-bare-'));
  const run = (...args: string[]) => toolOutput(tool, { cwd, args });
  try {
    writeFileSync(path.join(cwd, 'main.tf'), module);
    const plan = await timed(async () => {
      await run('init', '-input=false');
      await run('plan', '-input=false', '-out=plan');
      await run('show', '-json', 'plan');
    });
    const apply = await timed(async () => {
      await run('apply', '-input=false', 'plan');
      await run('output', '-json');
    });
    return { planMs: plan.ms, applyMs: apply.ms };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
