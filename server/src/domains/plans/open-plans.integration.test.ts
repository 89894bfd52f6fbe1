import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';
import { applyOutcome } from '../../../test/scripted-runner.ts';
import { playRuns } from '../../../test/simulated-runs.ts';

/* Plans of a Capsule that still wait for a person. */

const clock = heldClock();
let server: ScheduleFixture;
let play: ReturnType<typeof playRuns>;
beforeEach(async () => {
  server = await openScheduleFixture(clock);
  play = playRuns(server);
});
afterEach(() => server.close());

const noChanges = { resourceCount: 0 };
const plan = (capsuleId: string, outcome = {}) =>
  play.endPlan(server.domains.plans.createPlan(capsuleId, play.createInput()).id, outcome);
const refusal = (reason: string) => expect.objectContaining({ details: expect.objectContaining({ reason }) });
const listed = (awaits: 'approve' | 'apply') =>
  server.domains.runs.listRuns(server.workspaceId, { awaits }).runs.map(({ id }) => id);
const setPolicy = (policy: object) =>
  server.db.sqlite.prepare('UPDATE workspaces SET policy = ?').run(JSON.stringify(policy));

describe('a plan without changes', () => {
  it('does not wait and is in no list of waiting plans', async () => {
    const capsule = server.makeCapsule();
    const run = await plan(capsule.id, noChanges);
    expect(run).toMatchObject({ status: 'succeeded', hasChanges: false });
    expect(run).not.toHaveProperty('awaits');
    expect(listed('apply')).toEqual([]);
    expect(server.domains.capsules.getCapsule(capsule.id).latestRun).not.toHaveProperty('awaits');
  });

  it('does not wait under a policy that requires a second person', async () => {
    setPolicy({ approval: { requireSecondPerson: true } });
    const run = await plan(server.makeCapsule().id, noChanges);
    expect(run.status).toBe('waiting_approval');
    expect(run).not.toHaveProperty('awaits');
    expect(listed('approve')).toEqual([]);
  });

  it('has changes when one Output differs', async () => {
    const run = await plan(server.makeCapsule().id, { ...noChanges, outputs: [{ name: 'url', actions: ['create'] }] });
    expect(run).toMatchObject({ hasChanges: true, awaits: 'apply' });
    expect(listed('apply')).toEqual([run.id]);
  });

  it('waits for an approval when it destroys a Capsule with an empty state', async () => {
    const capsule = server.makeCapsule();
    await play.applied(capsule.id);
    const destroy = server.domains.plans.createPlan(capsule.id, { ...play.createInput(), type: 'destroy_plan' });
    expect(await play.endPlan(destroy.id, noChanges)).toMatchObject({ hasChanges: true, awaits: 'approve' });
  });
});

describe('a plan that is older than another reviewable one of its Capsule', () => {
  it('names the newer one, does not wait, and can be neither approved nor applied', async () => {
    const capsule = server.makeCapsule();
    const older = await plan(capsule.id);
    setPolicy({ approval: { requireSecondPerson: true } });
    const waiting = await plan(capsule.id);
    const newer = await plan(capsule.id);
    for (const { id } of [older, waiting]) {
      expect(play.read(id)).toMatchObject({ obsoletedBy: newer.id });
      expect(play.read(id)).not.toHaveProperty('awaits');
    }
    expect([listed('apply'), listed('approve')]).toEqual([[], [newer.id]]);
    expect(() => server.domains.applies.apply(older.id, play.createInput())).toThrow(refusal('plan_superseded'));
    expect(() => server.domains.plans.approve(waiting.id, { actorId: 'second' })).toThrow(refusal('plan_superseded'));
    expect(play.read(newer.id)).not.toHaveProperty('superseded');
  });

  it('waits again when the newer one is discarded', async () => {
    const capsule = server.makeCapsule();
    const older = await plan(capsule.id);
    setPolicy({ approval: { requireSecondPerson: true } });
    const newer = await plan(capsule.id);
    server.domains.runs.move(newer.id, 'cancel');
    expect(play.read(older.id)).toMatchObject({ awaits: 'apply' });
    expect(listed('apply')).toEqual([older.id]);
  });

  it('fails its apply, not the newer plan, when that was computed before the apply started', async () => {
    const capsule = server.makeCapsule();
    const older = await plan(capsule.id);
    const next = server.domains.plans.createPlan(capsule.id, play.createInput());
    await server.settle();
    const { run: apply } = server.domains.applies.apply(older.id, play.createInput());
    const newer = await play.endPlan(next.id);
    await server.settle();
    expect(play.read(apply.id)).toMatchObject({ status: 'failed', errorCode: 'plan_superseded' });
    expect(play.read(newer.id)).toMatchObject({ awaits: 'apply' });
    const { run } = server.domains.applies.apply(newer.id, play.createInput());
    await server.settle();
    server.runner.end(run.id, applyOutcome(play.specOf(run.id), true));
    await server.settle();
    expect(play.read(run.id).status).toBe('succeeded');
  });
});
