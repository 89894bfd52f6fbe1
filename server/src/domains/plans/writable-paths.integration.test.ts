import { realpathSync, rmdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { heldClock, tempDirOnDisk } from '../../../test/harness.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';
import { playRuns } from '../../../test/simulated-runs.ts';

let harness: ScheduleFixture;
let out: string;
beforeEach(async () => {
  harness = await openScheduleFixture(heldClock());
  out = realpathSync(tempDirOnDisk());
});
afterEach(async () => {
  rmdirSync(out);
  await harness.close();
});

test('a Run receives the folders of its Capsule that are still allowed, and no others', async () => {
  const play = playRuns(harness);
  const { id } = harness.makeCapsule();
  harness.db.sqlite
    .prepare('UPDATE capsules SET writable_paths = ? WHERE id = ?')
    .run(JSON.stringify([out, '/etc']), id);
  const plan = harness.domains.plans.createPlan(id, play.createInput());
  await harness.settle();
  expect(play.specOf(plan.id).writablePaths).toEqual([out]);
});
