import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findInstallationId } from '#server/kernel/installation';
import { removeTree } from '#server/kernel/remove-tree';
import { fenceAt, fenceSettings } from '../../../test/fence-fixture.ts';
import { heldClock, tempDir } from '../../../test/harness.ts';
import { type ObjectBucket, startObjectBucket } from '../../../test/object-bucket.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';
import { applyOutcome } from '../../../test/scripted-runner.ts';
import { playRuns } from '../../../test/simulated-runs.ts';

let bucket: ObjectBucket;
let fixture: ScheduleFixture;
let play: ReturnType<typeof playRuns>;
let dir: string;
beforeEach(async () => {
  dir = tempDir();
  bucket = await startObjectBucket();
  const fence = fenceSettings(bucket, dir);
  fixture = await openScheduleFixture(heldClock(), { fence });
  play = playRuns(fixture);
  await fixture.domains.fence.check();
});
afterEach(async () => {
  await fixture.close();
  await bucket.close();
  removeTree(dir);
});

const waitFor = (check: () => void) => vi.waitFor(check, { timeout: 30_000 });
/** A plan that is ready to be applied. */
async function makePlan(): Promise<string> {
  const { id } = fixture.makeCapsule();
  return (await play.endPlan(fixture.domains.plans.createPlan(id, play.createInput()).id)).id;
}
const apply = (planId: string) => fixture.domains.applies.apply(planId, play.createInput()).run.id;
const notes = (runId: string) =>
  fixture.domains.runs.feed
    .listKind(runId, 'diagnostic', { after: 0, limit: 99 })
    .map(({ payload }) => payload['code']);

test('an apply starts once the bucket names this server', async () => {
  const id = apply(await makePlan());
  await waitFor(() => expect(play.isHandedOver(id)).toBe(true));
});

test('an apply ends before its start when another server has the fence, and nothing else starts', async () => {
  const planId = await makePlan();
  const other = fixture.makeCapsule().id;
  const installationId = findInstallationId(fixture.db) ?? '';
  await fenceAt(bucket, 'server-new', { installationId }).take('operator');
  const id = apply(planId);
  await waitFor(() => expect(play.read(id)).toMatchObject({ status: 'failed', errorCode: 'fence_not_held' }));
  expect(play.isHandedOver(id)).toBe(false);
  const waiting = fixture.domains.plans.createPlan(other, play.createInput()).id;
  await fixture.settle();
  expect(play.read(waiting).status).toBe('queued');
  await expect(fixture.domains.fence.take('operator')).rejects.toMatchObject({ code: 'conflict' });
  await fixture.settle();
  expect(play.read(waiting).status).toBe('queued');
});

test('an apply waits for a bucket that does not answer, says so, and can be cancelled', async () => {
  const planId = await makePlan();
  bucket.fail(() => 'cut');
  const id = apply(planId);
  await waitFor(() => expect(notes(id)).toEqual(['fence_not_held']));
  expect(play.read(id).status).toBe('running');
  expect(play.isHandedOver(id)).toBe(false);
  fixture.domains.cancel(id, { principal: { kind: 'operator' } } as never, { interrupt: true });
  await waitFor(() => expect(play.read(id)).toMatchObject({ status: 'failed', errorCode: 'apply_interrupted' }));
  expect(play.isHandedOver(id)).toBe(false);
});

test('plans run while more applies than there are slots wait, and each apply starts when the bucket answers', async () => {
  const planIds = [await makePlan(), await makePlan(), await makePlan()];
  bucket.fail(() => 'cut');
  const ids = planIds.map(apply);
  await waitFor(() => expect(ids.map(notes)).toEqual(ids.map(() => ['fence_not_held'])));
  await makePlan();
  bucket.fail(undefined);
  const started = () => ids.filter((id) => play.isHandedOver(id));
  await waitFor(() => expect(started()).toHaveLength(2));
  for (const id of started()) fixture.runner.end(id, applyOutcome(play.specOf(id), true));
  await waitFor(() => expect(started()).toHaveLength(3));
});

test('a cancel during a check that names this server ends the apply', async () => {
  const planId = await makePlan();
  let answer = () => {};
  const held = new Promise<undefined>((resolve) => {
    answer = () => resolve(undefined);
  });
  const reached = new Promise<void>((resolve) => {
    bucket.fail(() => {
      resolve();
      return held;
    });
  });
  const id = apply(planId);
  await reached;
  fixture.domains.cancel(id, { principal: { kind: 'operator' } } as never, { interrupt: true });
  await waitFor(() => expect(play.read(id)).toMatchObject({ status: 'failed', errorCode: 'apply_interrupted' }));
  answer();
  bucket.fail(undefined);
  expect(await fixture.domains.fence.check()).toBe('held');
  expect(play.isHandedOver(id)).toBe(false);
});

test('an apply that waits is queued again by a restart, and starts when the bucket answers', async () => {
  const planId = await makePlan();
  bucket.fail(() => 'cut');
  const id = apply(planId);
  await waitFor(() => expect(notes(id)).toEqual(['fence_not_held']));
  bucket.fail(undefined);
  await fixture.restart();
  await waitFor(() => expect(play.isHandedOver(id)).toBe(true));
});
