import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
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
  terraform,
  tofu,
} from '../../test/runner/capsule.ts';
import { testOfAnySandbox } from '../../test/runner/sandboxed-tests.ts';
import { supervisorEntry } from '../../test/runner/supervisor-entry.ts';
import type { JournalRecord } from './contract/execution-spec.ts';
import { readSupervisor } from './contract/supervisor-file.ts';
import { createRunner } from './runner.ts';

let bench: Bench;
beforeAll(() => {
  bench = createBench();
});
afterAll(() => bench.end());

const simple = { 'main.tf': 'resource "terraform_data" "a" {\n  input = "x"\n}\n' };
const gated = {
  'main.tf':
    'resource "terraform_data" "a" {\n  provisioner "local-exec" {\n    command = "while [ ! -e go ]; do sleep 0.02; done"\n  }\n}\n',
};
const openGate = (capsule: Capsule): void => writeFileSync(path.join(capsule.dir, 'tree/go'), '');
const isStart = (record: JournalRecord): boolean => record.t === 'resource' && record.state === 'started';

/** A tool whose plan ends only when it is interrupted; it simulates a slow provider. */
function slowTool(): string {
  const file = path.join(bench.dir, 'slow-tool');
  writeFileSync(file, '#!/bin/sh\ntrap "exit 1" INT\nwhile :; do sleep 0.02; done\n');
  chmodSync(file, 0o755);
  return file;
}

describe.each(['bwrap', 'none'] as const)('with sandbox %s', (sandbox) => {
  const testOnce = testOfAnySandbox(sandbox);

  test('a restarted server follows from its last offset and misses nothing', async () => {
    const capsule = bench.capsule({ sandbox, files: gated });
    const spec = capsule.applySpec(await capsule.plan());
    await bench.runner.start(spec);
    await awaitRecord(bench.runner, spec.runDir, isStart);
    const seen: JournalRecord[] = [];
    let offset = 0;
    const leave = new AbortController();
    const first = bench.runner.follow(spec.runDir, {
      fromOffset: 0,
      signal: leave.signal,
      onRecords(records, nextOffset) {
        seen.push(...records);
        offset = nextOffset;
        leave.abort(new Error('the server went away'));
      },
    });
    await expect(first).rejects.toThrow('the server went away');
    const secondServer = createRunner({ standbyDir: path.join(bench.dir, 'standby-2'), entry: supervisorEntry });
    expect(secondServer.isAlive(spec.runDir)).toBe(true);
    const followed = secondServer.follow(spec.runDir, {
      fromOffset: offset,
      onRecords: (records) => void seen.push(...records),
    });
    openGate(capsule);
    expect(await followed).toBe('ended');
    expect(seen).toEqual(recordsOf(spec.runDir));
    expect(outcomeIn(spec.runDir)).toMatchObject({ kind: 'apply', succeeded: true });
    await secondServer.close();
  });

  test('a second server notices that a supervisor it did not start is gone', async () => {
    const capsule = bench.capsule({ sandbox, files: gated });
    const spec = capsule.applySpec(await capsule.plan());
    await bench.runner.start(spec);
    await awaitRecord(bench.runner, spec.runDir, isStart);
    const secondServer = createRunner({ standbyDir: path.join(bench.dir, 'standby-3'), entry: supervisorEntry });
    const followed = secondServer.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} });
    process.kill(readSupervisor(spec.runDir)?.pid as number, 'SIGKILL');
    expect(await followed).toBe('lost');
    expect(secondServer.cancel(spec.runDir)).toBe(false);
    await expect(bench.runner.start(capsule.spec('plan'))).rejects.toMatchObject({ code: 'busy' });
    await secondServer.start({ ...spec, mode: 'adopt' });
    expect(secondServer.cancel(spec.runDir)).toBe(true);
    expect(await secondServer.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} })).toBe('ended');
    expect(outcomeIn(spec.runDir)).toMatchObject({ kind: 'apply', succeeded: false, errorCode: 'apply_interrupted' });
    await secondServer.close();
  });

  test('a plan ends by one interrupt when it is cancelled', async () => {
    const capsule = bench.capsule({ sandbox, files: simple });
    await capsule.plan();
    const spec = capsule.spec('plan', { tool: { ...tofu, path: slowTool() } });
    await bench.runner.start(spec);
    await awaitRecord(bench.runner, spec.runDir, (record) => record.t === 'spawned' && record.command === 'plan');
    expect(bench.runner.cancel(spec.runDir)).toBe(true);
    expect(await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} })).toBe('ended');
    expect(outcomeIn(spec.runDir), describeRun(spec.runDir)).toMatchObject({ kind: 'failed', errorCode: 'cancelled' });
  });

  testOnce('a plan over its time limit is interrupted', async () => {
    const capsule = bench.capsule({ sandbox, files: simple });
    await capsule.plan();
    const spec = capsule.spec('plan', {
      tool: { ...tofu, path: slowTool() },
      limits: { initSeconds: 60, planSeconds: 1, logBytes: 100_000 },
    });
    expect(await capsule.run(spec), describeRun(spec.runDir)).toMatchObject({
      kind: 'failed',
      errorCode: 'run_timed_out',
      phase: 'plan',
    });
  });

  test('a plan whose supervisor was killed is started again in the same folder', async () => {
    const capsule = bench.capsule({ sandbox, files: simple });
    await capsule.plan();
    const spec = capsule.spec('plan', { tool: { ...tofu, path: slowTool() } });
    await bench.runner.start(spec);
    await awaitRecord(bench.runner, spec.runDir, (record) => record.t === 'spawned' && record.command === 'plan');
    process.kill(readSupervisor(spec.runDir)?.pid as number, 'SIGKILL');
    expect(await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} })).toBe('lost');
    expect((await capsule.plan()).outcome.summary.add).toBe(1);
  });

  testOnce('two Capsules run side by side', async () => {
    const capsules = [bench.capsule({ sandbox, files: gated }), bench.capsule({ sandbox, files: gated })];
    const specs = await Promise.all(capsules.map(async (capsule) => capsule.applySpec(await capsule.plan())));
    await Promise.all(specs.map((spec) => bench.runner.start(spec)));
    await Promise.all(specs.map((spec) => awaitRecord(bench.runner, spec.runDir, isStart)));
    for (const capsule of capsules) openGate(capsule);
    for (const spec of specs) {
      expect(await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} })).toBe('ended');
      expect(outcomeIn(spec.runDir)).toMatchObject({ kind: 'apply', succeeded: true });
    }
  });

  testOnce('terraform plans, applies and plans again with its files sealed', async () => {
    const capsule = bench.capsule({ sandbox, tool: terraform, files: simple });
    const { outcome, spec } = await capsule.apply(await capsule.plan());
    expect(outcome, describeRun(spec.runDir)).toMatchObject({ succeeded: true });
    expect(addressesIn(capsule)).toEqual(['terraform_data.a']);
    const next = await capsule.plan();
    expect(next.outcome.summary).toEqual({ add: 0, change: 0, destroy: 0 });
    expect(recordsOf(next.spec.runDir)).toContainEqual(expect.objectContaining({ phase: 'init', state: 'reused' }));
  });

  testOnce(
    'a module below the root of its archive reaches its sibling folders, and a changed archive is initialized again',
    async () => {
      const files = {
        'envs/prod/main.tf': 'module "m" {\n  source = "../../modules/m"\n}\noutput "o" {\n  value = module.m.o\n}\n',
        'modules/m/main.tf': `resource "terraform_data" "x" {
  input = file("\${path.module}/text")
}
output "o" {
  value = terraform_data.x.output
}
`,
        'modules/m/text': 'one',
      };
      const capsule = bench.capsule({ sandbox, modulePath: 'envs/prod', files });
      const plan = await capsule.plan();
      expect(plan.outcome.addresses).toEqual(['module.m.terraform_data.x']);
      expect((await capsule.apply(plan)).outcome.succeeded).toBe(true);
      capsule.setFiles({ ...files, 'modules/m/text': 'two' });
      const changed = await capsule.plan();
      expect(changed.outcome.summary).toEqual({ add: 0, change: 1, destroy: 0 });
      expect(recordsOf(changed.spec.runDir)).toContainEqual(
        expect.objectContaining({ phase: 'init', state: 'finished' }),
      );
    },
  );

  testOnce('a drift check plans no change, an invalid module fails at init with its diagnostic', async () => {
    const capsule = bench.capsule({ sandbox, files: simple });
    await capsule.apply(await capsule.plan());
    expect((await capsule.plan({ operation: 'drift_check' })).outcome.summary).toEqual({
      add: 0,
      change: 0,
      destroy: 0,
    });
    capsule.setFiles({ 'main.tf': 'resource "terraform_data" "a" {\n  input = \n}\n' });
    const spec = capsule.spec('plan');
    expect(await capsule.run(spec)).toMatchObject({ kind: 'failed', errorCode: 'init_failed', phase: 'init' });
    expect(recordsOf(spec.runDir)).toContainEqual(
      expect.objectContaining({
        t: 'diagnostic',
        severity: 'error',
        range: expect.objectContaining({ filename: 'main.tf' }),
      }),
    );
  });

  testOnce('a missing variable fails the plan and is named', async () => {
    const capsule = bench.capsule({ sandbox, files: { 'main.tf': 'variable "needed" {\n  type = string\n}\n' } });
    const spec = capsule.spec('plan');
    expect(await capsule.run(spec)).toMatchObject({ kind: 'failed', errorCode: 'plan_failed', phase: 'plan' });
    expect(recordsOf(spec.runDir)).toContainEqual(
      expect.objectContaining({ t: 'diagnostic', severity: 'error', variable: 'needed' }),
    );
  });

  testOnce('a rotated key opens the earlier plan and re-encrypts the state', async () => {
    const capsule = bench.capsule({ sandbox, files: simple });
    const plan = await capsule.plan();
    const encryptionKey = Buffer.alloc(32, 7).toString('base64');
    const spec = capsule.applySpec(plan, { sealing: { keyVersion: 2, encryptionKey, decryptionKey: capsule.key } });
    expect(await capsule.run(spec), describeRun(spec.runDir)).toMatchObject({ kind: 'apply', succeeded: true });
  });
});

test('reports a missing tool', async () => {
  const capsule = bench.capsule({ sandbox: 'bwrap', files: simple, tool: { ...tofu, path: '/nowhere/tofu' } });
  expect(await capsule.run(capsule.spec('plan'))).toMatchObject({ kind: 'failed', errorCode: 'tool_unavailable' });
});

test('reports a tool of another version than the chosen one', async () => {
  const capsule = bench.capsule({ sandbox: 'bwrap', files: simple, tool: { ...tofu, version: '1.10.0' } });
  expect(await capsule.run(capsule.spec('plan'))).toMatchObject({ kind: 'failed', errorCode: 'tool_version_changed' });
});

test('the probe skips the isolated network when the network of the host is shared', async () => {
  const runner = createRunner({
    standbyDir: path.join(bench.dir, 'standby-shared'),
    sharesNetwork: true,
    entry: supervisorEntry,
  });
  expect(await runner.probe(tofu)).toEqual({ sandbox: 'bwrap', network: 'shared' });
  await runner.close();
});

test('the probe finds the sandbox and a closed runner leaves no supervisor waiting', async () => {
  const standbyDir = path.join(bench.dir, 'standby-4');
  const runner = createRunner({ standbyDir, entry: supervisorEntry });
  expect(await runner.probe(tofu)).toMatchObject({ sandbox: 'bwrap' });
  expect((await runner.probe({ ...tofu, path: '/nowhere/tofu' })).sandbox).toBe('none');
  mkdirSync(standbyDir, { recursive: true });
  runner.warm();
  await runner.close();
  // Compiled code stays for the next supervisors.
  expect(readdirSync(standbyDir).filter((name) => name !== 'code')).toEqual([]);
});
