import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, type Capsule, createBench, recordsOf, tell } from './fixtures/capsule.ts';
import type { Job } from './job.ts';

let bench: Bench;
beforeAll(() => {
  bench = createBench();
});
afterAll(() => bench.end());

type Build = NonNullable<Job['build']>;
const buildOf = (
  commands: Build['commands'],
  outputs: readonly string[],
  more: Partial<Build> = {},
): Pick<Job, 'build'> => ({
  build: { commands, outputs, commandSeconds: 60, withoutSandbox: true, ...more },
});

/** A module that shows what was built, and what lies beside it. */
const module = {
  'main.tf': `
resource "terraform_data" "a" {
  input = file("\${path.module}/dist/greeting.txt")
}
output "greeting" {
  value = file("\${path.module}/dist/greeting.txt")
}
output "names" {
  value = join(",", fileset(path.module, "dist/**"))
}
`,
  'word.txt': 'hello',
  'make.sh': 'mkdir -p dist\nprintf "%s %s" "$(cat word.txt)" "$1" >dist/greeting.txt\necho made "$1"\necho oops >&2\n',
};

const outputsIn = (capsule: Capsule): { [name: string]: unknown } => {
  const { outputs } = JSON.parse(capsule.state?.text ?? '{"outputs":{}}') as {
    outputs: { [name: string]: { value: unknown } };
  };
  return Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value]));
};

const linesOf = (job: Job): string[] =>
  recordsOf(job.runDir).flatMap((record) =>
    record.t === 'log' && record.phase === 'build' ? [`${record.stream} ${record.text}`] : [],
  );

describe.each(['bwrap', 'none'] as const)('with sandbox %s', (sandbox) => {
  test('what a build makes is read by the plan, and the apply gets exactly that', async () => {
    const capsule = bench.capsule({ files: module, sandbox });
    const planned = await capsule.plan(buildOf([{ argv: ['sh', './make.sh', 'wide world'] }], ['dist']));
    expect(linesOf(planned.job), tell(planned.job.runDir)).toEqual(
      expect.arrayContaining([
        'system Command 1 of 1: sh ./make.sh "wide world"',
        'stdout made wide world',
        'stderr oops',
        'system Built: dist/greeting.txt, 16 bytes.',
      ]),
    );
    expect(planned.outcome.builtDigest).toMatch(/^sha256:[0-9a-f]{64}$/);
    const applied = (await capsule.apply(planned)).outcome;
    expect(applied).toMatchObject({ succeeded: true });
    expect(outputsIn(capsule)).toEqual({ greeting: 'hello wide world', names: 'dist/greeting.txt' });
    expect(existsSync(path.join(capsule.dir, 'build'))).toBe(false);
  });
});
