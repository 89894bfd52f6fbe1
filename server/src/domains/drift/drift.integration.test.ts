import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '#server/kernel/ids';
import { digestMember } from '#shared/plans/marks';
import { heldClock } from '../../../test/harness.ts';
import { capsuleRunInput } from '../../../test/run-input.ts';
import { openScheduleFixture, type ScheduleFixture, scheduleTool } from '../../../test/schedule-fixture.ts';
import { applyOutcome, planOutcome } from '../../../test/scripted-runner.ts';
import { createDriftStore } from './store.ts';

const hour = 3_600_000;
const day = 24 * hour;

let clock: ReturnType<typeof heldClock>;
let fixture: ScheduleFixture;
beforeEach(async () => {
  clock = heldClock();
  fixture = await openScheduleFixture(clock);
  domains().driftSchedule.start();
});
afterEach(async () => {
  await domains().driftSchedule.stop();
  await fixture.close();
});

const domains = () => fixture.domains;
const input = () => ({ actorId: fixture.owner, tool: scheduleTool });
const specOf = (runId: string) => fixture.runner.startedRuns.get(runId)?.spec as never;
const driftOf = (capsuleId: string) => domains().capsules.getCapsule(capsuleId).drift;
const checksOf = (capsuleId: string) =>
  domains().runs.listRuns(fixture.workspaceId, { capsuleId, type: 'drift_check' }).runs;
const historyOf = (capsuleId: string) =>
  domains()
    .activity.list(fixture.workspaceId, {})
    .events.filter(({ targetId, action }) => targetId === capsuleId && action.startsWith('capsule.drift'))
    .map(({ action, actorId, metadata }) => [action, actorId ?? 'system', metadata]);

const outside = (note: string, more: object = {}) => ({
  address: 'test_thing.a',
  actions: ['update'],
  before: { id: 'a', note: 'mine' },
  after: { id: 'a', note },
  ...more,
});
const gone = { address: 'test_thing.b', actions: ['delete'], before: { id: 'b' }, after: null };

async function endPlan(runId: string, drift: object[] = []): Promise<void> {
  await fixture.settle();
  fixture.runner.end(runId, planOutcome(specOf(runId), { drift }));
  await fixture.settle();
}
async function apply(capsuleId: string, planId = domains().plans.createPlan(capsuleId, input()).id): Promise<void> {
  if (domains().runs.getRun(planId).status !== 'succeeded') await endPlan(planId);
  const { id } = domains().applies.apply(planId, input()).run;
  await fixture.settle();
  fixture.runner.end(id, applyOutcome(specOf(id), true));
  await fixture.settle();
}
async function createApplied(): Promise<string> {
  const { id } = fixture.makeCapsule();
  await apply(id);
  return id;
}
async function check(capsuleId: string, drift: object[] = []): Promise<string> {
  const { id } = domains().plans.createPlan(capsuleId, { ...input(), type: 'drift_check' });
  await endPlan(id, drift);
  return id;
}
const schedule = (driftSchedule: string) =>
  domains().workspaces.updateWorkspace(fixture.workspaceId, { driftSchedule }, fixture.owner);
/** Lets time pass. An event of the runner stands for the timer, which runs on the clock of the machine. */
async function pass(ms: number): Promise<void> {
  await fixture.settle();
  clock.advance(ms);
  fixture.db.write(() =>
    domains().shared.outbox.push({ workspaceId: fixture.workspaceId, kind: 'runner', recordId: 'local' }),
  );
  await fixture.settle();
}

describe('the mark of a Capsule', () => {
  test('shows the newest check, goes with a check without differences, and says when a check failed', async () => {
    const id = await createApplied();
    expect(driftOf(id)).toBeNull();
    const runId = await check(id, [outside('theirs'), gone]);
    expect(driftOf(id)).toMatchObject({ status: 'drifted', runId, resources: { changed: 1, deleted: 1 } });
    const failing = domains().plans.createPlan(id, { ...input(), type: 'drift_check' });
    await fixture.settle();
    fixture.runner.end(failing.id, { kind: 'failed', errorCode: 'plan_failed', phase: 'plan', message: 'no' });
    await fixture.settle();
    expect(driftOf(id)).toEqual({ status: 'failed', runId: failing.id, checkedAt: expect.any(String) });
    await check(id);
    expect(driftOf(id)).toMatchObject({ status: 'none', resources: { changed: 0, deleted: 0 } });
  });

  test('goes with the next apply', async () => {
    const id = await createApplied();
    await check(id, [outside('theirs')]);
    await apply(id);
    expect(driftOf(id)).toMatchObject({ status: 'none' });
    await pass(0);
    expect(checksOf(id)).toHaveLength(1);
  });

  test('goes with the apply of an older plan, and a schedule checks at once whether the drift is still there', async () => {
    const id = await createApplied();
    schedule('weekly');
    const plan = domains().plans.createPlan(id, input());
    await endPlan(plan.id);
    clock.advance(hour);
    await check(id, [outside('theirs')]);
    const { digest = '' } = driftOf(id) ?? {};
    domains().drift.acknowledge(id, { digest, reason: 'A hotfix.' }, fixture.owner);
    await apply(id, plan.id);
    expect(driftOf(id)).toMatchObject({ status: 'none' });
    const [again] = checksOf(id);
    expect(again).toMatchObject({ createdBy: 'system', status: 'running' });
    await endPlan(again?.id ?? '', [outside('theirs')]);
    expect(driftOf(id)).toMatchObject({ status: 'acknowledged', runId: again?.id });
  });

  test('stays acknowledged until the drift differs, also in a sensitive value', async () => {
    const id = await createApplied();
    const secret = (digest: string) => outside('x', { after: { note: { $svc: 'sensitive', [digestMember]: digest } } });
    await check(id, [secret('one')]);
    const { digest = '' } = driftOf(id) ?? {};
    expect(digest).toMatch(/^sha256:/);
    const acknowledgement = { digest, reason: 'A hotfix.' };
    domains().drift.acknowledge(id, acknowledgement, fixture.owner);
    domains().drift.acknowledge(id, acknowledgement, fixture.owner);
    const acknowledged = { by: fixture.owner, reason: 'A hotfix.' };
    expect(driftOf(id)).toMatchObject({ status: 'acknowledged', acknowledged });
    await check(id, [secret('one')]);
    expect(driftOf(id)).toMatchObject({ status: 'acknowledged', acknowledged });
    await check(id, [secret('two')]);
    expect(driftOf(id)).toMatchObject({ status: 'drifted' });
    expect(driftOf(id)).not.toHaveProperty('acknowledged');
    expect(() => domains().drift.acknowledge(id, acknowledgement, fixture.owner)).toThrow(
      expect.objectContaining({ details: { reason: 'drift_changed' } }),
    );
    await check(id);
    expect(() => domains().drift.acknowledge(id, acknowledgement, fixture.owner)).toThrow(
      expect.objectContaining({ details: { reason: 'no_drift' } }),
    );
    const found = ['capsule.drift_detected', 'system', { count: 1 }];
    expect(historyOf(id)).toEqual([found, ['capsule.drift_acknowledged', fixture.owner, { count: 1 }], found]);
  });
});

test('the event of a drift names the resources that drifted, not those that a plan would change', async () => {
  const id = await createApplied();
  const planned = { address: 'test_thing.planned', actions: ['create'] };
  const { id: runId } = domains().plans.createPlan(id, { ...input(), type: 'drift_check' });
  await fixture.settle();
  fixture.runner.end(runId, planOutcome(specOf(runId), { drift: [outside('theirs'), gone], resources: [planned] }));
  await fixture.settle();
  const run = domains().runs.getRecord(runId);
  const subject = { at: clock.now(), workspaceId: fixture.workspaceId, run, capsuleId: id };
  expect(domains().messageOf({ event: 'capsule.drift_detected', ...subject })).toMatchObject({
    driftCount: 2,
    resources: {
      total: 2,
      items: [
        { address: 'test_thing.a', actions: ['update'] },
        { address: 'test_thing.b', actions: ['delete'] },
      ],
    },
  });
});

test('a reason that looks like a credential acknowledges nothing', async () => {
  const id = await createApplied();
  await check(id, [outside('theirs')]);
  const acknowledgement = { digest: driftOf(id)?.digest ?? '', reason: `token ghp_${'a1B2'.repeat(9)}` };
  expect(() => domains().drift.acknowledge(id, acknowledgement, fixture.owner)).toThrow(
    expect.objectContaining({ details: { reason: 'secret_like_value', field: '/reason' } }),
  );
  expect(driftOf(id)).toMatchObject({ status: 'drifted' });
});

describe('a schedule', () => {
  test('is not held up by a check that waits for a machine of a pool', () => {
    const scope = { workspaceId: fixture.workspaceId, createdBy: 'system', capsuleId: newId('capsule') };
    const check = { ...scope, id: newId('plan'), type: 'drift_check' as const, input: capsuleRunInput() };
    const { id } = domains().runs.create({ ...check, runnerPool: newId('runnerPool') }, []);
    expect(domains().runs.getRecord(id).status).toBe('queued');
    expect(createDriftStore(fixture.db).countChecks()).toBe(0);
  });

  test('queues one check in the name of the system, and marks the Capsule', async () => {
    const id = await createApplied();
    schedule('daily');
    await pass(day);
    const [run] = checksOf(id);
    expect(run).toMatchObject({ createdBy: 'system', type: 'drift_check' });
    await endPlan(run?.id ?? '', [outside('theirs')]);
    expect(driftOf(id)).toMatchObject({ status: 'drifted', runId: run?.id });
    expect(domains().capsules.getCapsule(id).latestRun).toMatchObject({ type: 'apply' });
    await pass(hour);
    expect(checksOf(id)).toHaveLength(1);
    expect(
      domains()
        .drift.listDrift(fixture.workspaceId, {})
        .capsules.map((one) => one.id),
    ).toEqual([id]);
  });

  test('checks one Capsule at a time, none with a Run, and made up once after a long stop', async () => {
    const [one, other] = [await createApplied(), await createApplied()];
    schedule('6h');
    const plan = domains().plans.createPlan(one, input());
    await pass(40 * day);
    expect([checksOf(one).length, checksOf(other).length]).toEqual([0, 1]);
    await endPlan(plan.id);
    expect(checksOf(one)).toHaveLength(0);
    await endPlan(checksOf(other)[0]?.id ?? '');
    expect(checksOf(one)).toHaveLength(1);
    await endPlan(checksOf(one)[0]?.id ?? '');
    expect([checksOf(one).length, checksOf(other).length]).toEqual([1, 1]);
  });

  test('of a Capsule overrides that of its Workspace', async () => {
    const [off, weekly] = [await createApplied(), await createApplied()];
    schedule('1h');
    domains().capsules.change(off, { driftSchedule: 'off' }, fixture.owner);
    domains().capsules.change(weekly, { driftSchedule: 'weekly' }, fixture.owner);
    await pass(8 * day);
    expect([checksOf(off).length, checksOf(weekly).length]).toEqual([0, 1]);
  });

  test('skips disabled, pending and archived, and records a check that cannot start once', async () => {
    const id = await createApplied();
    const pending = fixture.makeCapsule().id;
    schedule('1h');
    domains().capsules.setDisabled(id, true, 'operator');
    await pass(day);
    expect([checksOf(id), checksOf(pending)]).toEqual([[], []]);
    domains().capsules.setDisabled(id, false, 'operator');
    fixture.db.sqlite.prepare("UPDATE state_versions SET tool_name = 'terraform'").run();
    await pass(0);
    expect(checksOf(id)).toMatchObject([{ status: 'failed', errorCode: 'tool_version_changed' }]);
    expect(driftOf(id)).toMatchObject({ status: 'failed' });
    for (let hours = 0; hours < 5; hours += 1) await pass(hour);
    expect(checksOf(id)).toHaveLength(1);
    fixture.db.sqlite.prepare("UPDATE state_versions SET tool_name = 'tofu'").run();
    await pass(hour);
    expect(checksOf(id)).toHaveLength(2);
  });

  test('records a refusal again after an apply', async () => {
    const id = await createApplied();
    schedule('1h');
    const writtenBy = (tool: string) => fixture.db.sqlite.prepare('UPDATE state_versions SET tool_name = ?').run(tool);
    writtenBy('terraform');
    await pass(2 * hour);
    expect(driftOf(id)).toMatchObject({ status: 'failed' });
    writtenBy('tofu');
    await apply(id);
    expect(driftOf(id)).toMatchObject({ status: 'none' });
    writtenBy('terraform');
    await pass(2 * hour);
    expect(driftOf(id)).toMatchObject({ status: 'failed' });
    expect(checksOf(id)).toHaveLength(2);
  });
});
