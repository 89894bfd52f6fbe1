import { deflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';
import { applyOutcome } from '../../../test/scripted-runner.ts';
import { playRuns } from '../../../test/simulated-runs.ts';

let harness: ScheduleFixture;
beforeEach(async () => {
  harness = await openScheduleFixture(heldClock());
});
afterEach(() => harness.close());

test('a failed apply keeps its state although the document of its plan is damaged', async () => {
  const play = playRuns(harness);
  const { id } = harness.makeCapsule();
  const plan = await play.endPlan(harness.domains.plans.createPlan(id, play.createInput()).id);
  const { run } = harness.domains.applies.apply(plan.id, play.createInput());
  await harness.settle();
  const document = deflateRawSync(JSON.stringify({ formatVersion: 'damaged' }));
  harness.db.sqlite.prepare('UPDATE plan_artifacts SET document = ? WHERE run_id = ?').run(document, plan.id);
  harness.runner.end(run.id, applyOutcome(play.specOf(run.id), false));
  await harness.settle();
  expect(play.read(run.id)).toMatchObject({ status: 'failed', errorCode: 'apply_failed' });
  expect(harness.domains.capsules.getRow(id).currentStateGeneration).toBe(1);
});
