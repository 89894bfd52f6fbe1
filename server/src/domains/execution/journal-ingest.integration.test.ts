import { afterEach, describe, expect, it } from 'vitest';
import type { JournalRecord, RunnerDriver } from '#server/runner/index';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';
import { applyOutcome } from '../../../test/scripted-runner.ts';
import { playRuns } from '../../../test/simulated-runs.ts';
import { createJournalIngest, type JournalIngestDeps } from './journal-ingest.ts';

let fixture: ScheduleFixture;
afterEach(() => fixture?.close());

/** A running apply, and the ingest of a journal that contains its outcome. */
async function openApply(finishApply: JournalIngestDeps['finishApply']) {
  fixture = await openScheduleFixture(heldClock());
  const play = playRuns(fixture);
  const { id: capsuleId } = fixture.makeCapsule();
  const plan = await play.endPlan(fixture.domains.plans.createPlan(capsuleId, play.createInput()).id);
  const { run } = fixture.domains.applies.apply(plan.id, play.createInput());
  await fixture.settle();
  const outcome = { t: 'outcome', at: 0, outcome: applyOutcome(play.specOf(run.id), true) } as unknown as JournalRecord;
  const driver = {
    follow: async (_jobId: string, { onRecords }: { onRecords: (records: JournalRecord[], next: number) => void }) => {
      onRecords([outcome], 1);
      return 'ended';
    },
    truncateTornTail: async () => undefined,
  } as unknown as RunnerDriver;
  const { runs, activity } = fixture.domains;
  const take = createJournalIngest({
    db: fixture.db,
    clock: heldClock(),
    driver,
    runs,
    activity,
    ends: {} as JournalIngestDeps['ends'],
    finishPlan: () => {},
    finishApply,
  });
  const eventsOf = () =>
    runs.feed
      .listKind(run.id, 'audit', { after: 0, limit: 99 })
      .map(({ payload }) => String(payload['type']))
      .filter((type) => type.includes('ledger'));
  const activityOf = () =>
    activity.list(fixture.workspaceId, {}).events.filter(({ action }) => action.includes('ledger')).length;
  return { run, take: () => take(run.id, new AbortController().signal), eventsOf, activityOf };
}

describe('an apply whose result could not be written', () => {
  it('records that it is written again, once, when that succeeds', async () => {
    let failures = 2;
    const { take, eventsOf, activityOf } = await openApply((applied) => {
      failures -= 1;
      if (failures >= 0) throw new Error('the disk is busy');
      fixture.domains.runs.move(applied.id, 'fail', { set: { errorCode: 'apply_failed' }, items: [] });
    });
    await expect(take()).rejects.toThrow('the disk is busy');
    await expect(take()).rejects.toThrow('the disk is busy');
    expect([eventsOf(), activityOf()]).toEqual([[], 0]);
    expect(await take()).toBe(false);
    expect([eventsOf(), activityOf()]).toEqual([['apply.artifact_ledger_retry_scheduled'], 1]);
  });

  it('records nothing when it is written at once', async () => {
    const { take, eventsOf, activityOf } = await openApply((applied) =>
      fixture.domains.runs.move(applied.id, 'fail', { set: { errorCode: 'apply_failed' }, items: [] }),
    );
    await take();
    expect([eventsOf(), activityOf()]).toEqual([[], 0]);
  });
});
