import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addressesIn,
  awaitRecord,
  type Bench,
  type Capsule,
  createBench,
  describeRun,
  outcomeIn,
  recordsOf,
} from '../../test/runner/capsule.ts';
import { testOfAnySandbox } from '../../test/runner/sandboxed-tests.ts';
import { isAlive } from '../os/process-identity.ts';
import type { ApplyOutcome, ExecutionSpec, JournalRecord } from './contract/execution-spec.ts';
import { readSupervisor } from './contract/supervisor-file.ts';

let bench: Bench;
beforeAll(() => {
  bench = createBench();
});
afterAll(() => bench.end());

/** `fast` completes at once; each `slow` waits for the file `go` in the module's folder. */
const gated = (count: number): string => `
resource "terraform_data" "fast" {
  count = 2
}
resource "terraform_data" "slow" {
  count = ${count}
  provisioner "local-exec" {
    command = "while [ ! -e go ]; do sleep 0.02; done"
  }
}
`;

const openGate = (capsule: Capsule): void => writeFileSync(path.join(capsule.dir, 'tree/go'), '');
const isSlowStart = (record: JournalRecord): boolean =>
  record.t === 'resource' && record.state === 'started' && record.address.startsWith('terraform_data.slow');
const isAt =
  (address: string, state: 'started' | 'completed') =>
  (record: JournalRecord): boolean =>
    record.t === 'resource' && record.state === state && record.address === `terraform_data.${address}`;

function killSupervisor(spec: ExecutionSpec): void {
  process.kill(readSupervisor(spec.runDir)?.pid as number, 'SIGKILL');
}

function toolOf(spec: ExecutionSpec): { pid: number; startTime: string; bootId: string } {
  const spawned = recordsOf(spec.runDir).findLast((record) => record.t === 'spawned' && record.command === 'apply');
  return (spawned as Extract<JournalRecord, { t: 'spawned' }>).identity;
}

const lost = (spec: ExecutionSpec): Promise<'ended' | 'lost'> =>
  bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} });

async function adopt(spec: ExecutionSpec): Promise<ApplyOutcome> {
  await bench.runner.start({ ...spec, mode: 'adopt' });
  expect(await lost(spec)).toBe('ended');
  return outcomeIn(spec.runDir) as ApplyOutcome;
}

describe.each(['bwrap', 'none'] as const)('an apply with sandbox %s', (sandbox) => {
  const testOnce = testOfAnySandbox(sandbox);

  test('finds programs that the system provides as links', async () => {
    const script = 'awk \'BEGIN { print "found" }\' >found';
    const main = `resource "terraform_data" "a" {\n  provisioner "local-exec" {\n    command = ${JSON.stringify(script)}\n  }\n}\n`;
    const capsule = bench.capsule({ sandbox, files: { 'main.tf': main } });
    const { outcome, spec } = await capsule.apply(await capsule.plan());
    expect(outcome.succeeded, describeRun(spec.runDir)).toBe(true);
    expect(readFileSync(path.join(capsule.dir, 'tree/found'), 'utf8')).toBe('found\n');
  });

  testOnce('that fails half-way keeps the reached state', async () => {
    const capsule = bench.capsule({
      sandbox,
      files: {
        'main.tf': `
resource "terraform_data" "good" {}
resource "terraform_data" "bad" {
  depends_on = [terraform_data.good]
  provisioner "local-exec" {
    command = "exit 3"
  }
}
`,
      },
    });
    const { outcome } = await capsule.apply(await capsule.plan());
    expect(outcome).toMatchObject({
      succeeded: false,
      errorCode: 'apply_failed',
      providerDispatched: true,
      unfinished: ['terraform_data.bad'],
    });
    expect(addressesIn(capsule).sort()).toEqual(['terraform_data.bad', 'terraform_data.good']);
    const again = await capsule.plan();
    expect(again.outcome).toMatchObject({ summary: { add: 1, destroy: 1 }, destructive: true });
  });

  test('continues when its supervisor is killed, and is adopted with every resource', async () => {
    const capsule = bench.capsule({ sandbox, files: { 'main.tf': gated(8) } });
    const spec = capsule.applySpec(await capsule.plan());
    await bench.runner.start(spec);
    await awaitRecord(bench.runner, spec.runDir, isSlowStart);
    // Output that a supervisor has read and not written when it is killed is missing from the feed, never from the
    // state: a pipe does not return a chunk. So it is killed when all output so far is recorded.
    for (const name of ['fast[0]', 'fast[1]']) await awaitRecord(bench.runner, spec.runDir, isAt(name, 'completed'));
    killSupervisor(spec);
    expect(await lost(spec)).toBe('lost');
    expect(isAlive(toolOf(spec))).toBe(true);
    expect(bench.runner.isAlive(spec.runDir)).toBe(false);
    await bench.runner.start({ ...spec, mode: 'adopt' });
    await awaitRecord(
      bench.runner,
      spec.runDir,
      (record) => record.t === 'log' && record.text.includes('has taken over'),
    );
    openGate(capsule);
    expect(await lost(spec)).toBe('ended');
    const outcome = outcomeIn(spec.runDir) as ApplyOutcome;
    const completed = recordsOf(spec.runDir).filter(
      (record) => record.t === 'resource' && record.state === 'completed',
    );
    expect(completed).toHaveLength(10);
    expect(outcome, describeRun(spec.runDir)).toMatchObject({
      succeeded: true,
      providerDispatched: true,
      unfinished: [],
    });
    capsule.commit(spec, outcome);
    expect(addressesIn(capsule)).toHaveLength(10);
    expect((await capsule.plan()).outcome.summary).toEqual({ add: 0, change: 0, destroy: 0 });
  });

  testOnce('that ends without a supervisor is concluded from its exit code and its state', async () => {
    const capsule = bench.capsule({ sandbox, files: { 'main.tf': gated(1) } });
    const spec = capsule.applySpec(await capsule.plan());
    await bench.runner.start(spec);
    await awaitRecord(bench.runner, spec.runDir, isSlowStart);
    killSupervisor(spec);
    expect(await lost(spec)).toBe('lost');
    openGate(capsule);
    await untilDead(spec);
    const outcome = await adopt(spec);
    expect(outcome, describeRun(spec.runDir)).toMatchObject({ succeeded: true, providerDispatched: true });
    capsule.commit(spec, outcome);
    expect(addressesIn(capsule)).toHaveLength(3);
  });

  test('whose tool and supervisor are killed is interrupted, with the addresses that were in flight', async () => {
    const capsule = bench.capsule({ sandbox, files: { 'main.tf': gated(2) } });
    const spec = capsule.applySpec(await capsule.plan());
    await bench.runner.start(spec);
    for (const name of ['fast[0]', 'fast[1]']) await awaitRecord(bench.runner, spec.runDir, isAt(name, 'completed'));
    for (const name of ['slow[0]', 'slow[1]']) await awaitRecord(bench.runner, spec.runDir, isAt(name, 'started'));
    killSupervisor(spec);
    process.kill(toolOf(spec).pid, 'SIGKILL');
    expect(await lost(spec)).toBe('lost');
    const outcome = await adopt(spec);
    expect(outcome, describeRun(spec.runDir)).toMatchObject({
      succeeded: false,
      errorCode: 'apply_interrupted',
      providerDispatched: true,
      unfinished: ['terraform_data.slow[0]', 'terraform_data.slow[1]'],
    });
  });

  test('is interrupted once by a cancel, and the state reached is kept', async () => {
    const capsule = bench.capsule({ sandbox, files: { 'main.tf': gated(1) } });
    const spec = capsule.applySpec(await capsule.plan());
    await bench.runner.start(spec);
    await awaitRecord(bench.runner, spec.runDir, isAt('fast[0]', 'completed'));
    await awaitRecord(bench.runner, spec.runDir, isSlowStart);
    expect(bench.runner.cancel(spec.runDir)).toBe(true);
    expect(await lost(spec)).toBe('ended');
    const outcome = outcomeIn(spec.runDir) as ApplyOutcome;
    expect(outcome, describeRun(spec.runDir)).toMatchObject({
      succeeded: false,
      errorCode: 'apply_interrupted',
      providerDispatched: true,
    });
    capsule.commit(spec, outcome);
    expect(addressesIn(capsule)).toContain('terraform_data.fast[0]');
  });

  testOnce('of a plan file that was changed is refused before anything runs', async () => {
    const capsule = bench.capsule({ sandbox, files: { 'main.tf': 'resource "terraform_data" "a" {}' } });
    const plan = await capsule.plan();
    writeFileSync(path.join(plan.spec.runDir, 'plan'), `${readFileSync(path.join(plan.spec.runDir, 'plan'), 'utf8')} `);
    const spec = capsule.applySpec(plan);
    expect(await capsule.run(spec)).toMatchObject({ kind: 'failed', errorCode: 'plan_seal_mismatch' });
    expect(recordsOf(spec.runDir).some((record) => record.t === 'spawned')).toBe(false);
    expect(recordsOf(spec.runDir)).toContainEqual(expect.objectContaining({ t: 'diagnostic', severity: 'error' }));
  });

  testOnce('gets the values of ephemeral variables again', async () => {
    const capsule = bench.capsule({
      sandbox,
      variables: { pass: 'ephemeral-value-1' },
      ephemeral: ['pass'],
      files: {
        'main.tf': `
variable "pass" {
  type      = string
  ephemeral = true
}
resource "terraform_data" "a" {
  provisioner "local-exec" {
    command = "printf %s \\"$PASS\\" > seen"
    environment = {
      PASS = var.pass
    }
  }
}
`,
      },
    });
    const { outcome } = await capsule.apply(await capsule.plan());
    expect(outcome.succeeded).toBe(true);
    expect(readFileSync(path.join(capsule.dir, 'tree/seen'), 'utf8')).toBe('ephemeral-value-1');
  });

  testOnce('runs the archive of its plan, although a module has changed the tree since', async () => {
    const capsule = bench.capsule({
      sandbox,
      files: {
        'main.tf': `
resource "terraform_data" "a" {
  provisioner "local-exec" {
    command = "sh do.sh"
  }
}
`,
        'do.sh': 'echo original > done\n',
      },
    });
    const plan = await capsule.plan();
    const script = path.join(capsule.dir, 'tree/do.sh');
    chmodSync(script, 0o700);
    writeFileSync(script, 'echo swapped > done\n');
    writeFileSync(path.join(capsule.dir, 'tree/gen.tf'), 'resource "terraform_data" "extra" {}');
    expect((await capsule.apply(plan)).outcome.succeeded).toBe(true);
    expect(readFileSync(path.join(capsule.dir, 'tree/done'), 'utf8')).toBe('original\n');
    expect(existsSync(path.join(capsule.dir, 'tree/gen.tf'))).toBe(false);
    expect(addressesIn(capsule)).toEqual(['terraform_data.a']);
  });
});

async function untilDead(spec: ExecutionSpec): Promise<void> {
  const tool = toolOf(spec);
  while (isAlive(tool)) await new Promise((resolve) => setTimeout(resolve, 10));
}

test('what the tool saved while it ran survives the death of tool and supervisor', { timeout: 120_000 }, async () => {
  // The tool first saves the state of a running apply with a change after twenty seconds.
  const later = 'resource "terraform_data" "later" {\n  provisioner "local-exec" {\n    command = "sleep 21"\n  }\n}\n';
  const capsule = bench.capsule({ sandbox: 'bwrap', files: { 'main.tf': gated(1) + later } });
  const spec = capsule.applySpec(await capsule.plan());
  await bench.runner.start(spec);
  await awaitRecord(bench.runner, spec.runDir, (record) => record.t === 'state' && record.serial > 0);
  killSupervisor(spec);
  process.kill(toolOf(spec).pid, 'SIGKILL');
  expect(await lost(spec)).toBe('lost');
  writeFileSync(path.join(capsule.dir, 'state/terraform.tfstate'), 'torn');
  const outcome = await adopt(spec);
  expect(outcome, describeRun(spec.runDir)).toMatchObject({
    succeeded: false,
    errorCode: 'apply_interrupted',
    unfinished: ['terraform_data.slow[0]'],
  });
  capsule.commit(spec, outcome);
  expect(addressesIn(capsule)).toEqual(
    expect.arrayContaining(['terraform_data.fast[0]', 'terraform_data.fast[1]', 'terraform_data.later']),
  );
});
