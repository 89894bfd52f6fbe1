import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { depth } from '../../../e2e/fixtures/depth.ts';
import { isStandbyProcess, leftovers } from '../../../e2e/fixtures/leftovers.ts';
import {
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
import { foldersOf, groupNameOf } from '../os/cgroup.ts';
import { findCgroupLocation } from '../os/cgroup-location.ts';
import type { ApplyOutcome, ExecutionSpec, JournalRecord } from './contract/execution-spec.ts';
import { readSupervisor } from './contract/supervisor-file.ts';

let bench: Bench;
let stubborn: ExecutionSpec['tool'];
beforeAll(() => {
  bench = createBench();
  const file = path.join(bench.dir, 'stubborn-tool');
  // It never writes, so that no broken pipe ends it, and ignores an interrupt.
  writeFileSync(file, '#!/bin/sh\ntrap "" INT HUP TERM PIPE\nwhile :; do sleep 0.05; done\n');
  chmodSync(file, 0o755);
  stubborn = { ...tofu, path: file };
});
afterAll(() => bench.end());

const simple = { 'main.tf': 'resource "terraform_data" "a" {}\n' };
const cgroupLocation = findCgroupLocation();
const sandboxes = ['bwrap', 'none'] as const;

/** Lists processes that name, use as working folder or mount the folders of the test, except supervisors without a Run and killed ones. */
function listLeftoverProcesses(): string[] {
  return leftovers(bench.dir).flatMap((pid) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
      return line === '' || line.includes(supervisorEntry) || isStandbyProcess(pid) ? [] : [`${pid} ${line}`];
    } catch {
      return [];
    }
  });
}

/** Waits, because the kernel needs a moment to end processes that die with their parent. */
async function awaitNoLeftovers(): Promise<void> {
  for (let tries = 0; tries < 1_000 && listLeftoverProcesses().length > 0; tries += 1) await delay(20);
  expect(listLeftoverProcesses()).toEqual([]);
}

const groupsOf = (capsule: Capsule): string[] =>
  cgroupLocation === undefined
    ? []
    : foldersOf(cgroupLocation, groupNameOf(capsule.dir)).filter((folder) => existsSync(folder));

const kill = (spec: ExecutionSpec): void => void process.kill(readSupervisor(spec.runDir)?.pid as number, 'SIGKILL');
const lost = (spec: ExecutionSpec): Promise<'ended' | 'lost'> =>
  bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} });
const isPlanStart = (record: JournalRecord): boolean => record.t === 'spawned' && record.command === 'plan';

describe.each(sandboxes)('with sandbox %s', (sandbox) => {
  const rounds = depth({ quick: 6, deep: 200 });
  test(`${rounds} supervisors killed around the start of a command leave no process`, {
    timeout: 900_000,
  }, async () => {
    const capsule = bench.capsule({ sandbox, files: simple });
    await capsule.plan();
    for (let round = 0; round < rounds; round += 1) {
      const spec = capsule.spec('plan', { tool: stubborn });
      await bench.runner.start(spec);
      // Half of them are killed after they took their Run, half just before the tool starts.
      if (round % 2 === 0) await awaitRecord(bench.runner, spec.runDir, isPlanStart);
      await delay(Math.random() * (round % 2 === 0 ? 15 : 60));
      kill(spec);
      expect(await lost(spec)).toBe('lost');
      // In the sandbox all processes die with their supervisor; without one they have to be searched for.
      if (sandbox === 'none') expect(await bench.runner.endLeftovers(capsule.dir)).toBe(true);
      await awaitNoLeftovers();
    }
    expect(await bench.runner.endLeftovers(capsule.dir)).toBe(true);
    expect(groupsOf(capsule)).toEqual([]);
    expect((await capsule.plan()).outcome.summary.add).toBe(1);
  });

  test('a start of the server ends leftover processes of a dead plan supervisor, and no running apply', async () => {
    const planned = bench.capsule({ sandbox, files: simple });
    const applying = bench.capsule({
      sandbox,
      files: {
        'main.tf':
          'resource "terraform_data" "a" {\n  provisioner "local-exec" {\n    command = "while [ ! -e go ]; do sleep 0.02; done"\n  }\n}\n',
      },
    });
    await planned.plan();
    const plan = planned.spec('plan', { tool: stubborn });
    const apply = applying.applySpec(await applying.plan());
    await bench.runner.start(plan);
    await bench.runner.start(apply);
    await awaitRecord(bench.runner, plan.runDir, isPlanStart);
    await awaitRecord(bench.runner, apply.runDir, (record) => record.t === 'resource' && record.state === 'started');
    for (const spec of [plan, apply]) {
      kill(spec);
      expect(await lost(spec)).toBe('lost');
    }
    await bench.runner.endAllLeftovers(path.dirname(planned.dir));
    expect(await bench.runner.endLeftovers(applying.dir)).toBe(false);
    expect(groupsOf(planned)).toEqual([]);
    await bench.runner.start({ ...apply, mode: 'adopt' });
    writeFileSync(path.join(applying.dir, 'tree/go'), '');
    expect(await lost(apply)).toBe('ended');
    expect(outcomeIn(apply.runDir), describeRun(apply.runDir)).toMatchObject({ kind: 'apply', succeeded: true });
    await awaitNoLeftovers();
    expect(groupsOf(applying)).toEqual([]);
  });

  test.each([
    ['succeeds', 'exit 0', true],
    ['fails', 'exit 3', false],
  ])('what an apply that %s has left in the background is gone when it ends', async (_name, end, succeeded) => {
    const capsule = bench.capsule({ sandbox, files: leaving(end) });
    const { outcome, spec } = await applied(capsule);
    expect(outcome, describeRun(spec.runDir)).toMatchObject({ succeeded });
    expect(readLog(spec)).toContain('left 4 processes');
    expect(strays()).toEqual([]);
    expect(groupsOf(capsule)).toEqual([]);
  });

  test('an apply whose sandbox or shell is killed runs to its end and leaves no process', async () => {
    const capsule = bench.capsule({ sandbox, files: leaving('while [ ! -e go ]; do sleep 0.05; done; touch went-on') });
    const spec = capsule.applySpec(await capsule.plan());
    await bench.runner.start(spec);
    await awaitRecord(bench.runner, spec.runDir, hasLeft);
    const { tool } = JSON.parse(readFileSync(path.join(capsule.dir, 'owner.json'), 'utf8')) as Owner;
    process.kill(tool.leader.pid, 'SIGKILL');
    writeFileSync(path.join(capsule.dir, 'tree/go'), '');
    expect(await lost(spec)).toBe('ended');
    const outcome = outcomeIn(spec.runDir) as ApplyOutcome;
    expect(outcome, describeRun(spec.runDir)).toMatchObject({ kind: 'apply', errorCode: 'apply_interrupted' });
    expect(existsSync(path.join(capsule.dir, 'tree/went-on'))).toBe(true);
    capsule.commit(spec, outcome);
    expect(capsule.state?.text).toContain('terraform_data');
    expect(strays()).toEqual([]);
    expect(groupsOf(capsule)).toEqual([]);
  });

  test('and of one that is cancelled, and of one that another supervisor has taken over', async () => {
    const capsule = bench.capsule({ sandbox, files: leaving('while [ ! -e go ]; do sleep 0.05; done') });
    const cancelled = capsule.applySpec(await capsule.plan());
    await bench.runner.start(cancelled);
    await awaitRecord(bench.runner, cancelled.runDir, hasLeft);
    expect(bench.runner.cancel(cancelled.runDir)).toBe(true);
    expect(await lost(cancelled)).toBe('ended');
    expect(strays()).toEqual([]);
    const adopted = capsule.applySpec(await capsule.plan());
    await bench.runner.start(adopted);
    await awaitRecord(bench.runner, adopted.runDir, hasLeft);
    kill(adopted);
    expect(await lost(adopted)).toBe('lost');
    await bench.runner.start({ ...adopted, mode: 'adopt' });
    writeFileSync(path.join(capsule.dir, 'tree/go'), '');
    expect(await lost(adopted)).toBe('ended');
    expect(strays()).toEqual([]);
    expect(groupsOf(capsule)).toEqual([]);
  });
});

const stray = `stray-of-${process.pid}`;
const loop = `sh -c 'while :; do sleep 1; done' ${stray}`;
/** The last two have neither mark nor session; the very last does not use the folder either, and only a control group holds it. */
const leaving = (end: string): { [file: string]: string } => ({
  'main.tf': 'resource "terraform_data" "a" {\n  provisioner "local-exec" {\n    command = "sh leave.sh"\n  }\n}\n',
  'leave.sh': `nohup ${loop} >/dev/null 2>&1 &
(setsid nohup ${loop} >/dev/null 2>&1 &)
(env -i setsid ${loop} >/dev/null 2>&1 </dev/null &)
(${cgroupLocation === undefined ? '' : 'cd /;'} env -i setsid ${loop} >/dev/null 2>&1 </dev/null &)
echo left 4 processes
${end}
`,
});

type Owner = { tool: { leader: { pid: number } } };

const hasLeft = (record: JournalRecord): boolean => record.t === 'log' && record.text.includes('left 4 processes');
const readLog = (spec: ExecutionSpec): string =>
  recordsOf(spec.runDir)
    .flatMap((record) => (record.t === 'log' ? [record.text] : []))
    .join('\n');

async function applied(capsule: Capsule): Promise<{ outcome: ApplyOutcome; spec: ExecutionSpec }> {
  const spec = capsule.applySpec(await capsule.plan());
  return { outcome: (await capsule.run(spec)) as ApplyOutcome, spec };
}

const strays = (): string[] =>
  leftovers(stray).flatMap((pid) => {
    try {
      return [readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')].filter((line) => line !== '');
    } catch {
      return [];
    }
  });
