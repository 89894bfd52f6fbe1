import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findInstallationId } from '#server/kernel/installation';
import { removeTree } from '#server/kernel/remove-tree';
import { RunnerError } from '#server/runner/index';
import { actionOf, playActions } from '../../../test/action-player.ts';
import { fenceAt, fenceSettings } from '../../../test/fence-fixture.ts';
import { heldClock, tempDir } from '../../../test/harness.ts';
import { type ObjectBucket, startObjectBucket } from '../../../test/object-bucket.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';

let bucket: ObjectBucket;
let fixture: ScheduleFixture;
let on: ReturnType<typeof playActions>;
let dir: string;
let capsuleId: string;
beforeEach(async () => {
  dir = tempDir();
  bucket = await startObjectBucket();
  const lifecycleActions = [actionOf('drain', { phase: 'pre_destroy' })];
  const fence = fenceSettings(bucket, dir);
  fixture = await openScheduleFixture(heldClock(), { fence, lifecycleActions });
  on = playActions(fixture);
  capsuleId = fixture.makeCapsule().id;
  await fixture.domains.fence.check();
});
afterEach(async () => {
  await fixture.close();
  await bucket.close();
  removeTree(dir);
});

const waitFor = (check: () => void) => vi.waitFor(check, { timeout: 30_000 });
const takeElsewhere = () =>
  fenceAt(bucket, 'server-new', { installationId: findInstallationId(fixture.db) ?? '' }).take('operator');
const isHandedOver = (id: string) => fixture.runner.startedRuns.has(id);
const refused = (id: string) => ({ id, status: 'failed', errorCode: 'fence_not_held' });
/** An applied Capsule whose destroy runs its action before the tool. */
async function drain(): Promise<string> {
  const applied = await on.apply((await on.planned(capsuleId)).id);
  await waitFor(() => expect(isHandedOver(applied)).toBe(true));
  await on.endTool(applied);
  const id = await on.destroying(capsuleId);
  await waitFor(() => expect(on.isStarted(id, 0)).toBe(true));
  return id;
}

describe('a destroy whose fence another server takes', () => {
  it('during its action does not start its tool', async () => {
    const id = await drain();
    await takeElsewhere();
    await on.end(id, 0);
    await waitFor(() => expect(on.read(id)).toMatchObject(refused(id)));
    expect(isHandedOver(id)).toBe(false);
    expect(on.capsule(capsuleId)).toMatchObject({ status: 'active', runtimeSafety: 'unknown' });
  });

  it('during its action does not go on after a restart', async () => {
    const id = await drain();
    await takeElsewhere();
    await fixture.restart();
    await waitFor(() => expect(on.read(id)).toMatchObject(refused(id)));
    expect(on.rowsOf(id)).toEqual([expect.objectContaining({ result: 'failed' })]);
    await on.end(id, 0);
    expect(isHandedOver(id)).toBe(false);
  });
});

it('an apply checks the fence again after it has waited for another supervisor', async () => {
  const planId = (await on.planned(capsuleId)).id;
  const start = vi.spyOn(fixture.runner, 'start').mockImplementationOnce(async () => {
    await takeElsewhere();
    throw new RunnerError('busy', 'another supervisor works there');
  });
  const id = await on.apply(planId);
  await waitFor(() => expect(on.read(id)).toMatchObject(refused(id)));
  expect(start).toHaveBeenCalledTimes(1);
});
