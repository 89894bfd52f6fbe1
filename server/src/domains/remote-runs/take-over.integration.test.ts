import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { heldClock } from '../../../test/harness.ts';
import { claimOf, openHeldJobs, poolId, queueApplyInPool, queueInPool } from '../../../test/held-jobs.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';
import { createRemoteJobsStore } from './store.ts';
import { takeOverJobs } from './take-over.ts';

const clock = heldClock();
let fixture: ScheduleFixture;
beforeEach(async () => {
  fixture = await openScheduleFixture(clock);
});
afterEach(() => fixture.close());

test('a promoted server counts applies of machines as permitted, and waits for every journal', () => {
  const { add, jobs, folders } = openHeldJobs(fixture, clock);
  const claim = claimOf(fixture, clock);
  const ids = [queueInPool(fixture), queueApplyInPool(fixture)];
  const [plan = '', apply = ''] = ids;
  for (const runId of ids) {
    expect(claim(poolId, { runId })?.id).toBe(runId);
    add(runId);
  }
  const markStarted = vi.fn();
  const store = createRemoteJobsStore(fixture.db);
  const { runs } = fixture.domains;
  const deps = { clock, folders, store, runs, markStarted };
  expect(fixture.db.write(() => takeOverJobs(deps))).toBe(2);
  expect(store.find(plan)?.permittedAt).toBeNull();
  expect(store.find(apply)?.permittedAt).toBe(clock.now());
  expect(markStarted.mock.calls.map(([jobId]) => jobId)).toEqual([apply]);
  expect(ids.map((id) => jobs.find(id)?.mirror.exists())).toEqual([true, true]);
});
