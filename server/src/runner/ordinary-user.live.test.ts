import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { leftovers } from '../../../e2e/fixtures/leftovers.ts';
import { fakeModule, thing } from '../../../e2e/fixtures/modules.ts';
import { installProvider } from '../../../e2e/fixtures/provider/index.ts';
import { insertInto, onlyBeside, programIn } from '../../../e2e/fixtures/provider/programs.ts';
import { entriesBelow, ifThere } from '../../test/data-files.ts';
import {
  type Bench,
  type Capsule,
  createBench,
  describeRun,
  outcomeIn,
  recordsOf,
  tofu,
} from '../../test/runner/capsule.ts';
import { supervisorEntry } from '../../test/runner/supervisor-entry.ts';
import type { ExecutionSpec, FailedOutcome, Outcome, PlanOutcome } from './contract/execution-spec.ts';
import { createRunner, type Runner } from './runner.ts';

/**
 * Runs supervisors as an ordinary user, who may not create control groups, so that the kernel's process limits apply.
 * The server runs as root.
 */

const unprivilegedUid = 65_534;
const setpriv = '/usr/bin/setpriv';
const canPlay = process.geteuid?.() === 0 && existsSync(setpriv);
if (!canPlay) process.stderr.write('Not root, or no setpriv: a supervisor of another user is not simulated.\n');

let bench: Bench;
let runner: Runner;
let tool: ExecutionSpec['tool'];
beforeAll(() => {
  bench = createBench();
  if (!canPlay) return;
  const standbyDir = path.join(bench.dir, 'standby-user');
  const nodePath = path.join(bench.dir, 'node-as-user');
  const flags = `--reuid ${unprivilegedUid} --regid ${unprivilegedUid} --clear-groups`;
  writeFileSync(nodePath, `#!/bin/sh\nexec ${setpriv} ${flags} '${process.execPath}' "$@"\n`);
  chmodSync(nodePath, 0o755);
  tool = { ...tofu, path: path.join(bench.dir, 'tofu') };
  cpSync(tofu.path, tool.path);
  chmodSync(tool.path, 0o755);
  mkdirSync(standbyDir);
  giveAway(bench.dir);
  runner = createRunner({ standbyDir, nodePath, entry: supervisorEntry });
});
afterAll(async () => {
  await runner?.close();
  await bench.end();
});

function giveAway(file: string): void {
  chownSync(file, unprivilegedUid, unprivilegedUid);
  // Files of the warm-up of a waiting supervisor disappear at any time.
  for (const { file: inner } of entriesBelow(file)) ifThere(() => chownSync(inner, unprivilegedUid, unprivilegedUid));
}

async function run(spec: ExecutionSpec): Promise<Outcome> {
  mkdirSync(spec.runDir, { recursive: true });
  giveAway(bench.dir);
  await runner.start(spec);
  expect(await runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} })).toBe('ended');
  return outcomeIn(spec.runDir) as Outcome;
}

type Limits = Partial<ExecutionSpec['limits']>;
const limitsOf = (limits: Limits): ExecutionSpec['limits'] => ({
  initSeconds: 60,
  planSeconds: 60,
  logBytes: 100_000,
  patienceSeconds: 1,
  ...limits,
});

async function firstPlan(capsule: Capsule): Promise<PlanOutcome> {
  const spec = capsule.spec('plan', { tool });
  const outcome = await run(spec);
  if (outcome.kind !== 'plan') expect.fail(describeRun(spec.runDir));
  capsule.lock = outcome.lock;
  return outcome;
}

let scripts = 0;
async function planWith(
  capsule: Capsule,
  script: string,
  limits: Limits,
): Promise<FailedOutcome & { spec: ExecutionSpec }> {
  scripts += 1;
  const file = path.join(bench.dir, `tool-${scripts}`);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  const spec = capsule.spec('plan', { tool: { ...tool, path: file }, limits: limitsOf(limits) });
  return { ...((await run(spec)) as FailedOutcome), spec };
}

const readLog = (spec: ExecutionSpec): string =>
  recordsOf(spec.runDir)
    .flatMap((record) => (record.t === 'log' ? [record.text] : []))
    .join('\n');

test.skipIf(!canPlay)('as an ordinary user a provider runs beside the tool', async () => {
  // Not given away: its files are linked to those of other tests.
  const mirrorDir = mkdtempSync(path.join(tmpdir(), 'mirror-'));
  try {
    chmodSync(mirrorDir, 0o755);
    await installProvider(mirrorDir);
    insertInto([programIn(mirrorDir)], onlyBeside('echo started >>/svc/tree/starts'));
    const main = `${fakeModule(thing('a'))}data "fake_whoami" "me" {\n}\n`;
    const capsule = bench.capsule({ sandbox: 'bwrap', mirrorDir, files: { 'main.tf': main } });
    expect((await firstPlan(capsule)).summary.add).toBe(1);
    expect(readFileSync(path.join(capsule.dir, 'tree/starts'), 'utf8')).toContain('started');
    expect(leftovers(capsule.dir)).toEqual([]);
  } finally {
    rmSync(mirrorDir, { recursive: true });
  }
});

describe.skipIf(!canPlay).each(['bwrap', 'none'] as const)('as an ordinary user with sandbox %s', (sandbox) => {
  const files = { 'main.tf': 'resource "terraform_data" "a" {}\n' };

  test('processes, memory, disk and time of a plan have limits, and no process survives it', async () => {
    const capsule = bench.capsule({ sandbox, files });
    expect((await firstPlan(capsule)).summary.add).toBe(1);
    const bomb = await planWith(capsule, 'b() { b | b & }; b; sleep 1; while :; do sleep 1; done', {
      processes: 64,
      planSeconds: 2,
    });
    expect(bomb, describeRun(bomb.spec.runDir)).toMatchObject({ kind: 'failed' });
    expect(readLog(bomb.spec)).toMatch(/Cannot fork|Resource temporarily unavailable/);
    expect(readLog(bomb.spec)).toContain(
      'No control group can be created here: memory is limited for each process alone',
    );
    const eater = await planWith(capsule, 'head -c 600m /dev/zero | tail; echo still here >&2; exit 3', {
      memoryBytes: 128 * 1_048_576,
    });
    expect(readLog(eater.spec)).toMatch(/memory exhausted|Cannot allocate/);
    expect(readLog(eater.spec)).toContain('still here');
    const filler = await planWith(
      capsule,
      'i=0; while :; do i=$((i+1)); head -c 8m /dev/zero >fill-$i; sleep 0.05; done',
      { diskBytes: 64 * 1_048_576 },
    );
    expect(filler.message).toContain('more than 64 MB');
    expect((await firstPlan(capsule)).summary.add).toBe(1);
    const signalIgnoringLoop = `trap "" INT; while :; do sleep 1; done`;
    const slow = await planWith(capsule, `(setsid sh -c '${signalIgnoringLoop}' &) ; ${signalIgnoringLoop}`, {
      planSeconds: 1,
    });
    expect(slow).toMatchObject({ errorCode: 'run_timed_out', phase: 'plan' });
    expect(leftovers(capsule.dir)).toEqual([]);
    expect((await firstPlan(capsule)).summary.add).toBe(1);
  });
});
