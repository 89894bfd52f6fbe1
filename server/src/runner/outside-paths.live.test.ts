import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, createBench, describeRun, documentOf, recordsOf } from '../../test/runner/capsule.ts';

/* Files that a module writes outside the folder of its Capsule, with the real tool. */

const mirrorDir = path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'groundctl/providers');
const hasProviders = existsSync(path.join(mirrorDir, 'registry.opentofu.org/hashicorp/local'));
if (!hasProviders) console.warn('The providers for live tests are not built; the tests of outside paths are skipped.');

let bench: Bench;
beforeAll(() => {
  bench = createBench();
});
afterAll(() => bench.end());

const fileAt = (filename: string): string => `terraform {
  required_providers {
    local = { source = "hashicorp/local" }
  }
}
resource "local_file" "f" {
  filename = ${JSON.stringify(filename)}
  content  = "x"
}
`;
const warningsIn = (runDir: string) =>
  recordsOf(runDir).filter((record) => record.t === 'diagnostic' && record.code === 'path_outside_capsule');

describe.runIf(hasProviders)('a module that writes an absolute path', () => {
  it('is warned about in the plan and fails in the sandbox, with what refused the write and the remedy', async () => {
    const outside = path.join(tmpdir(), path.basename(bench.dir), 'out.txt');
    const capsule = bench.capsule({ sandbox: 'bwrap', mirrorDir, files: { 'main.tf': fileAt(outside) } });
    const plan = await capsule.plan();
    const warning = { severity: 'warning', code: 'path_outside_capsule', address: 'local_file.f' };
    const { diagnostics } = documentOf(plan.spec.runDir, plan.outcome);
    expect(diagnostics).toEqual([expect.objectContaining(warning)]);
    expect(diagnostics[0]?.message).toContain(outside);
    expect(warningsIn(plan.spec.runDir)).toEqual([expect.objectContaining(warning)]);
    const { outcome, spec } = await capsule.apply(plan);
    expect(outcome, describeRun(spec.runDir)).toMatchObject({ succeeded: false, errorCode: 'apply_failed' });
    expect(recordsOf(spec.runDir)).toContainEqual(
      expect.objectContaining({
        t: 'diagnostic',
        severity: 'error',
        detail: expect.stringMatching(/sandbox of the Run refused a write.*path\.module/),
      }),
    );
    expect(existsSync(outside)).toBe(false);
  });

  it('is written where the Capsule may write, and nowhere else once a link leads there', async () => {
    const shared = path.join(realpathSync(tmpdir()), `${path.basename(bench.dir)}-shared`);
    mkdirSync(shared);
    try {
      const outside = path.join(shared, 'out.txt');
      const files = { 'main.tf': fileAt(outside) };
      const capsule = bench.capsule({ sandbox: 'bwrap', mirrorDir, files, writablePaths: [shared] });
      const plan = await capsule.plan();
      expect(warningsIn(plan.spec.runDir)).toEqual([]);
      const { outcome, spec } = await capsule.apply(plan);
      expect(outcome.succeeded, describeRun(spec.runDir)).toBe(true);
      expect(readFileSync(outside, 'utf8')).toBe('x');
      rmSync(shared, { recursive: true });
      symlinkSync(bench.dir, shared);
      expect(warningsIn((await capsule.plan()).spec.runDir)).toHaveLength(1);
    } finally {
      rmSync(shared, { recursive: true });
    }
  });

  it('is not warned about below the folder of its module', async () => {
    const files = { 'main.tf': fileAt(`\${abspath(path.module)}/out.txt`) };
    const capsule = bench.capsule({ sandbox: 'bwrap', mirrorDir, files });
    const plan = await capsule.plan();
    expect(warningsIn(plan.spec.runDir)).toEqual([]);
    expect((await capsule.apply(plan)).outcome.succeeded).toBe(true);
    expect(readFileSync(path.join(capsule.dir, 'tree/out.txt'), 'utf8')).toBe('x');
  });
});

it('gives programs of an apply a TMPDIR outside /tmp that can be written to', async () => {
  const command = 'mktemp >where && (: >/tmp/x) 2>refused; true';
  const main = `resource "terraform_data" "a" {\n  provisioner "local-exec" {\n    command = "${command}"\n  }\n}\n`;
  const capsule = bench.capsule({ sandbox: 'bwrap', files: { 'main.tf': main } });
  const { outcome, spec } = await capsule.apply(await capsule.plan());
  expect(outcome.succeeded, describeRun(spec.runDir)).toBe(true);
  const textOf = (name: string): string => readFileSync(path.join(capsule.dir, 'tree', name), 'utf8');
  expect(textOf('where')).toMatch(/^\/svc\/tmp\//);
  expect(textOf('refused')).toContain('Read-only file system');
});
