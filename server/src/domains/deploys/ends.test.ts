import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { heldClock } from '../../../test/harness.ts';
import { playRuns } from '../../../test/played-runs.ts';
import { openScheduleGround, type ScheduleGround } from '../../../test/schedule-ground.ts';
import { applyOutcome } from '../../../test/scripted-runner.ts';

/* Plans that look at what was applied: the end of a Capsule, a comparison with the world, a return to an earlier commit. */

const clock = heldClock();
let ground: ScheduleGround;
let play: ReturnType<typeof playRuns>;
beforeEach(async () => {
  ground = await openScheduleGround(clock);
  play = playRuns(ground);
});
afterEach(() => ground.close());

type Kind = 'destroy_plan' | 'drift_check';
const queue = (capsuleId: string, type: Kind) => ground.rooms.deploys.createPlan(capsuleId, { ...play.ask(), type });
const row = (id: string) => ground.rooms.capsules.getRow(id);
const told = (runId: string) =>
  ground.rooms.runs.feed.listKind(runId, 'audit', { after: 0, limit: 99 }).map(({ payload }) => payload['type']);
const deeds = () => ground.rooms.activity.list(ground.workspaceId, {}).events.map(({ action }) => action);
const refusal = (reason: string) => expect.objectContaining({ details: expect.objectContaining({ reason }) });
const drifted = { address: 'a.b', type: 'a', actions: ['update'] };

async function makeApplied() {
  const capsule = ground.makeCapsule();
  await play.applied(capsule.id, { url: { value: 'http://one', type: 'string' } });
  return capsule;
}

describe('the end of a Capsule', () => {
  test('is planned, always approved and applied, and what is left is a record', async () => {
    const { id } = await makeApplied();
    const user = ground.makeCapsule().id;
    ground.rooms.dependencies.create(
      user,
      { producerCapsuleId: id, outputs: { title: { from: 'url', to: 'title', required: true } } },
      ground.owner,
    );
    await play.applied(user);
    const plan = await play.endPlan(queue(id, 'destroy_plan').id);
    expect(plan).toMatchObject({
      type: 'destroy_plan',
      status: 'waiting_approval',
      requiresApproval: true,
      awaits: 'approve',
    });
    expect(play.jobOf(plan.id).operation).toBe('destroy_plan');
    expect(() => ground.rooms.deploys.apply(plan.id, play.ask())).toThrow(refusal('approval_required'));
    ground.rooms.deploys.approve(plan.id, { actorId: ground.owner });
    const apply = await play.applyPlan(plan.id);
    expect(apply).toMatchObject({ type: 'destroy_apply', status: 'succeeded' });
    expect(told(apply.id)).toEqual(['apply.queued', 'apply.started', 'destroy.completed']);
    expect(row(id)).toMatchObject({ status: 'destroyed', runtimeSafety: 'safe', currentStateGeneration: 2 });
    expect(ground.rooms.states.listStateVersions(id, {}).stateVersions).toHaveLength(2);
    expect(deeds()).toEqual(expect.arrayContaining(['run.destroyed', 'capsule.destroyed', 'capsule.stale']));
    // Whoever used it is behind now, and may be ended itself although nothing is given any more.
    expect(row(user).status).toBe('stale');
    expect((await play.endPlan(queue(user, 'destroy_plan').id)).status).toBe('waiting_approval');
    expect(() => queue(id, 'destroy_plan')).toThrow(refusal('capsule_destroyed'));
  });

  test('that fails leaves a Capsule in error with the state it reached, and can be asked for again', async () => {
    const { id } = await makeApplied();
    const plan = await play.endPlan(queue(id, 'destroy_plan').id);
    ground.rooms.deploys.approve(plan.id, { actorId: ground.owner });
    const apply = await play.applyPlan(plan.id, {}, false);
    expect(apply.status).toBe('failed');
    expect(told(apply.id)).toContain('destroy.failed');
    expect(row(id)).toMatchObject({ status: 'error', runtimeSafety: 'unknown', currentStateGeneration: 2 });
    const again = await play.endPlan(queue(id, 'destroy_plan').id);
    ground.rooms.deploys.approve(again.id, { actorId: ground.owner });
    expect((await play.applyPlan(again.id)).status).toBe('succeeded');
    expect(row(id).status).toBe('destroyed');
  });

  test('ends what still waited for the Capsule too', async () => {
    const { id } = await makeApplied();
    const other = await play.endPlan(queue(id, 'destroy_plan').id);
    const plan = await play.endPlan(queue(id, 'destroy_plan').id);
    ground.rooms.deploys.approve(plan.id, { actorId: ground.owner });
    await play.applyPlan(plan.id);
    expect(play.read(other.id).status).toBe('cancelled');
    expect(told(other.id)).toEqual(expect.arrayContaining(['plan.superseded', 'plan.cancelled']));
  });

  test('is refused for what was never applied, and while something is under way it is not discarded', async () => {
    const fresh = ground.makeCapsule();
    expect(() => queue(fresh.id, 'destroy_plan')).toThrow(refusal('capsule_never_applied'));
    const { id } = await makeApplied();
    const plan = ground.rooms.deploys.planRemoval(id, play.ask());
    expect(plan.type).toBe('destroy_plan');
    expect(() => ground.rooms.deploys.planRemoval(id, play.ask())).toThrow(refusal('run_in_progress'));
  });

  test('goes on when the server is started anew while it is applied', async () => {
    const { id } = await makeApplied();
    const plan = await play.endPlan(queue(id, 'destroy_plan').id);
    ground.rooms.deploys.approve(plan.id, { actorId: ground.owner });
    const { run } = ground.rooms.deploys.apply(plan.id, play.ask());
    await ground.settle();
    await ground.restart();
    const identity = { pid: 2, startTime: '', bootId: '' };
    ground.runner.say(run.id, { t: 'spawned', at: 0, command: 'apply', identity });
    ground.runner.end(run.id, applyOutcome(play.jobOf(run.id), true));
    await ground.settle();
    expect(play.read(run.id).status).toBe('succeeded');
    expect(row(id).status).toBe('destroyed');
  });
});

describe('a comparison', () => {
  test('counts what differs, tells the history, and can be neither approved nor applied', async () => {
    const { id, sourceId } = await makeApplied();
    const applied = row(id).adoptedSourceRevision?.sourceSnapshotId;
    ground.sync(sourceId);
    const run = await play.endPlan(queue(id, 'drift_check').id, { drift: [drifted] });
    expect(run).toMatchObject({ type: 'drift_check', status: 'succeeded', driftCount: 1, sourceSnapshotId: applied });
    expect(run).not.toHaveProperty('awaits');
    expect(run).not.toHaveProperty('planExpiresAt');
    expect(play.jobOf(run.id).operation).toBe('drift_check');
    expect(told(run.id)).toEqual(expect.arrayContaining(['plan.completed', 'drift.detected']));
    expect(ground.rooms.activity.list(ground.workspaceId, {}).events[0]).toMatchObject({
      action: 'capsule.drift_detected',
      targetId: id,
      metadata: { count: 1 },
    });
    expect(() => ground.rooms.deploys.approve(run.id, { actorId: ground.owner })).toThrow(
      refusal('nothing_to_approve'),
    );
    expect(() => ground.rooms.deploys.apply(run.id, play.ask())).toThrow(refusal('run_not_appliable'));
    expect(row(id)).toMatchObject({ status: 'active', currentStateGeneration: 1 });
  });

  test('that finds nothing says so, and a plan that waits stays as good as it was', async () => {
    const { id } = await makeApplied();
    const plan = await play.endPlan(ground.rooms.deploys.createPlan(id, play.ask()).id);
    const run = await play.endPlan(queue(id, 'drift_check').id);
    expect(run.driftCount).toBe(0);
    expect(told(run.id)).toContain('drift.none');
    expect(deeds()).not.toContain('capsule.drift_detected');
    expect(play.read(plan.id).awaits).toBe('apply');
  });
});

describe('a return to an earlier commit', () => {
  test('is a plan of the snapshot of that state, and its apply makes the Capsule follow it', async () => {
    const { id, sourceId } = await makeApplied();
    const first = row(id);
    ground.sync(sourceId);
    await play.applied(id);
    expect(row(id).adoptedSourceRevision).not.toEqual(first.adoptedSourceRevision);
    const back = ground.rooms.deploys.planRollback(first.currentStateVersionId ?? '', play.ask());
    const plan = await play.endPlan(back.id);
    expect(plan).toMatchObject({
      type: 'plan',
      rollbackStateVersionId: first.currentStateVersionId,
      sourceSnapshotId: first.adoptedSourceRevision?.sourceSnapshotId,
    });
    await play.applyPlan(plan.id);
    expect(row(id)).toMatchObject({ adoptedSourceRevision: first.adoptedSourceRevision, currentStateGeneration: 3 });
    // Its lane has a newer commit, as a person knows who has gone back.
    expect(row(id).status).toBe('stale');
  });

  test('is refused where nobody knows any more what a state was made from', async () => {
    const { id } = await makeApplied();
    ground.db.sqlite.prepare('UPDATE state_versions SET source_snapshot_id = NULL').run();
    const stateVersionId = row(id).currentStateVersionId ?? '';
    expect(() => ground.rooms.deploys.planRollback(stateVersionId, play.ask())).toThrow(
      refusal('state_version_snapshot_missing'),
    );
  });
});

describe('minutes of the runner', () => {
  test('are counted once for each Run, in the transaction that ends it', async () => {
    const { id } = await makeApplied();
    const plan = ground.rooms.deploys.createPlan(id, play.ask());
    await ground.settle();
    clock.advance(90_000);
    await play.endPlan(plan.id);
    const { usageEvents } = ground.rooms.usage.list(ground.workspaceId, {});
    expect(usageEvents).toHaveLength(3);
    expect(usageEvents[0]).toMatchObject({
      runId: plan.id,
      capsuleId: id,
      kind: 'runner_minutes',
      source: 'runner',
      quantity: 1.5,
      usdMicros: 0,
      ratingStatus: 'unrated',
      idempotencyKey: `${plan.id}:runner_minutes`,
    });
    expect(ground.rooms.usage.summaryOf(id)).toEqual({
      capsuleId: id,
      usdMicros: 0,
      eventCount: 3,
      ratedEventCount: 0,
      unratedEventCount: 3,
    });
    const record = ground.rooms.runs.getRecord(plan.id);
    ground.rooms.usage.recordRun(record);
    expect(ground.rooms.usage.list(ground.workspaceId, {}).usageEvents).toHaveLength(3);
  });

  test('are not counted for a Run that never began', async () => {
    const { id } = await makeApplied();
    queue(id, 'drift_check');
    const waiting = queue(id, 'drift_check');
    await ground.settle();
    const caller = { principal: { kind: 'session', subject: ground.owner }, roles: ['owner'] };
    ground.rooms.cancel(waiting.id, { ...caller, workspaceId: ground.workspaceId } as never, {});
    expect(ground.rooms.usage.list(ground.workspaceId, {}).usageEvents.map(({ runId }) => runId)).not.toContain(
      waiting.id,
    );
  });
});
