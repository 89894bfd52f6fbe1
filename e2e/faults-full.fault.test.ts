import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Control } from './faults/control.ts';
import { type FaultyDisk, startOnFaultyDisk } from './faults/faulty-disk.ts';
import { findLedgerFaults } from './faults/invariants.ts';
import { closeGate, countChanges, judgeRun, openGate, type Plot } from './faults/plot.ts';
import { settleRun } from './faults/power-cut.ts';
import { missing } from './faults/shim.ts';
import {
  addSource,
  apply,
  growing,
  isPlain,
  plan,
  renameSource,
  type Seen,
  type Step,
  signIn,
  sync,
} from './faults/steps.ts';
import { depth } from './fixtures/depth.ts';
import { readUntil, resourceIs } from './fixtures/feed.ts';
import type { Harness } from './fixtures/harness.ts';
import { errorsOf, getRun, outputsOf } from './fixtures/journey.ts';
import { createRandom } from './fixtures/random.ts';

/** Number of times that the disk is full during each step, and in the middle of an apply. */
const fillings: readonly (readonly [Step, number])[] = [
  [signIn, depth({ quick: 1, deep: 10 })],
  [addSource, depth({ quick: 0, deep: 8 })],
  [sync, depth({ quick: 1, deep: 20 })],
  [plan, depth({ quick: 1, deep: 20 })],
  [apply, depth({ quick: 0, deep: 14 })],
];
const total = fillings.reduce((sum, [, count]) => sum + count, 0);
const applies = depth({ quick: 1, deep: 10 });
const random = createRandom();
const fullDisk = { kinds: growing, error: 'ENOSPC', freeBytes: 0 } as const;

describe.skipIf(missing !== undefined)('a disk that is full', () => {
  let disk: FaultyDisk | undefined;
  let control: Control;
  let harness: Harness;
  let plot: Plot;

  beforeAll(async () => {
    disk = await startOnFaultyDisk();
    ({ control, harness, plot } = disk);
  });
  afterAll(() => disk?.stop());

  /** While nothing can be written, reads work, and a refused write gets the reason. */
  async function expectReadOnly(): Promise<void> {
    const write = await renameSource.play(plot, undefined);
    expect(write.answer).toMatchObject({ status: 503, body: { error: { code: 'ledger_read_only' } } });
    expect((await harness.http.get(`/api/v1/capsules/${plot.capsuleId}`)).status).toBe(200);
  }

  const hasStruckOrEnded = async (id: string): Promise<boolean> => {
    const { status } = await getRun(harness, id);
    return control.read().struck > 0 || (status !== 'queued' && status !== 'running');
  };

  /** Runs a step with a disk that is full from some call on. Undefined when that call never came. */
  async function playFull(
    step: Step,
    first: number,
  ): Promise<{ seen: Seen; changes: number; where: string } | undefined> {
    const prepared = await step.prepare?.(plot);
    const before = countChanges(plot);
    control.set({ ...fullDisk, first });
    const seen = await step.play(plot, prepared);
    const { run } = seen;
    if (run !== undefined) await expect.poll(() => hasStruckOrEnded(run.id), { timeout: 30_000 }).toBe(true);
    const { struck } = control.read();
    if (struck > 0) await expectReadOnly();
    const { where } = control.clear();
    const stuck = run === undefined ? [] : await settleRun(harness, run.id);
    expect(stuck).toEqual([]);
    return struck === 0 ? undefined : { seen, changes: countChanges(plot) - before, where };
  }

  /** Fills the disk at some moment of a step, frees space again, and returns the problems found then. */
  async function fill(step: Step): Promise<string[]> {
    for (;;) {
      const first = 1 + random.below(step.targets.at(-1)?.[1] ?? 1);
      const outcome = await playFull(step, first);
      if (outcome === undefined) continue;
      const faults = await judge(outcome.seen, outcome.changes);
      return faults.map((fault) => `${step.name}, full from ${outcome.where} (call ${first}) on: ${fault}`);
    }
  }

  async function judge(seen: Seen, changes: number): Promise<string[]> {
    const { answer, run, holds } = seen;
    const faults = isPlain(seen) ? [] : [`the answer was ${answer.status} ${answer.text}`];
    if (run !== undefined) faults.push(...(await judgeRun(plot, run.id, changes)));
    if (holds !== undefined && !(await holds())) faults.push('what was answered does not hold');
    const after = await renameSource.play(plot, undefined);
    if (after.holds === undefined)
      faults.push(`with free space again the server does not accept a write: ${after.answer.text}`);
    return faults;
  }

  it(`${total} times ends the Runs that can end, and delays the others`, {
    timeout: 120_000 + total * 20_000,
  }, async () => {
    const faults: string[] = [];
    for (const [step, count] of fillings)
      for (let round = 0; round < count; round += 1) faults.push(...(await fill(step)));
    expect(faults, `GROUNDCTL_TEST_SEED=${random.seed}`).toEqual([]);
    expect(await findLedgerFaults(harness.server.dataDir)).toEqual([]);
  });

  it(`${applies} times in the middle of an apply does not end it, and its state is kept`, {
    timeout: 120_000 + applies * 30_000,
  }, async () => {
    for (let round = 0; round < applies; round += 1) {
      const prepared = await apply.prepare?.(plot);
      closeGate(plot);
      const before = countChanges(plot);
      const { run } = await apply.play(plot, prepared);
      const id = run?.id ?? '';
      await readUntil(harness.server, id, resourceIs('fake_thing.one', 'started'));
      control.set(fullDisk);
      openGate(plot);
      await expect.poll(() => countChanges(plot) - before, { timeout: 30_000 }).toBe(1);
      await expect.poll(() => control.read().struck, { timeout: 30_000 }).toBeGreaterThan(0);
      await expectReadOnly();
      expect(await getRun(harness, id)).toMatchObject({ status: 'running' });
      control.clear();
      expect(await settleRun(harness, id)).toEqual([]);
      expect(await judgeRun(plot, id, countChanges(plot) - before)).toEqual([]);
      expect(await getRun(harness, id)).toMatchObject({ status: 'succeeded' });
      expect(await outputsOf(harness, plot.capsuleId)).toHaveProperty('note');
    }
    expect(await findLedgerFaults(harness.server.dataDir)).toEqual([]);
  });

  it('that is nearly full prevents an apply, and reports the remedy', { timeout: 60_000 }, async () => {
    const prepared = await apply.prepare?.(plot);
    const before = countChanges(plot);
    control.set({ ...fullDisk, kinds: [], freeBytes: 1_048_576 });
    const { run } = await apply.play(plot, prepared);
    expect(await settleRun(harness, run?.id ?? '')).toEqual([]);
    control.clear();
    expect(await getRun(harness, run?.id ?? '')).toMatchObject({ status: 'failed', errorCode: 'disk_full' });
    expect(await errorsOf(harness, run?.id ?? '')).toMatchObject([
      { message: expect.stringContaining('Free some space') },
    ]);
    expect(countChanges(plot)).toBe(before);
  });
});

/**
 * Reason why no small file system can be mounted; undefined where it can. The mount is private to this process and ends
 * with it.
 */
function findUnavailableReason(): string | undefined {
  const tried = inOwnMounts('mount -t tmpfs tmpfs "$1"', os.tmpdir());
  return tried.status === 0 ? undefined : `no file system can be mounted: ${tried.stderr.trim()}`;
}

function inOwnMounts(script: string, ...args: string[]) {
  return spawnSync('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', ...args], {
    encoding: 'utf8',
  });
}

const rounds = depth({ quick: 1, deep: 24 });
const unavailableReason = process.platform === 'linux' ? findUnavailableReason() : 'it takes Linux';
if (unavailableReason !== undefined)
  process.stderr.write(`\n!! Tests on a small disk are skipped: ${unavailableReason}\n\n`);

describe.skipIf(unavailableReason !== undefined)('a small disk', () => {
  it(`that is full ${rounds} times loses nothing that was reported`, {
    timeout: 120_000 + rounds * 60_000,
  }, async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'groundctl-small-'));
    const script = 'mount -t tmpfs -o size=192m tmpfs "$1" && exec "$2" "$3" "$1" "$4"';
    const program = path.join(import.meta.dirname, 'faults/small-disk.ts');
    const args = ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', folder, process.execPath, program];
    try {
      const { stdout } = await promisify(execFile)('unshare', [...args, String(rounds)]);
      expect(JSON.parse(stdout)).toMatchObject({ faults: [] });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
