import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { heldClock } from '../../../test/harness.ts';
import { playRuns } from '../../../test/played-runs.ts';
import { openScheduleGround, type ScheduleGround } from '../../../test/schedule-ground.ts';
import { applyOutcome } from '../../../test/scripted-runner.ts';

/* Which of the plans of a Capsule still waits for a person. */

const clock = heldClock();
let server: ScheduleGround;
let play: ReturnType<typeof playRuns>;
beforeEach(async () => {
  server = await openScheduleGround(clock);
  play = playRuns(server);
});
afterEach(() => server.close());

const noChanges = { resourceCount: 0 };
const plan = (capsuleId: string, outcome = {}) =>
  play.endPlan(server.rooms.deploys.createPlan(capsuleId, play.ask()).id, outcome);
const refusal = (reason: string) => expect.objectContaining({ details: expect.objectContaining({ reason }) });
const listed = (awaits: 'approve' | 'apply') =>
  server.rooms.runs.listRuns(server.workspaceId, { awaits }).runs.map(({ id }) => id);
const setPolicy = (policy: object) =>
  server.db.sqlite.prepare('UPDATE workspaces SET policy = ?').run(JSON.stringify(policy));

describe('a plan without changes', () => {
  it('waits for nothing and stands in no list of what waits', async () => {
    const capsule = server.makeCapsule();
    const run = await plan(capsule.id, noChanges);
    expect(run).toMatchObject({ status: 'succeeded', hasChanges: false });
    expect(run).not.toHaveProperty('awaits');
    expect(listed('apply')).toEqual([]);
    expect(server.rooms.capsules.getCapsule(capsule.id).latestRun).not.toHaveProperty('awaits');
  });

  it('waits for nothing under a policy that demands a second person', async () => {
    setPolicy({ approval: { requireSecondPerson: true } });
    const run = await plan(server.makeCapsule().id, noChanges);
    expect(run.status).toBe('waiting_approval');
    expect(run).not.toHaveProperty('awaits');
    expect(listed('approve')).toEqual([]);
  });

  it('has changes as soon as one Output differs', async () => {
    const run = await plan(server.makeCapsule().id, { ...noChanges, outputs: [{ name: 'url', actions: ['create'] }] });
    expect(run).toMatchObject({ hasChanges: true, awaits: 'apply' });
    expect(listed('apply')).toEqual([run.id]);
  });

  it('waits for an approval when it destroys a Capsule with an empty state', async () => {
    const capsule = server.makeCapsule();
    await play.applied(capsule.id);
    const destroy = server.rooms.deploys.createPlan(capsule.id, { ...play.ask(), type: 'destroy_plan' });
    expect(await play.endPlan(destroy.id, noChanges)).toMatchObject({ hasChanges: true, awaits: 'approve' });
  });
});

describe('a plan that is older than another reviewable one of its Capsule', () => {
  it('names the newer one, waits for nothing, and can be neither approved nor applied', async () => {
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
    expect(() => server.rooms.deploys.apply(older.id, play.ask())).toThrow(refusal('plan_superseded'));
    expect(() => server.rooms.deploys.approve(waiting.id, { actorId: 'second' })).toThrow(refusal('plan_superseded'));
    expect(play.read(newer.id)).not.toHaveProperty('superseded');
  });

  it('waits again when the newer one is discarded', async () => {
    const capsule = server.makeCapsule();
    const older = await plan(capsule.id);
    setPolicy({ approval: { requireSecondPerson: true } });
    const newer = await plan(capsule.id);
    server.rooms.runs.move(newer.id, 'cancel');
    expect(play.read(older.id)).toMatchObject({ awaits: 'apply' });
    expect(listed('apply')).toEqual([older.id]);
  });

  it('fails its apply, not the newer plan, when that was computed before the apply started', async () => {
    const capsule = server.makeCapsule();
    const older = await plan(capsule.id);
    const next = server.rooms.deploys.createPlan(capsule.id, play.ask());
    await server.settle();
    const { run: apply } = server.rooms.deploys.apply(older.id, play.ask());
    const newer = await play.endPlan(next.id);
    await server.settle();
    expect(play.read(apply.id)).toMatchObject({ status: 'failed', errorCode: 'plan_superseded' });
    expect(play.read(newer.id)).toMatchObject({ awaits: 'apply' });
    const { run } = server.rooms.deploys.apply(newer.id, play.ask());
    await server.settle();
    server.runner.end(run.id, applyOutcome(play.jobOf(run.id), true));
    await server.settle();
    expect(play.read(run.id).status).toBe('succeeded');
  });
});
