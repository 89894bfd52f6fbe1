import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { depth } from '../../../e2e/fixtures/depth.ts';
import { type Bench, type Capsule, createBench, describeRun, documentOf } from '../../test/runner/capsule.ts';

/** Applies that end in the same state they began with, because they restore changes from outside. */

const mirrorDir = path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'groundctl/providers');
const hasProviders = existsSync(path.join(mirrorDir, 'registry.opentofu.org/hashicorp/local'));
if (!hasProviders)
  console.warn('The providers for live tests are not built; the tests of restored states are skipped.');

let bench: Bench;
beforeAll(() => {
  bench = createBench();
});
afterAll(() => bench.end());

const providers = 'terraform {\n  required_providers {\n    local = { source = "hashicorp/local" }\n  }\n}\n';
const out = `\${path.module}/out`;
const fileBlock = (name: string, body: string): string =>
  `resource "local_file" "${name}" {\n  filename = "${out}/${name}\${try(count.index, "")}.txt"\n${body}\n}\n`;
const plainFile = (name: string, body: string): string =>
  `resource "local_file" "${name}" {\n  filename = "${out}/${name}.txt"\n${body}\n}\n`;
const filesIn = (capsule: Capsule): string[] =>
  readdirSync(path.join(capsule.dir, 'tree/out')).map((name) => path.join(capsule.dir, 'tree/out', name));

/** Plans and applies; fails with the journal unless the apply succeeds. */
async function converge(capsule: Capsule) {
  const plan = await capsule.plan();
  const { outcome, spec } = await capsule.apply(plan);
  expect(outcome, describeRun(spec.runDir)).toMatchObject({ succeeded: true, unfinished: [] });
  return plan.outcome;
}

const driftIn = async (capsule: Capsule): Promise<number> => {
  const spec = capsule.spec('drift_check');
  const outcome = await capsule.run(spec);
  if (outcome.kind !== 'plan') expect.fail(describeRun(spec.runDir));
  return documentOf(spec.runDir, outcome).drift.length;
};

describe.runIf(hasProviders).each(['bwrap', 'none'] as const)('an apply with sandbox %s', (sandbox) => {
  it('succeeds when it restores a deleted and an edited file, and replaces another with equal content', async () => {
    const main =
      providers +
      plainFile('deleted', '  content = "fixed"') +
      plainFile('edited', '  content = "fixed"') +
      plainFile('replaced', '  content = "fixed"\n  lifecycle {\n    replace_triggered_by = [local_file.edited]\n  }');
    const capsule = bench.capsule({ sandbox, mirrorDir, files: { 'main.tf': main } });
    await converge(capsule);
    const before = capsule.state?.text;
    rmSync(path.join(capsule.dir, 'tree/out/deleted.txt'));
    writeFileSync(path.join(capsule.dir, 'tree/out/edited.txt'), 'theirs');
    await converge(capsule);
    expect(capsule.state?.text).toBe(before);
    expect((await capsule.plan()).outcome.summary).toEqual({ add: 0, change: 0, destroy: 0 });
  });
});

describe.runIf(hasProviders)('an apply', () => {
  it('succeeds for import, moved, removed and Outputs alone', async () => {
    const rest = `
resource "terraform_data" "moved" {
  for_each = toset(["\\n$\${"])
}
resource "terraform_data" "imported" {}
`;
    const capsule = bench.capsule({
      sandbox: 'bwrap',
      files: { 'main.tf': 'resource "terraform_data" "a" {}\nresource "terraform_data" "b" {}\n' },
    });
    await converge(capsule);
    capsule.setFiles({
      'main.tf': `
moved {
  from = terraform_data.a
  to   = terraform_data.moved["\\n$\${"]
}
removed {
  from = terraform_data.b
  lifecycle {
    destroy = false
  }
}
import {
  to = terraform_data.imported
  id = "an-id"
}
${rest}`,
    });
    const plan = await converge(capsule);
    expect(plan.summary).toMatchObject({ import: 1, forget: 1 });
    for (const output of ['output "o" {\n  value = 1\n}\n', 'output "o" {\n  value = 2\n}\n', '']) {
      capsule.setFiles({ 'main.tf': rest + output });
      await converge(capsule);
    }
  });

  it('of 30 fixed and random resources succeeds after changes outside and inside', {
    timeout: 600_000,
  }, async () => {
    const main = (version: number) =>
      providers +
      fileBlock('fixed', `  count   = 10\n  content = "fixed"`) +
      `resource "terraform_data" "random" {\n  count            = 10\n  triggers_replace = ${version}\n}\n` +
      fileBlock('random', '  count   = 10\n  content = terraform_data.random[count.index].id');
    const capsule = bench.capsule({ sandbox: 'bwrap', mirrorDir, files: { 'main.tf': main(0) } });
    expect((await converge(capsule)).summary).toEqual({ add: 30, change: 0, destroy: 0 });
    let version = 0;
    const steps = {
      remove: () => {
        for (const file of filesIn(capsule)) rmSync(file);
        return 20;
      },
      edit: () => {
        for (const file of filesIn(capsule)) writeFileSync(file, 'theirs');
        return 20;
      },
      configure: () => {
        version += 1;
        capsule.setFiles({ 'main.tf': main(version) });
        return 0;
      },
    };
    const { remove, edit, configure } = steps;
    // In a deep run the shortest sequence that contains every order of the three.
    const quick = [remove, configure, edit];
    const deep = [remove, edit, configure, remove, edit, remove, configure, edit, remove];
    for (const step of depth({ quick, deep })) {
      const drifted = step();
      expect(await driftIn(capsule)).toBe(drifted);
      await converge(capsule);
    }
    expect(await driftIn(capsule)).toBe(0);
    expect((await capsule.plan()).outcome.summary).toEqual({ add: 0, change: 0, destroy: 0 });
  });
});
