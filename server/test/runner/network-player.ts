import { readFileSync } from 'node:fs';
import path from 'node:path';
import { probeSandbox } from '../../src/runner/probe.ts';
import { createBench, describeRun, tofu } from './capsule.ts';

/**
 * Scene to run: shell text that runs while a resource is created, with a network as the probe of this machine allows.
 */
type Play = { tool: string; script: string };
export type SimulationResult = { probe: Awaited<ReturnType<typeof probeSandbox>>; out: string };

/** Runs one apply as the user of this program, and prints the result. */
async function play({ tool, script }: Play): Promise<SimulationResult> {
  const bench = createBench();
  try {
    const probe = await probeSandbox();
    const { isolation } = probe;
    const capsule = bench.capsule({ sandbox: 'bwrap', tool: { ...tofu, path: tool }, files: during(script) });
    const change = isolation === undefined ? {} : { isolation };
    const spec = capsule.applySpec(await capsule.plan(change), change);
    await capsule.run(spec);
    try {
      return { probe, out: readFileSync(path.join(capsule.dir, 'tree/out'), 'utf8') };
    } catch {
      throw new Error(describeRun(spec.runDir));
    }
  } finally {
    await bench.end();
  }
}

/** A module that runs shell text while its resource is created, and stores its output. */
export const during = (script: string): { [file: string]: string } => ({
  'main.tf': `
resource "terraform_data" "a" {
  provisioner "local-exec" {
    command = "bash attack.sh >out 2>&1; true"
  }
}
`,
  'attack.sh': script,
});

/** Returns the result, from the last line of the output: a test runner may print other lines. */
export const readSimulationResult = (stdout: string): SimulationResult =>
  JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as SimulationResult;

if (process.argv[1] === import.meta.filename)
  process.stdout.write(`${JSON.stringify(await play(JSON.parse(process.argv[2] ?? '') as Play))}\n`);
