import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { timesOf } from '../../../e2e/fixtures/depth.ts';
import { hasRealProviders, makeMirror } from '../../../e2e/fixtures/mirror.ts';
import { createProviderModule } from '../../../e2e/fixtures/provider-modules.ts';
import { createRandom } from '../../../e2e/fixtures/random.ts';
import { findTool } from '../../../e2e/fixtures/tool.ts';
import { type Bench, type Capsule, createBench, documentOf, recordsOf } from '../../test/runner/capsule.ts';

/**
 * Plans and applies generated modules twice: with providers beside the tool, and without a sandbox, where the tool
 * starts them. GROUNDCTL_TEST_SEED repeats a run.
 */

const tool = findTool();
const times = timesOf({ quick: 4, deep: 200 });
let bench: Bench;
let mirrorDir: string;
beforeAll(async () => {
  bench = createBench();
  mirrorDir = path.join(bench.dir, 'mirror');
  mkdirSync(mirrorDir);
  await makeMirror(mirrorDir, tool);
});
afterAll(() => bench.end());

type Plain = { [name: string]: unknown };

/** Replaces what differs between two Runs of the same module: identities and times. */
function comparable(text: string): unknown {
  const replaced = text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'uuid')
    .replaceAll(/fak-[\w-]{24}/g, 'key')
    // All times of the modules themselves are in another year.
    .replaceAll(/20(?:2[5-9]|[3-9]\d)-\d\d-\d\dT[\d:.]+Z/g, 'time');
  return JSON.parse(replaced, function (this: Plain, key, value: unknown) {
    const isClock = this['rfc3339'] === 'time' && typeof value === 'number';
    // Digests of contents with identities.
    return isClock || /^(?:id|content_\w+)$/.test(key) ? `a ${typeof value}` : value;
  });
}

type Step = { errorCode?: string; document?: unknown; diagnostics: unknown; state?: unknown };

/** Reported problems; without those of a program that ends, whose text names folders. */
const diagnosticsOf = (runDir: string) =>
  recordsOf(runDir).flatMap((record) =>
    record.t === 'diagnostic' ? [`${record.severity} ${record.message} ${record.address ?? ''}`] : [],
  );

async function play(capsule: Capsule, operation: 'plan' | 'destroy_plan', isApplied: boolean): Promise<Step[]> {
  const spec = capsule.spec(operation);
  const outcome = await capsule.run(spec);
  const diagnostics = diagnosticsOf(spec.runDir);
  if (outcome.kind === 'failed') return [{ errorCode: outcome.errorCode, diagnostics }];
  if (outcome.kind !== 'plan') throw new Error('A plan has the outcome of another operation.');
  // Otherwise the plan would show nothing about providers beside the tool.
  expect(outcome.isShownByProviders).toBeUndefined();
  capsule.lock = outcome.lock;
  const planned = { document: comparable(JSON.stringify(documentOf(spec.runDir, outcome))), diagnostics };
  if (!isApplied) return [planned];
  const apply = await capsule.apply({ spec, outcome });
  const { lineage: _, ...state } = comparable(capsule.state?.text ?? '{}') as Plain;
  return [planned, { state, diagnostics: diagnosticsOf(apply.spec.runDir).sort() }];
}

test.runIf(hasRealProviders(tool)).for(Array.from({ length: times }, (_, index) => index))(
  'module %i has the same plans and states with providers beside the tool',
  { timeout: 240_000 },
  async (index) => {
    const { seed } = createRandom();
    const random = createRandom(seed + index);
    const module = createProviderModule(random);
    const isDestroyed = random.below(3) === 0;
    const steps = await Promise.all(
      (['bwrap', 'none'] as const).map(async (sandbox) => {
        const filesOf = (main: string) => ({ 'main.tf': main, 'given.txt': 'given content' });
        const capsule = bench.capsule({ sandbox, mirrorDir, files: filesOf(module.first) });
        const first = await play(capsule, 'plan', true);
        capsule.setFiles(filesOf(module.second));
        const second = await play(capsule, 'plan', index % 2 === 0);
        return [...first, ...second, ...(isDestroyed ? await play(capsule, 'destroy_plan', true) : [])];
      }),
    );
    // A module that no version of the tool accepts would compare nothing.
    if (!module.first.includes('fail = '))
      expect(steps[0]?.filter(({ errorCode }) => errorCode !== undefined)).toEqual([]);
    expect(steps[0], `seed ${random.seed}\n${module.first}\n-----\n${module.second}`).toEqual(steps[1]);
  },
);
