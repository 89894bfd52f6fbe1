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

test('an apply that changed more than its plan keeps the state, and disables automatic updates', async () => {
  const play = playRuns(harness);
  const { id } = harness.makeCapsule();
  harness.domains.capsules.change(id, { autoUpdate: true }, harness.owner);
  const plan = await play.endPlan(harness.domains.plans.createPlan(id, play.createInput()).id);
  const { run } = harness.domains.applies.apply(plan.id, play.createInput());
  await harness.settle();
  const outcome = applyOutcome(play.specOf(run.id), false);
  harness.runner.end(run.id, { ...outcome, deviated: true } as typeof outcome);
  await harness.settle();
  expect(play.read(run.id)).toMatchObject({ status: 'failed', errorCode: 'apply_failed' });
  expect(harness.domains.capsules.getRow(id)).toMatchObject({
    status: 'error',
    autoUpdate: false,
    currentStateGeneration: 1,
  });
  const actions = harness.domains.activity.list(harness.workspaceId, {}).events.map(({ action }) => action);
  expect(actions).toContain('capsule.auto_update_disabled');
});
