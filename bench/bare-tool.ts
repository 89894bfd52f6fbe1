import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { removeTree } from '#server/kernel/remove-tree';
import { cacheDir, type Tool, toolOutput } from '../e2e/fixtures/tool.ts';
import { timed } from './median.ts';

/** Filesystem mirror of the two real providers that `.ci/prepare` builds. */
export const providerMirror = path.join(cacheDir, 'providers');

/** A module of `count` built-in resources, so that neither the start of a provider nor the network is measured. */
export function terraformDataModule(count: number): string {
  const resource = (index: number) => `resource "terraform_data" "item_${index}" {\n  input = "item ${index}"\n}\n`;
  const resources = Array.from({ length: count }, (_, index) => resource(index)).join('\n');
  return `${resources}\noutput "last" {\n  value = terraform_data.item_${count - 1}.output\n}\n`;
}

/** A module of `count` resources of two real providers, in equal parts. */
export function providerModule(count: number): string {
  const resource = (index: number) =>
    index % 2 === 0
      ? `resource "time_static" "item_${index}" {\n  rfc3339 = "2026-01-01T00:00:00Z"\n}\n`
      : `resource "local_file" "item_${index}" {\n  filename = "\${path.module}/out/${index}.txt"\n  content  = "item ${index}"\n}\n`;
  const providers = '{\n    time  = { source = "hashicorp/time" }\n    local = { source = "hashicorp/local" }\n  }';
  const resources = Array.from({ length: count }, (_, index) => resource(index)).join('\n');
  return `terraform {\n  required_providers ${providers}\n}\n\n${resources}\noutput "first" {\n  value = time_static.item_0.unix\n}\n`;
}

export type BareSample = { planMs: number; applyMs: number };

/** The tool alone in a folder of its own that already holds the module. */
type BareFolder = {
  /** `init`, `plan -out` and `show -json`. */
  plan(): Promise<void>;
  /** `apply` of that plan and `output -json`. */
  apply(): Promise<void>;
  remove(): void;
};

/** Writes a module into a temporary folder. Providers are installed from `mirror`. */
export function openBareFolder(tool: Tool, module: string, mirror?: string): BareFolder {
  const cwd = mkdtempSync(path.join(os.tmpdir(), 'groundctl-bare-'));
  const cliConfig = path.join(cwd, 'tool.tfrc');
  const env = mirror === undefined ? {} : { TF_CLI_CONFIG_FILE: cliConfig };
  const run = (...args: string[]) => toolOutput(tool, { cwd, args, env });
  writeFileSync(path.join(cwd, 'main.tf'), module);
  if (mirror !== undefined) {
    writeFileSync(cliConfig, `provider_installation {\n  filesystem_mirror {\n    path = "${mirror}"\n  }\n}\n`);
  }
  return {
    plan: async () => {
      await run('init', '-input=false');
      await run('plan', '-input=false', '-out=plan');
      await run('show', '-json', 'plan');
    },
    apply: async () => {
      await run('apply', '-input=false', 'plan');
      await run('output', '-json');
    },
    remove: () => removeTree(cwd),
  };
}

/** One plan and one apply of the tool alone, in milliseconds. */
export async function bareSample(tool: Tool, module: string, mirror?: string): Promise<BareSample> {
  const folder = openBareFolder(tool, module, mirror);
  try {
    const plan = await timed(folder.plan);
    const apply = await timed(folder.apply);
    return { planMs: plan.ms, applyMs: apply.ms };
  } finally {
    folder.remove();
  }
}
