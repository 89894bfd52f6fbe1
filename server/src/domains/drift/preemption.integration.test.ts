import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { heldClock, tempDirOnDisk } from '../../../test/harness.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';
import { applyOutcome } from '../../../test/scripted-runner.ts';
import { playRuns } from '../../../test/simulated-runs.ts';
import type { Caller } from '../../kernel/http/index.ts';

const day = 24 * 3_600_000;

let clock: ReturnType<typeof heldClock>;
let fixture: ScheduleFixture;
let play: ReturnType<typeof playRuns>;
let capsuleId: string;
let folder: string;
beforeEach(async () => {
  clock = heldClock();
  fixture = await openScheduleFixture(clock);
  play = playRuns(fixture);
  capsuleId = fixture.makeCapsule().id;
  await play.applied(capsuleId);
  folder = tempDirOnDisk();
  domains().driftSchedule.start();
});
afterEach(async () => {
  await domains().driftSchedule.stop();
  await fixture.close();
  fs.rmSync(folder, { recursive: true });
});

const domains = () => fixture.domains;
const historyOf = (runId: string) =>
  domains()
    .activity.list(fixture.workspaceId, {})
    .events.filter(({ targetId }) => targetId === runId)
    .map(({ action, actorId }) => [action, actorId])
    .reverse();
const checks = () => domains().runs.listRuns(fixture.workspaceId, { capsuleId, type: 'drift_check' }).runs;
const guard = () => domains().capsules.getGuarded(capsuleId).installConfigReAdoption.authorityGuard;

/** Lets a scheduled check become due and returns its id. */
async function startCheck(status = 'running'): Promise<string> {
  domains().capsules.change(capsuleId, { driftSchedule: 'daily' }, fixture.owner);
  await fixture.settle();
  clock.advance(day);
  fixture.db.write(() =>
    domains().shared.outbox.push({ workspaceId: fixture.workspaceId, kind: 'runner', recordId: 'local' }),
  );
  await fixture.settle();
  const [check] = checks();
  expect(check).toMatchObject({ status, createdBy: 'system' });
  return check?.id ?? '';
}
/** Ends a Run that was asked to end. */
const endCancelled = async (runId: string) => {
  expect(fixture.runner.startedRuns.get(runId)).toMatchObject({ isCancelled: true });
  fixture.runner.end(runId, { kind: 'failed', errorCode: 'cancelled', phase: 'plan', message: 'It was cancelled.' });
  await fixture.settle();
};

const planConfiguration = () =>
  domains().configurationPlans.plan({
    ...play.createInput(),
    capsuleId,
    key: 'one',
    body: {
      variablePatch: { set: { title: 'two' }, remove: [] },
      providerBindings: [],
      interfaceBlueprints: [],
      expected: { authorityGuard: guard() },
    },
  });
const reAdopt = () =>
  domains().reAdoptions.adopt({
    capsuleId,
    actorId: fixture.owner,
    key: 'one',
    body: {
      baseInstallConfigId: domains().capsules.getRow(capsuleId).installConfigId,
      sourceSnapshotId: domains().capsules.getRow(capsuleId).adoptedSourceRevision?.sourceSnapshotId ?? '',
      reviewedUserVariables: { title: 'two' },
      reason: 'A test.',
      expected: { authorityGuard: guard() },
    },
  });

describe('a running scheduled check', () => {
  it.each([
    ['a plan', () => domains().plans.createPlan(capsuleId, play.createInput())],
    ['a destroy plan', () => domains().plans.planRemoval(capsuleId, play.createInput())],
    ['a requested check', () => domains().plans.createPlan(capsuleId, { ...play.createInput(), type: 'drift_check' })],
    ['a configuration plan', planConfiguration],
    ['a re-adoption', reAdopt],
    ['new writable folders', () => domains().capsules.change(capsuleId, { writablePaths: [folder] }, 'operator')],
    ['the operator who disables the Capsule', () => domains().capsules.setDisabled(capsuleId, true, 'operator')],
  ])('gives way to %s', async (_name, request) => {
    const check = await startCheck();
    request();
    await endCancelled(check);
    expect(play.read(check)).toMatchObject({ status: 'cancelled' });
    expect(historyOf(check)).toEqual([
      ['run.plan_created', undefined],
      ['run.cancelled', undefined],
    ]);
  });

  it('gives way to an apply, and is made up when the apply has ended', async () => {
    const plan = await play.endPlan(domains().plans.createPlan(capsuleId, play.createInput()).id);
    const check = await startCheck();
    const { run } = domains().applies.apply(plan.id, play.createInput());
    await endCancelled(check);
    fixture.runner.end(run.id, applyOutcome(play.specOf(run.id), true));
    await fixture.settle();
    expect(play.read(run.id)).toMatchObject({ status: 'succeeded' });
    expect(checks().map(({ status }) => status)).toEqual(['running', 'cancelled']);
  });

  it('is not made up when a person has cancelled it', async () => {
    const check = await startCheck();
    domains().cancel(check, { principal: { kind: 'operator' }, roles: [] } as unknown as Caller, {});
    const plan = domains().plans.createPlan(capsuleId, play.createInput());
    await endCancelled(check);
    await play.endPlan(plan.id);
    expect(checks().map(({ status }) => status)).toEqual(['cancelled']);
  });
});

it('ends a queued scheduled check at once, with a note, and lets no other Run give way', async () => {
  const running = [fixture.makeCapsule().id, fixture.makeCapsule().id].map(
    (id) => domains().plans.createPlan(id, play.createInput()).id,
  );
  await fixture.settle();
  const check = await startCheck('queued');
  const plan = domains().plans.createPlan(capsuleId, play.createInput());
  expect(play.read(check)).toMatchObject({ status: 'cancelled' });
  const notes = domains().runs.feed.listKind(check, 'diagnostic', { after: 0, limit: 10 });
  expect(notes.map(({ payload }) => payload['code'])).toEqual(['check_preempted']);
  expect(() => domains().plans.planRemoval(capsuleId, play.createInput())).toThrow(
    expect.objectContaining({ details: { reason: 'run_in_progress' } }),
  );
  await play.endPlan(running[0] ?? '');
  expect(play.read(plan.id).status).toBe('running');
  await play.endPlan(plan.id);
  expect(checks().map(({ status }) => status)).toEqual(['running', 'cancelled']);
});
