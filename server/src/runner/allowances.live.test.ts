import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { depth } from '../../../e2e/fixtures/depth.ts';
import { isStandbyProcess, leftovers } from '../../../e2e/fixtures/leftovers.ts';
import {
  addressesIn,
  awaitRecord,
  type Bench,
  type Capsule,
  createBench,
  describeRun,
  outcomeIn,
  recordsOf,
  tofu,
} from '../../test/runner/capsule.ts';
import { supervisorEntry } from '../../test/runner/supervisor-entry.ts';
import { findCgroupLocation } from '../os/cgroup-location.ts';
import type { ApplyOutcome, ExecutionSpec, FailedOutcome } from './contract/execution-spec.ts';
import { journalFile } from './contract/journal.ts';

let bench: Bench;
beforeAll(() => {
  bench = createBench();
});
afterAll(() => bench.end());

const megabyte = 1_048_576;
const hasGroups = findCgroupLocation() !== undefined;
if (!hasGroups)
  process.stderr.write('No control group can be created here: limits of a whole command are not tested.\n');

const simple = { 'main.tf': 'resource "terraform_data" "a" {}\n' };
/** A module that has applied something before its script runs. */
const during = (script: string): { [file: string]: string } => ({
  'main.tf': `
resource "terraform_data" "good" {}
resource "terraform_data" "bad" {
  depends_on = [terraform_data.good]
  provisioner "local-exec" {
    command = "sh attack.sh"
  }
}
`,
  'attack.sh': script,
});

/** Stub of the tool. It stands for a provider, which runs at plan and may do everything that the tool may. */
let scripts = 0;
function toolOf(script: string): ExecutionSpec['tool'] {
  scripts += 1;
  const file = path.join(bench.dir, `tool-${scripts}`);
  // The real tool waits for its turn to show a plan; this stub would write at the same time.
  writeFileSync(file, `#!/bin/sh\n[ "$1" = show ] && exit 1\n${script}\n`);
  chmodSync(file, 0o755);
  return { ...tofu, path: file };
}

type Limits = Partial<ExecutionSpec['limits']>;
const limitsOf = (limits: Limits): ExecutionSpec['limits'] => ({
  initSeconds: 60,
  planSeconds: 60,
  logBytes: 1_000_000,
  patienceSeconds: 1,
  ...limits,
});

/** Initializes the folder with the real tool, so that the stub does not run an init. */
async function planWith(
  capsule: Capsule,
  script: string,
  limits: Limits,
): Promise<FailedOutcome & { spec: ExecutionSpec }> {
  await capsule.plan();
  const spec = capsule.spec('plan', { tool: toolOf(script), limits: limitsOf(limits) });
  const outcome = await capsule.run(spec);
  if (outcome.kind !== 'failed') expect.fail(describeRun(spec.runDir));
  return { ...outcome, spec };
}

async function applyWith(capsule: Capsule, limits: Limits, change?: Partial<ExecutionSpec>) {
  const spec = capsule.applySpec(await capsule.plan(), { limits: limitsOf(limits), ...change });
  const outcome = (await capsule.run(spec)) as ApplyOutcome;
  if (outcome.kind === 'apply') capsule.commit(spec, outcome);
  return { spec, outcome };
}

/** Lists processes that run in the folder of a Run or have it mounted, except the supervisor that waits for the next Run. */
const listLeftoverProcesses = (): string[] =>
  leftovers(bench.dir)
    .filter((pid) => !isStandbyProcess(pid))
    .map(commandLine)
    .filter((line) => line !== '' && !line.includes(supervisorEntry));

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

const readLog = (spec: ExecutionSpec): string =>
  recordsOf(spec.runDir)
    .flatMap((record) => (record.t === 'log' ? [record.text] : []))
    .join('\n');

const eat = 'head -c 600m /dev/zero | tail';

describe.each(['bwrap', 'none'] as const)('with sandbox %s', (sandbox) => {
  let capsule: Capsule;
  beforeAll(() => {
    capsule = bench.capsule({ sandbox, files: { ...simple, 'kept.txt': 'of the archive' } });
  });

  test.skipIf(!hasGroups)('a plan that exceeds its memory ends with the limit in its message', async () => {
    const failed = await planWith(capsule, `${eat}; while :; do sleep 1; done`, { memoryBytes: 128 * megabyte });
    expect(failed, describeRun(failed.spec.runDir)).toMatchObject({ errorCode: 'plan_failed', phase: 'plan' });
    expect(failed.message).toBe(
      'The plan used more than 128 MB of memory and was ended. Raise GROUNDCTL_RUN_MEMORY_MB or split the module.',
    );
    expect(listLeftoverProcesses()).toEqual([]);
  });

  test.skipIf(!hasGroups)('a fork bomb ends with the limit in its message, and leaves no process', async () => {
    const failed = await planWith(capsule, 'b() { b | b & }; b; while :; do sleep 1; done', { processes: 64 });
    expect(failed, describeRun(failed.spec.runDir)).toMatchObject({ errorCode: 'plan_failed' });
    expect(failed.message).toMatch(/^The plan needed more than 64 processes and threads at once and was ended\./);
    expect(listLeftoverProcesses()).toEqual([]);
    expect((await capsule.plan()).outcome.summary.add).toBe(1);
  });

  test('a plan that fills the disk ends with the limit in its message, and its files are removed', async () => {
    const script = 'i=0; while :; do i=$((i+1)); head -c 8m /dev/zero >fill-$i; sleep 0.05; done';
    const failed = await planWith(capsule, script, { diskBytes: 64 * megabyte });
    expect(failed, describeRun(failed.spec.runDir)).toMatchObject({ errorCode: 'plan_failed' });
    expect(failed.message).toBe(
      'The plan filled the folder of its Capsule with more than 64 MB and was ended. Raise GROUNDCTL_RUN_DISK_MB or let the module write less.',
    );
    expect(readdirSync(path.join(capsule.dir, 'tree')).filter((name) => name.startsWith('fill'))).toEqual([]);
    expect((await capsule.plan({ limits: limitsOf({ diskBytes: 64 * megabyte }) })).outcome.summary.add).toBe(1);
  });

  test('a plan over its time limit ends, whatever signals it ignores and processes it started', async () => {
    const signalIgnoringLoop = `trap '' INT TERM; while :; do sleep 1; done`;
    const script = `(setsid sh -c "${signalIgnoringLoop}" &); sh -c "${signalIgnoringLoop}" & ${signalIgnoringLoop}`;
    const failed = await planWith(capsule, script, { planSeconds: 1 });
    expect(failed, describeRun(failed.spec.runDir)).toMatchObject({ errorCode: 'run_timed_out', phase: 'plan' });
    expect(failed.message).toContain('The plan took longer than the 1 seconds it may take and was ended.');
    expect(listLeftoverProcesses()).toEqual([]);
  });

  test.skipIf(!hasGroups)('an apply whose provisioner exceeds its memory keeps the reached state', async () => {
    const capsule = bench.capsule({ sandbox, files: during(eat) });
    const { outcome, spec } = await applyWith(capsule, { memoryBytes: 384 * megabyte });
    expect(outcome, describeRun(spec.runDir)).toMatchObject({
      succeeded: false,
      errorCode: 'apply_failed',
      providerDispatched: true,
    });
    expect(outcome.message).toMatch(/^The apply used more than 384 MB of memory, .*What was reached is recorded/);
    expect(addressesIn(capsule)).toContain('terraform_data.good');
  });
});

const rest = depth<readonly ('bwrap' | 'none')[]>({ quick: ['bwrap'], deep: ['bwrap', 'none'] });

describe.each(rest)('with sandbox %s, too', (sandbox) => {
  let capsule: Capsule;
  beforeAll(() => {
    capsule = bench.capsule({ sandbox, files: simple });
  });

  test.skipIf(!hasGroups)('memory taken by many small processes is counted together', async () => {
    const script = `for i in 1 2 3 4 5 6 7 8 9 10; do (head -c 40m /dev/zero | (sleep 2; tail)) & done; wait`;
    const failed = await planWith(capsule, script, { memoryBytes: 128 * megabyte });
    expect(failed.message).toContain('more than 128 MB of memory');
  });

  test('a plan that has filled the disk by the time it exits is not kept', async () => {
    const failed = await planWith(capsule, 'head -c 80m /dev/zero >fill', { diskBytes: 64 * megabyte });
    expect(failed.message).toContain('more than 64 MB');
    expect(existsSync(path.join(capsule.dir, 'tree/fill'))).toBe(false);
  });

  test('empty files count towards the limit, a sparse file does not', async () => {
    await capsule.plan();
    const holes = toolOf(`head -c 1m /dev/zero >x; truncate -s 500G holes; exit 3`);
    const spec = capsule.spec('plan', { tool: holes, limits: limitsOf({ diskBytes: 64 * megabyte }) });
    expect(((await capsule.run(spec)) as FailedOutcome).message).not.toContain('64 MB');
    const flood = 'mkdir d; cd d; seq 1 3000 | xargs touch; while :; do sleep 1; done';
    const failed = await planWith(capsule, flood, { diskBytes: 2 * megabyte });
    expect(failed.message).toContain('more than 2 MB');
  });

  test('a plan ends when the disk runs low, an apply continues and logs it', async () => {
    const capsule = bench.capsule({ sandbox, files: simple });
    const { outcome, spec } = await applyWith(capsule, { reserveBytes: Number.MAX_SAFE_INTEGER });
    expect(outcome, describeRun(spec.runDir)).toMatchObject({ succeeded: true });
    expect(readLog(spec)).toContain('The apply continues. Free disk space');
    const failed = await planWith(capsule, 'while :; do sleep 1; done', { reserveBytes: Number.MAX_SAFE_INTEGER });
    expect(failed, describeRun(failed.spec.runDir)).toMatchObject({ errorCode: 'disk_full', phase: 'plan' });
    expect(failed.message).toContain('MB left, so the plan was ended');
  });

  test('an apply that fills the disk continues, and its log names the limit once', async () => {
    // It grows until it is measured, because space freed by other processes on the file system hides a part of it.
    const fill =
      'n=0; while [ ! -e stop ] && [ $n -lt 200 ]; do head -c 4m /dev/zero >>fill; n=$((n+1)); sleep 0.2; done';
    const capsule = bench.capsule({ sandbox, files: during(`${fill}; exit 0`) });
    const spec = capsule.applySpec(await capsule.plan(), { limits: limitsOf({ diskBytes: 8 * megabyte }) });
    await bench.runner.start(spec);
    await awaitRecord(bench.runner, spec.runDir, (r) => r.t === 'log' && r.text.includes('more than 8 MB'));
    writeFileSync(path.join(capsule.dir, 'tree/stop'), '');
    await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} });
    expect(outcomeIn(spec.runDir), describeRun(spec.runDir)).toMatchObject({ succeeded: true });
    expect(readLog(spec).match(/more than 8 MB/g)).toHaveLength(1);
    expect(statSync(path.join(capsule.dir, 'tree/fill')).size).toBeGreaterThanOrEqual(8 * megabyte);
  });

  test('a flood of output is cut in the log and ends with the time of the plan', async () => {
    const failed = await planWith(capsule, 'yes flood', { planSeconds: 3, logBytes: 200_000 });
    expect(failed).toMatchObject({ errorCode: 'run_timed_out' });
    expect(statSync(journalFile(failed.spec.runDir)).size).toBeLessThan(2_000_000);
    expect(recordsOf(failed.spec.runDir)).toContainEqual(expect.objectContaining({ code: 'log_truncated' }));
  });

  test.skipIf(!hasGroups)(
    'an apply whose tool itself eats memory is interrupted, and its state is the truth',
    async () => {
      const capsule = bench.capsule({ sandbox, files: simple });
      const { outcome, spec } = await applyWith(
        capsule,
        { memoryBytes: 128 * megabyte },
        { tool: toolOf('exec tail /dev/zero') },
      );
      expect(outcome, describeRun(spec.runDir)).toMatchObject({ succeeded: false, errorCode: 'apply_interrupted' });
      expect(outcome.message).toContain('more than 128 MB of memory');
      expect(addressesIn(capsule)).toEqual([]);
    },
  );
});

test('the supervisor of a Run that exceeds its memory and its server keep running', async () => {
  const capsule = bench.capsule({ sandbox: 'bwrap', files: simple });
  await planWith(capsule, `${eat}; sleep 2`, { memoryBytes: 64 * megabyte, planSeconds: 5 });
  expect((await capsule.plan()).outcome.summary.add).toBe(1);
});
