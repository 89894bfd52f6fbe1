import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FailpointName } from '#server/kernel/failpoints';
import type { Capsule } from '#shared/capsules/contract';
import { armFailpoint } from './fixtures/crash.ts';
import { expectSoundLedger } from './fixtures/crash-checks.ts';
import { findDoctorProblems } from './fixtures/doctor.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { installPlanned } from './fixtures/journey.ts';
import { asOperator, getInstallation, markRestored } from './fixtures/restored.ts';

let harness: Harness;
let marks = '';
let capsuleId = '';
let round = 0;
beforeAll(async () => {
  marks = mkdtempSync(path.join(os.tmpdir(), 'groundctl-marks-'));
  harness = await startHarness();
  const { url } = harness.repository('shop', { 'main.tf': 'resource "terraform_data" "note" {}\n' });
  ({ capsuleId } = await installPlanned(harness, { url, name: 'shop' }));
});
afterAll(async () => {
  await harness?.stop();
  rmSync(marks, { recursive: true, force: true });
});

const epochOf = async () =>
  (await asOperator<{ capsule: Capsule }>(harness, 'GET', `/capsules/${capsuleId}`)).capsule.executionAuthorityEpoch;
const countOf = async (action: string) =>
  (await asOperator<{ events: unknown[] }>(harness, 'GET', `/audit?action=${action}`)).events.length;
const resume = () => asOperator(harness, 'POST', '/installation/resume').catch(() => undefined);

/** Marks a restore of its own, and returns the file that shows that the failpoint struck. */
function nextRound(): string {
  round += 1;
  markRestored(harness, `2030-01-0${round}T00:00:00.000Z`);
  return path.join(marks, String(round));
}

describe('a server that is killed', () => {
  it.each<FailpointName>(['installation.pausing', 'installation.paused', 'ledger.commit', 'start.listening'])(
    'at %s in the first start of a restored installation repeats nothing',
    async (name) => {
      const [epoch, recorded] = [await epochOf(), await countOf('installation.restored')];
      const mark = await armFailpoint(harness, `${name}@1:kill`, nextRound());
      expect(existsSync(mark)).toBe(true);
      expect(await getInstallation(harness)).toMatchObject({ paused: true });
      expect([await epochOf(), await countOf('installation.restored')]).toEqual([epoch + 1, recorded + 1]);
      await harness.server.restart();
      expect(await epochOf()).toBe(epoch + 1);
      await expectSoundLedger(harness);
      expect(await findDoctorProblems(harness)).toEqual([]);
    },
  );

  it.each<[FailpointName, boolean]>([
    ['installation.resuming', true],
    ['installation.resumed', false],
  ])('at %s in the end of the pause is paused or not, and ends it once', async (name, isPaused) => {
    const recorded = await countOf('installation.resumed');
    const mark = await armFailpoint(harness, `${name}@1:kill`, nextRound());
    await resume();
    expect(existsSync(mark)).toBe(true);
    await harness.server.restart();
    expect(await getInstallation(harness)).toMatchObject({ paused: isPaused });
    await resume();
    await resume();
    expect(await getInstallation(harness)).toMatchObject({ paused: false });
    expect(await countOf('installation.resumed')).toBe(recorded + 1);
  });
});
