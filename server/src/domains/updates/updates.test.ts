import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleGround, type ScheduleGround, scheduleTool } from '../../../test/schedule-ground.ts';
import { applyOutcome, planOutcome } from '../../../test/scripted-runner.ts';

let ground: ScheduleGround;
beforeEach(async () => {
  ground = await openScheduleGround(heldClock());
});
afterEach(async () => {
  await ground.rooms.updates.stop();
  await ground.close();
});

const rooms = () => ground.rooms;
const jobOf = (runId: string) => ground.runner.given.get(runId)?.job as never;
const runsOf = (capsuleId: string) =>
  rooms()
    .runs.listRuns(ground.workspaceId, { capsuleId })
    .runs.filter(({ id }) => id !== first);
let first: string;

/** A Capsule that is applied and wants to follow its lane. */
async function following(): Promise<{ id: string; sourceId: string }> {
  const capsule = ground.makeCapsule();
  const ask = { actorId: ground.owner, tool: scheduleTool };
  const plan = rooms().deploys.createPlan(capsule.id, ask);
  first = plan.id;
  await endPlan(plan.id);
  await endApply(rooms().deploys.apply(plan.id, ask).run.id);
  rooms().capsules.change(capsule.id, { autoUpdate: true }, ground.owner);
  return capsule;
}
async function endPlan(runId: string, more: object = {}): Promise<void> {
  await ground.settle();
  ground.runner.end(runId, { ...planOutcome(jobOf(runId)), ...more });
  await ground.settle();
}
async function endApply(runId: string, succeeded = true): Promise<void> {
  await ground.settle();
  ground.runner.end(runId, applyOutcome(jobOf(runId), succeeded));
  await ground.settle();
}
/** What a sync does at its end, with the intent `observe`. */
async function observe(capsule: { id: string; sourceId: string }, found?: Parameters<ScheduleGround['sync']>[1]) {
  const snapshotId = ground.sync(capsule.sourceId, found);
  told(capsule, snapshotId);
  await ground.settle();
  return snapshotId;
}
function told({ id, sourceId }: { id: string; sourceId: string }, snapshotId: string): void {
  ground.db.write(() => {
    rooms().updates.want([rooms().capsules.getRow(id)], snapshotId);
    rooms().shared.outbox.push({ workspaceId: ground.workspaceId, kind: 'source', recordId: sourceId });
  });
}
const deedsOf = (capsuleId: string) =>
  rooms()
    .activity.list(ground.workspaceId, {})
    .events.filter(({ targetId }) => targetId === capsuleId)
    .map(({ action, actorId, metadata }) => [action, actorId ?? 'system', metadata['reason']]);
const newestPlan = (capsuleId: string) => runsOf(capsuleId).find(({ type }) => type === 'plan');

describe('a Capsule that is to be updated by itself', () => {
  test('is planned from the new snapshot and applied, in the name of the system', async () => {
    const capsule = await following();
    const snapshotId = await observe(capsule);
    const plan = newestPlan(capsule.id);
    expect(plan).toMatchObject({ createdBy: 'system', sourceSnapshotId: snapshotId });
    await endPlan(plan?.id ?? '');
    const apply = runsOf(capsule.id).find(({ type, planRunId }) => type === 'apply' && planRunId === plan?.id);
    expect(apply).toMatchObject({ createdBy: 'system' });
    await endApply(apply?.id ?? '');
    expect(rooms().capsules.getRow(capsule.id)).toMatchObject({
      status: 'active',
      adoptedSourceRevision: { sourceSnapshotId: snapshotId },
    });
    told(capsule, snapshotId);
    await ground.settle();
    expect(runsOf(capsule.id).filter(({ type }) => type === 'plan')).toHaveLength(1);
  });

  test.each([
    ['asks for a person', {}, { destructive: true }, 'waiting_approval', undefined],
    ['locks other providers', {}, { lockDigest: `sha256:${'1'.repeat(64)}` }, 'succeeded', 'lock_changed'],
    [
      'has a provisioner more',
      { provisioners: [{ type: 'local-exec', allowed: true }] },
      {},
      'succeeded',
      'provisioner',
    ],
    [
      'has an external program more',
      { dataSources: [{ type: 'external', allowed: true }] },
      {},
      'succeeded',
      'external_data',
    ],
    [
      'needs a provider more',
      { providerPackages: [{ source: 'registry.opentofu.org/a/b' }] },
      {},
      'succeeded',
      'new_provider',
    ],
  ])('waits for a person when the plan %s', async (_, found, outcome, status, reason) => {
    const capsule = await following();
    await observe(capsule, found);
    const { id = '' } = newestPlan(capsule.id) ?? {};
    await endPlan(id, outcome);
    expect(rooms().runs.getRecord(id)).toMatchObject({ status, applyRunId: null });
    const left = rooms()
      .runs.feed.listAfter(id, 0, 5_000)
      .map(({ payload }) => payload);
    expect(left.find(({ type }) => type === 'auto_update.left_to_person')).toEqual(
      reason === undefined ? undefined : expect.objectContaining({ data: { reason } }),
    );
    expect(deedsOf(capsule.id)).not.toContainEqual([expect.stringContaining('failed'), 'system', expect.anything()]);
  });

  test('is told of in the history when its module cannot be used, its plan fails or its apply fails', async () => {
    const unusable = await following();
    await observe(unusable, { level: 'unsupported' });
    expect(deedsOf(unusable.id)).toContainEqual(['capsule.auto_update_failed', 'system', 'compatibility_not_runnable']);

    const planned = await following();
    await observe(planned);
    ground.runner.end(newestPlan(planned.id)?.id ?? '', {
      kind: 'failed',
      errorCode: 'plan_failed',
      message: 'No.',
    } as never);
    await ground.settle();
    expect(deedsOf(planned.id)).toContainEqual(['capsule.auto_update_failed', 'system', 'plan_failed']);

    const applied = await following();
    await observe(applied);
    await endPlan(newestPlan(applied.id)?.id ?? '');
    await endApply(
      runsOf(applied.id).find(({ createdBy, type }) => createdBy === 'system' && type === 'apply')?.id ?? '',
      false,
    );
    expect(deedsOf(applied.id)).toContainEqual(['capsule.auto_update_apply_failed', 'system', 'apply_failed']);
    expect(rooms().capsules.getRow(applied.id).status).toBe('error');
    // A Capsule in error waits for a person, whatever comes.
    const before = runsOf(applied.id).length;
    await observe(applied);
    expect(runsOf(applied.id)).toHaveLength(before);
  });

  test('is left alone when nobody wants it any more, also between plan and apply', async () => {
    const capsule = await following();
    await observe(capsule);
    const { id = '' } = newestPlan(capsule.id) ?? {};
    rooms().capsules.change(capsule.id, { autoUpdate: false }, ground.owner);
    await endPlan(id);
    expect(rooms().runs.getRecord(id).applyRunId).toBeNull();
    await observe(capsule);
    expect(runsOf(capsule.id).filter(({ type }) => type === 'plan')).toHaveLength(1);
  });

  test('takes the newest of two commits that came while another Run went on', async () => {
    const capsule = await following();
    const manual = rooms().deploys.createPlan(capsule.id, { actorId: ground.owner, tool: scheduleTool });
    await observe(capsule);
    const newest = await observe(capsule);
    expect(runsOf(capsule.id).filter(({ createdBy }) => createdBy === 'system')).toEqual([]);
    await endPlan(manual.id);
    const own = runsOf(capsule.id).filter(({ createdBy }) => createdBy === 'system');
    expect(own).toEqual([expect.objectContaining({ type: 'plan', sourceSnapshotId: newest })]);
  });

  test('goes on with the next news after a time in which the ledger could not be read', async () => {
    const capsule = await following();
    const rename = (from: string, to: string) => ground.db.orm.run(sql.raw(`ALTER TABLE ${from} RENAME TO ${to}`));
    rename('auto_updates', 'out_of_reach');
    ground.db.write(() =>
      rooms().shared.outbox.push({ workspaceId: ground.workspaceId, kind: 'source', recordId: capsule.sourceId }),
    );
    await ground.settle();
    rename('out_of_reach', 'auto_updates');
    const snapshotId = await observe(capsule);
    expect(newestPlan(capsule.id)).toMatchObject({ sourceSnapshotId: snapshotId });
  });

  test('goes on over a restart, at every step', async () => {
    const capsule = await following();
    const restart = async () => {
      await rooms().updates.stop();
      await ground.restart();
      rooms().updates.start();
      await ground.settle();
    };
    await rooms().updates.stop();
    const snapshotId = await observe(capsule);
    expect(newestPlan(capsule.id)).toBeUndefined();
    await restart();
    const { id = '' } = newestPlan(capsule.id) ?? {};
    await ground.settle();
    await rooms().updates.stop();
    await endPlan(id);
    await restart();
    const apply = runsOf(capsule.id).find(({ planRunId }) => planRunId === id);
    await endApply(apply?.id ?? '');
    await restart();
    expect(rooms().capsules.getRow(capsule.id).adoptedSourceRevision?.sourceSnapshotId).toBe(snapshotId);
    expect(runsOf(capsule.id).filter(({ createdBy }) => createdBy === 'system')).toHaveLength(2);
  });
});
