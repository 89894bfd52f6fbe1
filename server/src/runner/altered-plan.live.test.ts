import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, type Capsule, createBench, describeRun, recordsOf, tofu } from '../../test/runner/capsule.ts';

/**
 * Plans that are altered while they are created, and applies that change more than planned: a script simulates what a
 * provider could do.
 */

let bench: Bench;
beforeAll(() => {
  bench = createBench();
});
afterAll(() => bench.end());

const module = {
  'main.tf': 'resource "terraform_data" "database" {\n  input = "kept"\n}\noutput "n" {\n  value = 1\n}\n',
};
const updated = { 'main.tf': `${module['main.tf']}resource "terraform_data" "more" {}\n` };
const real = `"${tofu.path}" "$@"`;

/** Returns a tool that runs the real one, and then a script for one of its commands. */
function toolWith(command: string, script: string) {
  const file = path.join(bench.dir, `tool-${command}-${Math.random().toString(36).slice(2)}`);
  writeFileSync(file, `#!/bin/sh\ncase "$1" in\n  ${command}) ${script} ;;\n  *) exec ${real} ;;\nesac\n`, {
    mode: 0o755,
  });
  return { ...tofu, path: file };
}

/** Creates a Capsule that was applied once. */
async function appliedCapsule(): Promise<Capsule> {
  const capsule = bench.capsule({ sandbox: 'none', files: module });
  expect((await capsule.apply(await capsule.plan())).outcome.succeeded).toBe(true);
  return capsule;
}

describe('a plan', () => {
  it.each([
    ['replaced by one that destroys', 'plan', `${real}; code=$?; ${real} -destroy >/dev/null; exit $code`],
    ['whose text hides a destroy', 'show', `${real} | sed 's/\\["delete"\\]/["no-op"]/g'`],
    ['whose text hides a create', 'show', `${real} | sed 's/\\["create"\\]/["no-op"]/g'`],
    ['whose text names another address', 'show', `${real} | sed 's/terraform_data.more/terraform_data.less/g'`],
    ['whose text changes an Output', 'show', `${real} | sed 's/"output_changes":{"n"/"output_changes":{"m"/'`],
  ])('%s is refused and deleted', async (_, command, script) => {
    const capsule = await appliedCapsule();
    capsule.setFiles(updated);
    const hides = script.includes('delete');
    const spec = capsule.spec(hides ? 'destroy_plan' : 'plan', { tool: toolWith(command, script) });
    const outcome = await capsule.run(spec);
    expect(outcome, describeRun(spec.runDir)).toMatchObject({ kind: 'failed', errorCode: 'plan_failed' });
    expect(outcome).toMatchObject({
      message: expect.stringContaining('differs from the changes that the tool reported'),
    });
    expect(existsSync(path.join(spec.runDir, 'plan'))).toBe(false);
    expect(existsSync(path.join(spec.runDir, 'plan.json'))).toBe(false);
  });
});

describe('a plan of another configuration', () => {
  /** Plans again after a change of the folder, as a provider could make it, and reverts the change. */
  const altering = (change: string, file: string) =>
    `${real}; code=$?; cp ${file} kept; ${change}; ${real} >/dev/null; mv kept ${file}; rm -f more.tf; exit $code`;

  it.each([
    ['another command of a provisioner', 'sed -i s/reviewed/hidden/ main.tf', 'main.tf', 'the file "main.tf"'],
    ['a file more', 'echo "locals { x = 1 }" >more.tf', 'main.tf', 'the file "more.tf"'],
    ['a file less', 'rm other.tf', 'other.tf', 'the file "other.tf"'],
    [
      'another folder of a module',
      'cp -r deep down; sed -i s/deep\\"}/down\\"}/ $TF_DATA_DIR/modules/modules.json',
      '$TF_DATA_DIR/modules/modules.json',
      'the module "deep"',
    ],
  ])('with %s is refused and deleted', async (_, change, file, difference) => {
    const capsule = bench.capsule({
      sandbox: 'none',
      files: {
        'main.tf':
          'resource "terraform_data" "a" {\n  provisioner "local-exec" {\n    command = "echo reviewed"\n  }\n}\nmodule "deep" {\n  source = "./deep"\n}\n',
        'other.tf': 'locals {\n  a = 1\n}\n',
        'deep/main.tf': 'resource "terraform_data" "b" {}\n',
      },
    });
    const spec = capsule.spec('plan', { tool: toolWith('plan', altering(change, file)) });
    const outcome = await capsule.run(spec);
    expect(outcome, describeRun(spec.runDir)).toMatchObject({
      kind: 'failed',
      errorCode: 'plan_failed',
      message: expect.stringContaining(`differs from the configuration that was planned: ${difference}`),
    });
    expect(existsSync(path.join(spec.runDir, 'plan'))).toBe(false);
  });
});

describe('an apply', () => {
  it('that reports a change without a plan fails, and its state is recorded', async () => {
    const event = JSON.stringify({
      '@level': 'info',
      '@message': 'terraform_data.database: Destroying...',
      type: 'apply_start',
      hook: { resource: { addr: 'terraform_data.database' }, action: 'delete' },
    });
    const capsule = await appliedCapsule();
    capsule.setFiles(updated);
    const plan = await capsule.plan();
    const tool = toolWith('apply', `${real}; code=$?; echo '${event}'; exit $code`);
    const { outcome, spec } = await capsule.apply(plan, { tool });
    expect(outcome, describeRun(spec.runDir)).toMatchObject({
      succeeded: false,
      errorCode: 'apply_failed',
      deviated: true,
    });
    expect(outcome.message).toContain('terraform_data.database');
    expect(outcome.state?.serial).toBeGreaterThan(1);
    expect(recordsOf(spec.runDir)).toContainEqual(expect.objectContaining({ code: 'unplanned_change' }));
  });
});
