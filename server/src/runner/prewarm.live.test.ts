import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  awaitRecord,
  type Bench,
  createBench,
  describeRun,
  outcomeIn,
  recordsOf,
  tofu,
} from '../../test/runner/capsule.ts';
import { findPrewarmedPid, letGo, toolIn } from '../../test/runner/waiting-tool.ts';
import { identityOf, isAlive } from '../os/process-identity.ts';
import { readSupervisor } from './contract/supervisor-file.ts';

let bench: Bench;
beforeAll(() => {
  bench = createBench();
});
afterAll(() => bench.end());

const files = { 'main.tf': 'resource "terraform_data" "a" {}\n' };

/** A Capsule whose recorded lock file says that its module needs no provider. */
function capsuleWithoutProviders() {
  const capsule = bench.capsule({ sandbox: 'bwrap', files });
  capsule.lock = '';
  return capsule;
}

/** Returns the last process of each of the two slots. */
const pidsIn = (runDir: string): (number | undefined)[] => ['status.json', 'status-next.json'].map(pidIn(runDir));

const pidIn =
  (runDir: string) =>
  (name: string): number | undefined => {
    const file = path.join(runDir, name);
    const pid = existsSync(file) ? /"child-pid"\s*:\s*(\d+)/.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
    return pid === undefined ? undefined : Number(pid);
  };

function pidsOf(runDir: string): { [command: string]: number } {
  const spawned = recordsOf(runDir).filter((record) => record.t === 'spawned');
  return Object.fromEntries(spawned.map(({ command, identity }) => [command, identity.pid]));
}

/** Reports whether a process runs; a zombie does not count. */
const isRunning = (pid: number | undefined): boolean => {
  const identity = pid === undefined ? undefined : identityOf(pid);
  return identity !== undefined && isAlive(identity);
};

/** A tool whose commands run until they are ended. */
function slowTool(): string {
  const file = path.join(bench.dir, 'slow-tool');
  writeFileSync(file, '#!/bin/sh\nwhile :; do sleep 0.02; done\n');
  chmodSync(file, 0o755);
  return file;
}

/** A module whose plan takes the tool some hundred milliseconds. */
const longFiles = {
  'main.tf': `
locals {
  long = length(flatten([for a in range(400) : [for b in range(400) : a * b]]))
}
resource "terraform_data" "a" {
  input = local.long
}
`,
};

test('the commands of a plan are prewarmed, and none leaves anything', async () => {
  const capsule = capsuleWithoutProviders();
  const first = await capsule.plan();
  const { init, plan, show } = pidsOf(first.spec.runDir);
  // init used the slot that show uses now, and plan the other one.
  expect(pidsIn(first.spec.runDir), describeRun(first.spec.runDir)).toEqual([show, plan]);
  expect(init).not.toBe(show);
  const next = await capsule.plan();
  const again = pidsOf(next.spec.runDir);
  expect(pidsIn(next.spec.runDir), describeRun(next.spec.runDir)).toEqual([again['show'], again['plan']]);
  for (const pid of [init, plan, show, ...Object.values(again)]) expect(isRunning(pid)).toBe(false);
  for (const { runDir } of [first.spec, next.spec])
    expect(readdirSync(runDir).filter((name) => /^(cli|planned)/.test(name))).toEqual([]);
});

test('one whose turn never comes ends with the plan', async () => {
  const capsule = bench.capsule({
    sandbox: 'bwrap',
    files: { 'main.tf': `${files['main.tf']}output "o" {\n  value = file("missing.txt")\n}\n` },
  });
  capsule.lock = '';
  const spec = capsule.spec('plan');
  expect(await capsule.run(spec)).toMatchObject({ kind: 'failed', errorCode: 'plan_failed' });
  const [shown, planned] = pidsIn(spec.runDir);
  expect(planned).toBe(pidsOf(spec.runDir)['plan']);
  expect(pidsOf(spec.runDir)).not.toHaveProperty('show');
  expect(shown).toBeDefined();
  expect([shown, planned].map(isRunning)).toEqual([false, false]);
});

test('it ends with a supervisor that is killed, and the next plan finds nothing of it', async () => {
  const capsule = capsuleWithoutProviders();
  await capsule.plan();
  const spec = capsule.spec('plan', { tool: { ...tofu, path: slowTool() } });
  await bench.runner.start(spec);
  await awaitRecord(bench.runner, spec.runDir, (record) => record.t === 'spawned' && record.command === 'plan');
  // The plan was prewarmed in the second slot, so show is in the first.
  await expect.poll(() => isRunning(pidsIn(spec.runDir)[0]), { timeout: 20_000, interval: 10 }).toBe(true);
  const pids = pidsIn(spec.runDir);
  const noted = (): unknown =>
    JSON.parse(readFileSync(path.join(capsule.dir, 'owner.json'), 'utf8')).ahead?.identity.pid;
  await expect.poll(noted, { timeout: 20_000, interval: 10 }).toBe(pids[0]);
  process.kill(readSupervisor(spec.runDir)?.pid as number, 'SIGKILL');
  expect(await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} })).toBe('lost');
  expect((await capsule.plan()).outcome.summary.add).toBe(1);
  expect(pids.map(isRunning)).toEqual([false, false]);
});

test('a prewarmed command that was killed is started again in its turn', async () => {
  const capsule = bench.capsule({ sandbox: 'bwrap', files: longFiles });
  await capsule.plan();
  const spec = capsule.spec('plan');
  await bench.runner.start(spec);
  await expect.poll(() => isRunning(pidsIn(spec.runDir)[0]), { timeout: 20_000, interval: 10 }).toBe(true);
  const [prewarmedPid] = pidsIn(spec.runDir);
  process.kill(prewarmedPid as number, 'SIGKILL');
  expect(await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} })).toBe('ended');
  expect(outcomeIn(spec.runDir), describeRun(spec.runDir)).toMatchObject({ kind: 'plan', summary: { add: 1 } });
  expect(pidsOf(spec.runDir)['show']).not.toBe(prewarmedPid);
});

test('a prewarmed command that cannot receive its configuration is ended and never runs without it', async () => {
  const capsule = capsuleWithoutProviders();
  const tool = toolIn(bench.dir, 'cat "$TF_CLI_CONFIG_FILE"; : >went-on; sleep 300');
  const spec = capsule.spec('plan', { tool: { ...tofu, path: tool } });
  await bench.runner.start(spec);
  const prewarmedPid = await findPrewarmedPid(spec.runDir);
  rmSync(path.join(spec.runDir, 'cli-next', 'cli.tfrc.file'));
  letGo(capsule);
  expect(await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} })).toBe('ended');
  expect(outcomeIn(spec.runDir)).toMatchObject({ kind: 'failed', errorCode: 'plan_failed' });
  expect(isRunning(prewarmedPid)).toBe(false);
  expect(existsSync(path.join(capsule.dir, 'tree', 'went-on'))).toBe(false);
});

test('the output of a prewarmed command that dies before its turn is dropped, and it is started again', async () => {
  const capsule = capsuleWithoutProviders();
  const tool = toolIn(bench.dir, 'if [ -p "$TF_CLI_CONFIG_FILE" ]; then echo too early >&2; else echo in turn >&2; fi');
  const spec = capsule.spec('plan', { tool: { ...tofu, path: tool } });
  await bench.runner.start(spec);
  const prewarmedPid = await findPrewarmedPid(spec.runDir);
  await expect.poll(() => isRunning(prewarmedPid), { timeout: 20_000, interval: 10 }).toBe(false);
  letGo(capsule);
  expect(await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} })).toBe('ended');
  expect(outcomeIn(spec.runDir)).toMatchObject({ kind: 'failed', errorCode: 'plan_failed', phase: 'plan' });
  const output = describeRun(spec.runDir);
  expect(output).toContain('in turn');
  expect(output).not.toContain('too early');
});

test('the sandbox of an apply that fails its checks is ended before the tool starts', async () => {
  const capsule = bench.capsule({ sandbox: 'bwrap', files });
  const planned = await capsule.plan();
  const file = path.join(bench.dir, 'marking-tool');
  writeFileSync(file, '#!/bin/sh\n: >went-on\n', { mode: 0o755 });
  const { archive } = planned.spec;
  const spec = capsule.applySpec(planned, {
    tool: { ...tofu, path: file },
    archive: { ...archive, digest: `sha256:${'0'.repeat(64)}` },
  });
  expect(await capsule.run(spec)).toMatchObject({ kind: 'failed', errorCode: 'plan_seal_mismatch', phase: 'source' });
  const [pid] = pidsIn(spec.runDir);
  expect(pid).toBeDefined();
  expect(isRunning(pid)).toBe(false);
  expect(pidsOf(spec.runDir)).toEqual({});
  expect(existsSync(path.join(capsule.dir, 'tree', 'went-on'))).toBe(false);
});
