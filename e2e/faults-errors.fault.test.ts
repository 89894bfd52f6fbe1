import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Control, Rule } from './faults/control.ts';
import { type FaultyDisk, startOnFaultyDisk } from './faults/faulty-disk.ts';
import { findLedgerFaults } from './faults/invariants.ts';
import { countChanges, judgeRun, type Plot } from './faults/plot.ts';
import { settleRun } from './faults/power-cut.ts';
import { missing } from './faults/shim.ts';
import {
  addSource,
  apply,
  failing,
  isPlain,
  plan,
  renameSource,
  type Seen,
  type Step,
  signIn,
  sync,
} from './faults/steps.ts';
import { depth } from './fixtures/depth.ts';
import type { Harness } from './fixtures/harness.ts';
import { createRandom, type Random } from './fixtures/random.ts';

/** Number of faults in each step. */
const strikes: readonly (readonly [Step, number])[] = [
  [renameSource, depth({ quick: 3, deep: 400 })],
  [signIn, depth({ quick: 1, deep: 150 })],
  [addSource, depth({ quick: 1, deep: 150 })],
  [sync, depth({ quick: 2, deep: 150 })],
  [plan, depth({ quick: 1, deep: 100 })],
  [apply, depth({ quick: 1, deep: 60 })],
];
const total = strikes.reduce((sum, [, count]) => sum + count, 0);
const random = createRandom();

describe.skipIf(missing !== undefined)('a disk that fails', () => {
  let disk: FaultyDisk | undefined;
  let control: Control;
  let harness: Harness;
  let plot: Plot;
  /** Reported facts that must hold from then on; of a name only the newest. */
  const acknowledged = new Map<string, () => Promise<boolean>>();

  beforeAll(async () => {
    disk = await startOnFaultyDisk();
    ({ control, harness, plot } = disk);
  });
  afterAll(() => disk?.stop());

  /** Runs a step until one of its calls has failed; returns the problems of its result. */
  async function strike(step: Step): Promise<string[]> {
    for (;;) {
      const prepared = await step.prepare?.(plot);
      const rule = chooseRule(step, random);
      const before = countChanges(plot);
      control.set(rule);
      const seen = await step.play(plot, prepared);
      // Temporary faults are waited out: the Run ends without intervention.
      const stuck = seen.run === undefined ? [] : await settleRun(harness, seen.run.id);
      const { struck, where, fitting } = control.clear();
      const problems = [...stuck, ...(await judge(step, seen, before))];
      const what = `${step.name}, ${rule.error} at ${where} (call ${rule.first} of ${fitting}, ${struck} struck)`;
      if (struck > 0 || problems.length > 0) return problems.map((fault) => `${what}: ${fault}`);
    }
  }

  /** A stopped server gives the reason in its log. */
  async function throwWithServerLog(error: unknown): Promise<never> {
    throw new Error(`${error} GROUNDCTL_TEST_SEED=${random.seed}\n${harness.server.log().slice(-4_000)}`);
  }

  async function judge(step: Step, seen: Seen, changesBefore: number): Promise<string[]> {
    const { answer, run, holds } = seen;
    const faults = isPlain(seen) ? [] : [`the answer was ${answer.status} ${answer.text}`];
    if (holds !== undefined && !(await holds())) faults.push(`what was answered with ${answer.status} does not hold`);
    if (holds !== undefined && step !== renameSource) acknowledged.set(answer.text, holds);
    if (run !== undefined) faults.push(...(await judgeRun(plot, run.id, countChanges(plot) - changesBefore)));
    const after = await renameSource.play(plot, undefined);
    if (after.holds === undefined) faults.push(`the server does not accept a write afterwards: ${after.answer.text}`);
    else acknowledged.set(renameSource.name, after.holds);
    return faults;
  }

  it(`${total} times loses nothing, reports the failure and continues`, {
    timeout: 120_000 + total * 8_000,
  }, async () => {
    const faults: string[] = [];
    for (const [step, count] of strikes)
      for (let round = 0; round < count; round += 1) faults.push(...(await strike(step).catch(throwWithServerLog)));
    expect(faults, `GROUNDCTL_TEST_SEED=${random.seed}`).toEqual([]);
  });

  it('leaves an intact ledger with all reported facts, now and after a restart', { timeout: 120_000 }, async () => {
    expect(await findLedgerFaults(harness.server.dataDir)).toEqual([]);
    await harness.server.restart();
    const lost: string[] = [];
    for (const [text, holds] of acknowledged) if (!(await holds())) lost.push(text);
    expect(lost).toEqual([]);
    expect(await findLedgerFaults(harness.server.dataDir)).toEqual([]);
  });
});

/** One to three calls of one kind or of any kind, at some path that the step writes to. */
function chooseRule({ targets }: Step, random: Random): Rule {
  const [include, calls] = targets[random.below(targets.length)] ?? ['', 1];
  const isShort = random.below(8) === 0;
  const isAny = !isShort && random.below(3) > 0;
  const one = isShort ? 'write' : (failing[random.below(failing.length)] ?? 'write');
  return {
    kinds: isAny ? failing : [one],
    include,
    // Failing output beside a Run has no effect.
    exclude: '.log',
    first: 1 + random.below(isAny ? calls : Math.max(1, Math.round(calls / 4))),
    times: 1 + random.below(3),
    error: (['EIO', 'ENOSPC', 'EDQUOT'] as const)[random.below(3)] ?? 'EIO',
    isShort,
  };
}
