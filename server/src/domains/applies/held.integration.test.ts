import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleFixture, type ScheduleFixture, scheduleTool } from '../../../test/schedule-fixture.ts';
import { applyOutcome, planOutcome } from '../../../test/scripted-runner.ts';

let fixture: ScheduleFixture;
const clock = heldClock();
beforeEach(async () => {
  fixture = await openScheduleFixture(clock);
});
afterEach(async () => {
  domains().holdEnds.stop();
  await domains().updates.stop();
  await fixture.close();
});

const domains = () => fixture.domains;
const specOf = (runId: string) => fixture.runner.startedRuns.get(runId)?.spec as never;
const input = () => ({ actorId: fixture.owner, tool: scheduleTool });
const hold = (id: string, until?: string) =>
  domains().capsules.hold(id, { reason: 'Freeze', ...(until && { until }) }, fixture.owner);
const release = (id: string) => domains().capsules.release(id, fixture.owner);
const recordOf = (runId: string) => domains().runs.getRecord(runId);
const heldError = expect.objectContaining({ details: { reason: 'capsule_held' } });

async function endPlan(runId: string, more: object = {}): Promise<void> {
  await fixture.settle();
  fixture.runner.end(runId, { ...planOutcome(specOf(runId)), ...more });
  await fixture.settle();
}
async function endApply(runId: string): Promise<void> {
  await fixture.settle();
  fixture.runner.end(runId, applyOutcome(specOf(runId), true));
  await fixture.settle();
}
async function planned(more: object = {}): Promise<{ capsuleId: string; sourceId: string; planId: string }> {
  const { id: capsuleId, sourceId } = fixture.makeCapsule();
  const planId = domains().plans.createPlan(capsuleId, input()).id;
  await endPlan(planId, more);
  return { capsuleId, sourceId, planId };
}

describe('a hold that is set', () => {
  test('between approval and apply refuses the apply and leaves the approval', async () => {
    const { capsuleId, planId } = await planned({ destructive: true });
    domains().plans.approve(planId, { actorId: fixture.owner });
    hold(capsuleId);
    expect(() => domains().applies.apply(planId, input())).toThrow(heldError);
    expect(recordOf(planId)).toMatchObject({ status: 'succeeded', applyRunId: null });
    release(capsuleId);
    await endApply(domains().applies.apply(planId, input()).run.id);
    expect(domains().capsules.getRow(capsuleId).status).toBe('active');
  });

  test('while a plan is made leaves the plan, and new plans are made', async () => {
    const { capsuleId } = await planned();
    const running = domains().plans.createPlan(capsuleId, input()).id;
    await fixture.settle();
    hold(capsuleId);
    await endPlan(running);
    const next = domains().plans.createPlan(capsuleId, input()).id;
    await endPlan(next);
    expect([recordOf(running).status, recordOf(next).status]).toEqual(['succeeded', 'succeeded']);
  });

  test('while an apply is queued ends it before it starts, with the reason and without a change', async () => {
    const { capsuleId, planId } = await planned();
    const applyId = domains().applies.apply(planId, input()).run.id;
    hold(capsuleId);
    await fixture.settle();
    expect(recordOf(applyId)).toMatchObject({ status: 'failed', errorCode: 'capsule_held' });
    expect(fixture.runner.startedRuns.has(applyId)).toBe(false);
    expect(domains().capsules.getRow(capsuleId)).toMatchObject({ status: 'pending', runtimeSafety: null });
    const feed = domains().runs.feed.listAfter(applyId, 0, 100);
    expect(feed.map(({ payload }) => payload)).toContainEqual(
      expect.objectContaining({ code: 'capsule_held', message: expect.stringMatching(/Reason: "Freeze"\.$/) }),
    );
  });

  test('while an apply is queued has no effect when it is released before the start', async () => {
    const { capsuleId, planId } = await planned();
    const applyId = domains().applies.apply(planId, input()).run.id;
    hold(capsuleId);
    release(capsuleId);
    await endApply(applyId);
    expect(recordOf(applyId).status).toBe('succeeded');
  });

  test('while an apply runs lets it go on, also over a restart, and remains afterwards', async () => {
    const { capsuleId, planId } = await planned();
    const applyId = domains().applies.apply(planId, input()).run.id;
    await fixture.settle();
    hold(capsuleId);
    await fixture.restart();
    await endApply(applyId);
    expect(recordOf(applyId).status).toBe('succeeded');
    expect(domains().capsules.getCapsule(capsuleId)).toMatchObject({ status: 'active', hold: { reason: 'Freeze' } });
  });

  test('while a destroy runs ends with its Capsule', async () => {
    const { capsuleId, planId } = await planned();
    await endApply(domains().applies.apply(planId, input()).run.id);
    const destroyId = domains().plans.createPlan(capsuleId, { ...input(), type: 'destroy_plan' }).id;
    await endPlan(destroyId);
    if (recordOf(destroyId).status === 'waiting_approval')
      domains().plans.approve(destroyId, { actorId: fixture.owner });
    const applyId = domains().applies.apply(destroyId, input()).run.id;
    await fixture.settle();
    hold(capsuleId, new Date(clock.now() + 1_000).toISOString());
    await endApply(applyId);
    expect(domains().capsules.getCapsule(capsuleId)).toMatchObject({ status: 'destroyed', hold: null });
    expect(domains().capsules.findNextHoldEnd()).toBeUndefined();
  });
});

describe('automatic updates of a held Capsule', () => {
  async function following(): Promise<{ id: string; sourceId: string }> {
    const { capsuleId: id, sourceId, planId } = await planned();
    await endApply(domains().applies.apply(planId, input()).run.id);
    domains().capsules.change(id, { autoUpdate: true }, fixture.owner);
    return { id, sourceId };
  }
  async function observe({ id, sourceId }: { id: string; sourceId: string }): Promise<void> {
    const snapshotId = fixture.sync(sourceId);
    fixture.db.write(() => {
      domains().updates.want([domains().capsules.getRow(id)], snapshotId);
      domains().shared.outbox.push({ workspaceId: fixture.workspaceId, kind: 'source', recordId: sourceId });
    });
    await fixture.settle();
  }
  const systemRuns = (capsuleId: string, type: 'plan' | 'apply') =>
    domains()
      .runs.listRuns(fixture.workspaceId, { capsuleId })
      .runs.filter((run) => run.type === type && run.createdBy === 'system');
  const failures = (capsuleId: string) =>
    domains()
      .activity.list(fixture.workspaceId, {})
      .events.filter(
        ({ targetId, action }) => targetId === capsuleId && action.startsWith('capsule.auto_update_apply'),
      );
  /** Ends the plan and the apply that follow the hold. */
  async function expectUpdate(id: string): Promise<void> {
    await fixture.settle();
    await endPlan(systemRuns(id, 'plan')[0]?.id ?? '');
    await endApply(systemRuns(id, 'apply')[0]?.id ?? '');
    expect(systemRuns(id, 'apply')[0]?.status).toBe('succeeded');
    expect(failures(id)).toEqual([]);
  }

  test('wait, and continue when the Capsule is released', async () => {
    const capsule = await following();
    hold(capsule.id);
    await observe(capsule);
    expect(systemRuns(capsule.id, 'plan')).toEqual([]);
    release(capsule.id);
    await expectUpdate(capsule.id);
  });

  test('continue when the hold ends in time, also after a restart', async () => {
    const capsule = await following();
    hold(capsule.id, new Date(clock.now() + 60_000).toISOString());
    await observe(capsule);
    await domains().updates.stop();
    await fixture.restart();
    clock.advance(60_000);
    domains().updates.start();
    domains().holdEnds.start();
    await expectUpdate(capsule.id);
    expect(domains().capsules.findNextHoldEnd()).toBeUndefined();
  });

  test('do not apply a plan that was made before the hold, and plan again after it', async () => {
    const capsule = await following();
    await observe(capsule);
    const [first] = systemRuns(capsule.id, 'plan');
    hold(capsule.id);
    await endPlan(first?.id ?? '');
    expect(systemRuns(capsule.id, 'apply')).toEqual([]);
    release(capsule.id);
    await expectUpdate(capsule.id);
    expect(systemRuns(capsule.id, 'plan')).toHaveLength(2);
  });

  test('plan again after their queued apply was ended by a hold', async () => {
    const capsule = await following();
    await observe(capsule);
    const plan = systemRuns(capsule.id, 'plan')[0]?.id ?? '';
    let hasHeld = false;
    domains().runs.onMoved((run) => {
      if (hasHeld || run.type !== 'apply' || run.status !== 'queued') return;
      hasHeld = true;
      hold(capsule.id);
    });
    await endPlan(plan);
    await fixture.settle();
    expect(systemRuns(capsule.id, 'apply')[0]).toMatchObject({ status: 'failed', errorCode: 'capsule_held' });
    release(capsule.id);
    await expectUpdate(capsule.id);
  });
});
