import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readFeed } from '../fixtures/feed.ts';
import { startHarness } from '../fixtures/harness.ts';
import { errorsOf, getRun, planAgain } from '../fixtures/journey.ts';
import { createRandom } from '../fixtures/random.ts';
import { findLedgerFaults, findWorldFaults, namesInStates } from './invariants.ts';
import { closeGate, countChanges, openGate, type Plot, preparePlot } from './plot.ts';
import { settleRun } from './power-cut.ts';
import { apply, isPlain, plan, renameSource, type Step, sync } from './steps.ts';

/*
 * Simulates full disks on a real one: `node small-disk.ts FOLDER ROUNDS`, where FOLDER is on a small file system that
 * ledger, supervisors and tool share. Prints the problems as a JSON list.
 */

const [folder = '', rounds = '1'] = process.argv.slice(2);
const random = createRandom();
const ballast = path.join(folder, 'ballast');

/** Takes all but a little of the space, so that the write of another process fails. */
function fillUp(): void {
  const { bavail, bsize } = statfsSync(folder);
  const left = 4_096 * random.below(40);
  try {
    writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - left)));
  } catch {
    // Another process took the space at the same moment.
  }
}
const freeSpace = (): void => rmSync(ballast, { force: true });

/** Resolves at some event of the Run's feed, or when it ends. */
async function waitForEvent({ harness }: Plot, id: string, number: number): Promise<void> {
  let seen = 0;
  for await (const _event of readFeed(harness.server, id)) {
    seen += 1;
    if (seen >= number) return;
  }
}

/** Ways in which a Run on a full disk may end; the tool reports what it could not write. */
const ends = ['disk_full', 'plan_failed', 'init_failed', 'apply_failed', 'state_save_failed'];

async function playFull(plot: Plot, step: Step): Promise<string[]> {
  const { harness } = plot;
  const isApply = step === apply;
  const prepared = await step.prepare?.(plot);
  if (isApply) closeGate(plot);
  const { run, answer } = await step.play(plot, prepared);
  const id = run?.id ?? '';
  if (run === undefined) return [`the Run was refused: ${answer.text}`];
  await waitForEvent(plot, id, isApply ? 8 : 1 + random.below(12));
  fillUp();
  openGate(plot);
  const written = await renameSource.play(plot, undefined);
  const faults = isPlain(written) ? [] : [`a write was answered with ${written.answer.status}`];
  const read = await harness.http.get(`/api/v1/runs/${id}`);
  if (read.status !== 200) faults.push(`the Run could not be read: ${read.status}`);
  freeSpace();
  faults.push(...(await settleRun(harness, id)));
  const { status, errorCode = '' } = await getRun(harness, id);
  if (status !== 'succeeded' && !ends.includes(errorCode)) {
    const said = (await errorsOf(harness, id)).map(({ message }) => message).join(' ');
    faults.push(`the Run ended ${status} with ${errorCode}: ${said}`);
  }
  return faults.map((fault) => `${step.name}: ${fault}`);
}

async function main(): Promise<string[]> {
  const dataDir = path.join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const harness = await startHarness({ dataDir, providers: true });
  try {
    const plot = await preparePlot(harness);
    // The first one has space, so that there is an object to know of.
    const { run } = await apply.play(plot, await planAgain(harness, plot.capsuleId));
    const faults = await settleRun(harness, run?.id ?? '');
    for (let round = 0; round < Number(rounds); round += 1)
      faults.push(...(await playFull(plot, [apply, plan, sync][round % 3] ?? apply)));
    const states = await namesInStates(dataDir);
    const known = states.get(plot.capsuleId) ?? [];
    if (countChanges(plot) < 1) faults.push('nothing was ever made');
    faults.push(...findWorldFaults({ created: ['fake_thing.one'], known, isReported: () => false }));
    return [...faults, ...(await findLedgerFaults(dataDir))];
  } finally {
    await harness.stop();
  }
}

const faults = await main();
process.stdout.write(`${JSON.stringify({ seed: random.seed, faults })}\n`);
