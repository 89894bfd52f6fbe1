import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Bench,
  type Capsule,
  createBench,
  describeRun,
  recordsOf,
  terraform,
  tofu,
} from '../../test/runner/capsule.ts';
import type { ExecutionSpec } from './contract/execution-spec.ts';

/** Built once per machine beside the pinned tool. */
const mirrorDir = path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'groundctl/providers');
const hasProviders = existsSync(path.join(mirrorDir, 'registry.opentofu.org/hashicorp/local'));

let bench: Bench;
beforeAll(() => {
  bench = createBench();
});
afterAll(() => bench.end());

type Files = { readonly [path: string]: string };
const hint = { isWithoutPackages: true } as const;
const data = 'resource "terraform_data" "a" {\n  input = "x"\n}\n';
const settings = (text: string): string => `terraform {\n${text}\n}\n`;
const recordFile = (capsule: Capsule): string => path.join(capsule.dir, 'data/terraform.tfstate');
const recordIn = (capsule: Capsule): object => {
  const { version, backend } = JSON.parse(readFileSync(recordFile(capsule), 'utf8')) as {
    version: number;
    backend: object;
  };
  return { version, backend };
};

const commandsOf = ({ runDir }: ExecutionSpec): string[] =>
  recordsOf(runDir).flatMap((record) => (record.t === 'spawned' ? [record.command] : []));

/** Diagnostics of a Run without their times. */
const diagnosticsOf = ({ runDir }: ExecutionSpec): object[] =>
  recordsOf(runDir).flatMap((record) => (record.t === 'diagnostic' ? [{ ...record, at: 0 }] : []));

describe('a module without packages', () => {
  it.each([
    { tool: tofu, sandbox: 'bwrap' },
    { tool: tofu, sandbox: 'none' },
    { tool: terraform, sandbox: 'none' },
  ] as const)(
    'is planned without init, applied and planned again by $tool.name with sandbox $sandbox',
    async (machine) => {
      // A backend of the module's own is replaced.
      const own = settings('backend "s3" {\n  bucket = "b"\n  key = "k"\n  region = "r"\n}');
      const capsule = bench.capsule({
        ...machine,
        files: { 'main.tf': `${own}${data}output "a" {\n  value = 1\n}\n` },
      });
      const plan = await capsule.plan(hint);
      expect(commandsOf(plan.spec)).toEqual(['plan', 'show']);
      expect(plan.outcome).toMatchObject({ lock: '', summary: { add: 1 } });
      const phases = recordsOf(plan.spec.runDir).flatMap((record) =>
        record.t === 'phase' ? [`${record.phase} ${record.state}`] : [],
      );
      expect(phases).toEqual(['init started', 'init finished', 'plan started', 'plan finished']);
      const applied = await capsule.apply(plan);
      expect(applied.outcome, describeRun(applied.spec.runDir)).toMatchObject({ succeeded: true });
      expect(commandsOf(applied.spec)).toEqual(['apply']);
      const next = await capsule.plan(hint);
      expect(next.outcome.summary, describeRun(next.spec.runDir)).toEqual({ add: 0, change: 0, destroy: 0 });
      expect(recordsOf(next.spec.runDir)).toContainEqual(expect.objectContaining({ phase: 'init', state: 'reused' }));
    },
  );

  it.each([tofu, terraform])('has the record of its backend as $name writes it', async (tool) => {
    const capsule = bench.capsule({ sandbox: 'none', tool, files: { 'main.tf': data } });
    await capsule.plan(hint);
    const written = recordIn(capsule);
    capsule.setFiles({ 'main.tf': `${data}\n` });
    await capsule.plan();
    expect(written).toEqual(recordIn(capsule));
  });

  it('is planned again with init when the tool misses the state because the record is damaged', async () => {
    const capsule = bench.capsule({ sandbox: 'bwrap', files: { 'main.tf': data } });
    await capsule.apply(await capsule.plan(hint));
    writeFileSync(recordFile(capsule), readFileSync(recordFile(capsule), 'utf8').replace(/"hash":\d+/, '"hash":1'));
    const { spec, outcome } = await capsule.plan(hint);
    expect(outcome.summary).toEqual({ add: 0, change: 0, destroy: 0 });
    expect(commandsOf(spec)).toEqual(['plan', 'init', 'plan', 'show']);
  });

  it('is planned with init when it calls another module', async () => {
    const files = { 'main.tf': 'module "a" {\n  source = "./a"\n}\n', 'a/main.tf': data };
    const { spec, outcome } = await bench.capsule({ sandbox: 'bwrap', files }).plan(hint);
    expect(outcome.addresses).toEqual(['module.a.terraform_data.a']);
    expect(commandsOf(spec)).toEqual(['plan', 'init', 'plan', 'show']);
    expect(diagnosticsOf(spec)).toEqual([]);
  });

  it.runIf(hasProviders)('is planned with init when only its state needs a package', async () => {
    const file = 'resource "local_file" "f" {\n  filename = "written.txt"\n  content = "x"\n}\n';
    const capsule = bench.capsule({ sandbox: 'bwrap', files: { 'main.tf': file }, mirrorDir });
    // The hint is wrong here.
    expect((await capsule.apply(await capsule.plan(hint))).outcome.succeeded).toBe(true);
    capsule.setFiles({ 'main.tf': data });
    const { outcome } = await capsule.plan({ ...hint, lock: null });
    expect(outcome.lock).toContain('hashicorp/local');
  });
});

describe('a broken module fails as after an init:', () => {
  const broken: { [title: string]: Files } = {
    'a syntax error': { 'main.tf': 'resource "terraform_data" {' },
    'an unknown argument': { 'main.tf': 'resource "terraform_data" "a" {\n  none = 1\n}\n' },
    'an unknown reference': { 'main.tf': `${data}output "o" {\n  value = terraform_data.none.id\n}\n` },
    'a duplicate resource': { 'main.tf': data, 'more.tf': data },
    'a required version': { 'main.tofu': `${settings('required_version = "< 1.0"')}${data}` },
    'two backends': { 'main.tf': settings('backend "local" {}\nbackend "local" {}') + data },
    'a cloud block and a backend': { 'main.tf': settings('backend "local" {}\ncloud {}') + data },
    'a remote module': { 'main.tf': 'module "a" {\n  source = "git::https://example.invalid/a.git"\n}\n' },
    'a remote module in an override file': {
      'main.tf': 'module "a" {\n  source = "./a"\n}\n',
      'a/main.tf': data,
      'override.tf.json': '{"module":{"a":{"source":"git::https://example.invalid/a.git"}}}',
    },
    'a failed precondition': {
      'main.tf': `resource "terraform_data" "a" {\n  lifecycle {\n    precondition {\n      condition = 1 > 2\n      error_message = "never"\n    }\n  }\n}\n`,
    },
    'a missing variable': { 'main.tf': `variable "v" {}\n${data}` },
  };

  it.each(Object.entries(broken))('%s', async (_, files) => {
    const failures: object[] = [];
    for (const change of [{}, hint]) {
      const capsule = bench.capsule({ sandbox: 'bwrap', files });
      const spec = capsule.spec('plan', change);
      const outcome = await capsule.run(spec);
      expect(outcome.kind, describeRun(spec.runDir)).toBe('failed');
      failures.push({ outcome, diagnostics: diagnosticsOf(spec) });
    }
    expect(failures[1]).toEqual(failures[0]);
  });
});
