import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';
import { applyOutcome } from '../../../test/scripted-runner.ts';
import { playRuns } from '../../../test/simulated-runs.ts';

/* Plans of an applied Capsule: destroy plans, drift checks, and rollbacks. */

const clock = heldClock();
let fixture: ScheduleFixture;
let play: ReturnType<typeof playRuns>;
beforeEach(async () => {
  fixture = await openScheduleFixture(clock);
  play = playRuns(fixture);
});
afterEach(() => fixture.close());

type Kind = 'destroy_plan' | 'drift_check';
const queue = (capsuleId: string, type: Kind) =>
  fixture.domains.plans.createPlan(capsuleId, { ...play.createInput(), type });
const row = (id: string) => fixture.domains.capsules.getRow(id);
const auditTypes = (runId: string) =>
  fixture.domains.runs.feed.listKind(runId, 'audit', { after: 0, limit: 99 }).map(({ payload }) => payload['type']);
const listActions = () => fixture.domains.activity.list(fixture.workspaceId, {}).events.map(({ action }) => action);
const refusal = (reason: string) => expect.objectContaining({ details: expect.objectContaining({ reason }) });
const drifted = { address: 'a.b', type: 'a', actions: ['update'] };

async function makeApplied() {
  const capsule = fixture.makeCapsule();
  await play.applied(capsule.id, { url: { value: 'http://one', type: 'string' } });
  return capsule;
}

describe('destroying a Capsule', () => {
  test('is planned, always requires approval, and is applied; only the record remains', async () => {
    const { id } = await makeApplied();
    const user = fixture.makeCapsule().id;
    fixture.domains.dependencies.create(
      user,
      { producerCapsuleId: id, outputs: { title: { from: 'url', to: 'title', required: true } } },
      fixture.owner,
    );
    await play.applied(user);
    const plan = await play.endPlan(queue(id, 'destroy_plan').id);
    expect(plan).toMatchObject({
      type: 'destroy_plan',
      status: 'waiting_approval',
      requiresApproval: true,
      awaits: 'approve',
    });
    expect(play.specOf(plan.id).operation).toBe('destroy_plan');
    expect(() => fixture.domains.applies.apply(plan.id, play.createInput())).toThrow(refusal('approval_required'));
    fixture.domains.plans.approve(plan.id, { actorId: fixture.owner });
    const apply = await play.applyPlan(plan.id);
    expect(apply).toMatchObject({ type: 'destroy_apply', status: 'succeeded' });
    expect(auditTypes(apply.id)).toEqual(['apply.queued', 'apply.started', 'destroy.completed']);
    expect(row(id)).toMatchObject({ status: 'destroyed', runtimeSafety: 'safe', currentStateGeneration: 2 });
    expect(fixture.domains.states.listStateVersions(id, {}).stateVersions).toHaveLength(2);
    expect(listActions()).toEqual(expect.arrayContaining(['run.destroyed', 'capsule.destroyed', 'capsule.stale']));
    // Its consumer is stale now, and can be destroyed although it receives no values any more.
    expect(row(user).status).toBe('stale');
    expect((await play.endPlan(queue(user, 'destroy_plan').id)).status).toBe('waiting_approval');
    expect(() => queue(id, 'destroy_plan')).toThrow(refusal('capsule_destroyed'));
  });

  test('that fails leaves a Capsule in error with the resulting state, and can be requested again', async () => {
    const { id } = await makeApplied();
    const plan = await play.endPlan(queue(id, 'destroy_plan').id);
    fixture.domains.plans.approve(plan.id, { actorId: fixture.owner });
    const apply = await play.applyPlan(plan.id, {}, false);
    expect(apply.status).toBe('failed');
    expect(auditTypes(apply.id)).toContain('destroy.failed');
    expect(row(id)).toMatchObject({ status: 'error', runtimeSafety: 'unknown', currentStateGeneration: 2 });
    const again = await play.endPlan(queue(id, 'destroy_plan').id);
    fixture.domains.plans.approve(again.id, { actorId: fixture.owner });
    expect((await play.applyPlan(again.id)).status).toBe('succeeded');
    expect(row(id).status).toBe('destroyed');
  });

  test('ends queued Runs of the Capsule too', async () => {
    const { id } = await makeApplied();
    const other = await play.endPlan(queue(id, 'destroy_plan').id);
    const plan = await play.endPlan(queue(id, 'destroy_plan').id);
    fixture.domains.plans.approve(plan.id, { actorId: fixture.owner });
    await play.applyPlan(plan.id);
    expect(play.read(other.id).status).toBe('cancelled');
    expect(auditTypes(other.id)).toEqual(expect.arrayContaining(['plan.superseded', 'plan.cancelled']));
  });

  test('is refused for a Capsule that was never applied, and a Capsule with work in progress is not discarded', async () => {
    const fresh = fixture.makeCapsule();
    expect(() => queue(fresh.id, 'destroy_plan')).toThrow(refusal('capsule_never_applied'));
    const { id } = await makeApplied();
    const plan = fixture.domains.plans.planRemoval(id, play.createInput());
    expect(plan.type).toBe('destroy_plan');
    expect(() => fixture.domains.plans.planRemoval(id, play.createInput())).toThrow(refusal('run_in_progress'));
  });

  test('continues when the server restarts during the apply', async () => {
    const { id } = await makeApplied();
    const plan = await play.endPlan(queue(id, 'destroy_plan').id);
    fixture.domains.plans.approve(plan.id, { actorId: fixture.owner });
    const { run } = fixture.domains.applies.apply(plan.id, play.createInput());
    await fixture.settle();
    await fixture.restart();
    const identity = { pid: 2, startTime: '', bootId: '' };
    fixture.runner.say(run.id, { t: 'spawned', at: 0, command: 'apply', identity });
    fixture.runner.end(run.id, applyOutcome(play.specOf(run.id), true));
    await fixture.settle();
    expect(play.read(run.id).status).toBe('succeeded');
    expect(row(id).status).toBe('destroyed');
  });
});

describe('a drift check', () => {
  test('counts the differences, records them in the history, and can be neither approved nor applied', async () => {
    const { id, sourceId } = await makeApplied();
    const applied = row(id).adoptedSourceRevision?.sourceSnapshotId;
    fixture.sync(sourceId);
    const run = await play.endPlan(queue(id, 'drift_check').id, { drift: [drifted] });
    expect(run).toMatchObject({ type: 'drift_check', status: 'succeeded', driftCount: 1, sourceSnapshotId: applied });
    expect(run).not.toHaveProperty('awaits');
    expect(run).not.toHaveProperty('planExpiresAt');
    expect(play.specOf(run.id).operation).toBe('drift_check');
    expect(auditTypes(run.id)).toEqual(expect.arrayContaining(['plan.completed', 'drift.detected']));
    expect(fixture.domains.activity.list(fixture.workspaceId, {}).events[0]).toMatchObject({
      action: 'capsule.drift_detected',
      targetId: id,
      metadata: { count: 1 },
    });
    expect(() => fixture.domains.plans.approve(run.id, { actorId: fixture.owner })).toThrow(
      refusal('nothing_to_approve'),
    );
    expect(() => fixture.domains.applies.apply(run.id, play.createInput())).toThrow(refusal('run_not_appliable'));
    expect(row(id)).toMatchObject({ status: 'active', currentStateGeneration: 1 });
  });

  test('without differences reports that, and a waiting plan stays valid', async () => {
    const { id } = await makeApplied();
    const plan = await play.endPlan(fixture.domains.plans.createPlan(id, play.createInput()).id);
    const run = await play.endPlan(queue(id, 'drift_check').id);
    expect(run.driftCount).toBe(0);
    expect(auditTypes(run.id)).toContain('drift.none');
    expect(listActions()).not.toContain('capsule.drift_detected');
    expect(play.read(plan.id).awaits).toBe('apply');
  });
});

describe('a rollback', () => {
  test('is a plan of the snapshot of that state, and its apply makes the Capsule follow it', async () => {
    const { id, sourceId } = await makeApplied();
    const first = row(id);
    fixture.sync(sourceId);
    await play.applied(id);
    expect(row(id).adoptedSourceRevision).not.toEqual(first.adoptedSourceRevision);
    const back = fixture.domains.plans.planRollback(first.currentStateVersionId ?? '', play.createInput());
    const plan = await play.endPlan(back.id);
    expect(plan).toMatchObject({
      type: 'plan',
      rollbackStateVersionId: first.currentStateVersionId,
      sourceSnapshotId: first.adoptedSourceRevision?.sourceSnapshotId,
    });
    await play.applyPlan(plan.id);
    expect(row(id)).toMatchObject({ adoptedSourceRevision: first.adoptedSourceRevision, currentStateGeneration: 3 });
    // Its lane has a newer commit, which is expected after a rollback.
    expect(row(id).status).toBe('stale');
  });

  test('is refused where the snapshot of a state is unknown', async () => {
    const { id } = await makeApplied();
    fixture.db.sqlite.prepare('UPDATE state_versions SET source_snapshot_id = NULL').run();
    const stateVersionId = row(id).currentStateVersionId ?? '';
    expect(() => fixture.domains.plans.planRollback(stateVersionId, play.createInput())).toThrow(
      refusal('state_version_snapshot_missing'),
    );
  });
});

describe('an apply of a plan with imports', () => {
  test('reports each imported address before its end', async () => {
    const { id } = fixture.makeCapsule();
    const plan = fixture.domains.plans.createPlan(id, play.createInput());
    await fixture.settle();
    const imported = ['a.one', 'a.two'].map((address) => ({ address, importing: { id: address } }));
    await play.endPlan(plan.id, { resources: [...imported, { address: 'a.new' }] });
    const apply = await play.applyPlan(plan.id);
    const events = fixture.domains.runs.feed.listKind(apply.id, 'audit', { after: 0, limit: 99 }).slice(-3);
    expect(events.map(({ payload }) => [payload['type'], (payload['data'] as { address?: string }).address])).toEqual([
      ['resource.import.completed', 'a.one'],
      ['resource.import.completed', 'a.two'],
      ['apply.completed', undefined],
    ]);
  });
});

describe('minutes of the runner', () => {
  test('are counted once for each Run, in the transaction that ends it', async () => {
    const { id } = await makeApplied();
    const plan = fixture.domains.plans.createPlan(id, play.createInput());
    await fixture.settle();
    clock.advance(90_000);
    await play.endPlan(plan.id);
    const { usageEvents } = fixture.domains.usage.list(fixture.workspaceId, {});
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
    expect(fixture.domains.usage.summaryOf(id)).toEqual({
      capsuleId: id,
      usdMicros: 0,
      eventCount: 3,
      ratedEventCount: 0,
      unratedEventCount: 3,
    });
    const record = fixture.domains.runs.getRecord(plan.id);
    fixture.domains.usage.recordRun(record);
    expect(fixture.domains.usage.list(fixture.workspaceId, {}).usageEvents).toHaveLength(3);
  });

  test('of a Run are captured in its feed when their cost is shown', async () => {
    await fixture.close();
    fixture = await openScheduleFixture(clock, { billingMode: 'showback' });
    play = playRuns(fixture);
    const { id } = await makeApplied();
    const [apply] = fixture.domains.usage.list(fixture.workspaceId, {}).usageEvents;
    const captured = (runId = '') => auditTypes(runId).filter((type) => String(type).startsWith('billing.'));
    expect(captured(apply?.runId)).toEqual(['billing.capture.pending', 'billing.capture.completed']);
    fixture.domains.usage.recordRun(fixture.domains.runs.getRecord(apply?.runId ?? ''));
    expect(captured(apply?.runId)).toHaveLength(2);
    expect(row(id).status).toBe('active');
  });

  test('are not counted for a Run that never started', async () => {
    const { id } = await makeApplied();
    queue(id, 'drift_check');
    const waiting = queue(id, 'drift_check');
    await fixture.settle();
    const caller = { principal: { kind: 'session', subject: fixture.owner }, roles: ['owner'] };
    fixture.domains.cancel(waiting.id, { ...caller, workspaceId: fixture.workspaceId } as never, {});
    expect(fixture.domains.usage.list(fixture.workspaceId, {}).usageEvents.map(({ runId }) => runId)).not.toContain(
      waiting.id,
    );
  });
});
