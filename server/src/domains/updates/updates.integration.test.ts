import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleFixture, type ScheduleFixture, scheduleTool } from '../../../test/schedule-fixture.ts';
import { applyOutcome, planOutcome } from '../../../test/scripted-runner.ts';
import { newId } from '../../kernel/ids.ts';
import { copies, copyRevisions } from '../copies/schema.ts';
import { sourceSnapshots } from '../sources/schema.ts';

let fixture: ScheduleFixture;
beforeEach(async () => {
  fixture = await openScheduleFixture(heldClock());
});
afterEach(async () => {
  await fixture.domains.updates.stop();
  await fixture.close();
});

const domains = () => fixture.domains;
const specOf = (runId: string) => fixture.runner.startedRuns.get(runId)?.spec as never;
const runsOf = (capsuleId: string) =>
  domains()
    .runs.listRuns(fixture.workspaceId, { capsuleId })
    .runs.filter(({ id }) => id !== first);
let first: string;

/** Creates an applied Capsule with automatic updates. */
async function createFollowingCapsule(): Promise<{ id: string; sourceId: string }> {
  const capsule = fixture.makeCapsule();
  const input = { actorId: fixture.owner, tool: scheduleTool };
  const plan = domains().plans.createPlan(capsule.id, input);
  first = plan.id;
  await endPlan(plan.id);
  await endApply(domains().applies.apply(plan.id, input).run.id);
  domains().capsules.change(capsule.id, { autoUpdate: true }, fixture.owner);
  return capsule;
}
async function endPlan(runId: string, more: object = {}): Promise<void> {
  await fixture.settle();
  fixture.runner.end(runId, { ...planOutcome(specOf(runId)), ...more });
  await fixture.settle();
}
async function endApply(runId: string, succeeded = true): Promise<void> {
  await fixture.settle();
  fixture.runner.end(runId, applyOutcome(specOf(runId), succeeded));
  await fixture.settle();
}
/** Simulates the end of a sync with the intent `observe`. */
async function observe(capsule: { id: string; sourceId: string }, evidence?: Parameters<ScheduleFixture['sync']>[1]) {
  const snapshotId = fixture.sync(capsule.sourceId, evidence);
  notifySnapshot(capsule, snapshotId);
  await fixture.settle();
  return snapshotId;
}
function notifySnapshot({ id, sourceId }: { id: string; sourceId: string }, snapshotId: string): void {
  fixture.db.write(() => {
    domains().updates.want([domains().capsules.getRow(id)], snapshotId);
    domains().shared.outbox.push({ workspaceId: fixture.workspaceId, kind: 'source', recordId: sourceId });
  });
}
const activityOf = (capsuleId: string) =>
  domains()
    .activity.list(fixture.workspaceId, {})
    .events.filter(({ targetId }) => targetId === capsuleId)
    .map(({ action, actorId, metadata }) => [action, actorId ?? 'system', metadata['reason']]);
/** Makes snapshots those of an installable copy with one package, which has this digest in each. */
function makeCopy(digests: { [snapshotId: string]: string }): void {
  const { db, workspaceId, owner: createdBy } = fixture;
  const copyId = newId('copy');
  const made = { workspaceId, createdBy, createdAt: 1, updatedAt: 1 };
  const upstream = { upstreamUrl: 'https://example.com/a', upstreamRef: 'main', upstreamPath: '.' };
  db.write(() => {
    db.orm
      .insert(copies)
      .values({ id: copyId, name: 'a', ...upstream, ...made })
      .run();
    for (const [commit, digest] of Object.entries(digests)) {
      const review = { packages: [{ path: 'external-modules/net', digest }] } as never;
      db.orm
        .insert(copyRevisions)
        .values({ id: newId('copyRevision'), copyId, status: 'succeeded', commit, review, ...made })
        .run();
      db.orm
        .update(sourceSnapshots)
        .set({ url: `svc-copy:${copyId}` })
        .where(eq(sourceSnapshots.id, commit))
        .run();
    }
  });
}
const newestPlan = (capsuleId: string) => runsOf(capsuleId).find(({ type }) => type === 'plan');

describe('a Capsule with automatic updates', () => {
  test('is planned from the new snapshot and applied, in the name of the system', async () => {
    const capsule = await createFollowingCapsule();
    const snapshotId = await observe(capsule);
    const plan = newestPlan(capsule.id);
    expect(plan).toMatchObject({ createdBy: 'system', sourceSnapshotId: snapshotId });
    await endPlan(plan?.id ?? '');
    const apply = runsOf(capsule.id).find(({ type, planRunId }) => type === 'apply' && planRunId === plan?.id);
    expect(apply).toMatchObject({ createdBy: 'system' });
    await endApply(apply?.id ?? '');
    expect(domains().capsules.getRow(capsule.id)).toMatchObject({
      status: 'active',
      adoptedSourceRevision: { sourceSnapshotId: snapshotId },
    });
    notifySnapshot(capsule, snapshotId);
    await fixture.settle();
    expect(runsOf(capsule.id).filter(({ type }) => type === 'plan')).toHaveLength(1);
  });

  test.each([
    ['needs an approval', {}, { destructive: true }, 'waiting_approval', undefined],
    ['locks other providers', {}, { lockDigest: `sha256:${'1'.repeat(64)}` }, 'succeeded', 'lock_changed'],
    ['adds a provisioner', { provisioners: [{ type: 'local-exec', allowed: true }] }, {}, 'succeeded', 'provisioner'],
    [
      'adds an external program',
      { dataSources: [{ type: 'external', allowed: true }] },
      {},
      'succeeded',
      'external_data',
    ],
    [
      'adds a provider',
      { providerPackages: [{ source: 'registry.opentofu.org/a/b' }] },
      {},
      'succeeded',
      'new_provider',
    ],
  ])('waits for a person when the plan %s', async (_, evidence, outcome, status, reason) => {
    const capsule = await createFollowingCapsule();
    await observe(capsule, evidence);
    const { id = '' } = newestPlan(capsule.id) ?? {};
    await endPlan(id, outcome);
    expect(domains().runs.getRecord(id)).toMatchObject({ status, applyRunId: null });
    const left = domains()
      .runs.feed.listAfter(id, 0, 5_000)
      .map(({ payload }) => payload);
    expect(left.find(({ type }) => type === 'auto_update.left_to_person')).toEqual(
      reason === undefined ? undefined : expect.objectContaining({ data: { reason } }),
    );
    expect(activityOf(capsule.id)).not.toContainEqual([expect.stringContaining('failed'), 'system', expect.anything()]);
  });

  test.each([
    ['waits for a person when a package of its copy changes', 'sha256:2', 'package_changed'],
    ['is applied when the packages of its copy are the same', 'sha256:1', undefined],
  ])('%s', async (_, digest, reason) => {
    const capsule = await createFollowingCapsule();
    const before = domains().capsules.getRow(capsule.id).adoptedSourceRevision?.sourceSnapshotId ?? '';
    makeCopy({ [before]: 'sha256:1', [await observe(capsule)]: digest });
    const { id = '' } = newestPlan(capsule.id) ?? {};
    await endPlan(id);
    expect(domains().runs.getRecord(id).applyRunId === null).toBe(reason !== undefined);
    const left = domains()
      .runs.feed.listAfter(id, 0, 5_000)
      .map(({ payload }) => payload)
      .find(({ type }) => type === 'auto_update.left_to_person');
    expect(left).toEqual(reason === undefined ? undefined : expect.objectContaining({ data: { reason } }));
  });

  test('waits for a person when a provisioned resource may be beyond the changes that its Run lists', async () => {
    const programs = { provisioned: ['a.run'], blocksDigest: 'sha256:b', filesDigest: 'sha256:f' };
    const evidence = { provisioners: [{ type: 'local-exec', allowed: true }], programs };
    const capsule = await createFollowingCapsule();
    await observe(capsule, evidence);
    const { id: reviewedId = '' } = newestPlan(capsule.id) ?? {};
    await endPlan(reviewedId);
    const input = { actorId: fixture.owner, tool: scheduleTool };
    await endApply(domains().applies.apply(reviewedId, input).run.id);
    await observe(capsule, evidence);
    const { id = '' } = newestPlan(capsule.id) ?? {};
    const reads = Array.from({ length: 500 }, (_, at) => ({
      address: `data.a.b[${at}]`,
      mode: 'data',
      actions: ['read'],
    }));
    const resources = [...reads, { address: 'a.run', actions: ['create'] }];
    fixture.runner.end(id, planOutcome(specOf(id), { resources }));
    await fixture.settle();
    expect([id === reviewedId, domains().runs.getRecord(id).applyRunId]).toEqual([false, null]);
    expect(domains().runs.feed.listAfter(id, 0, 5_000)).toContainEqual(
      expect.objectContaining({ payload: expect.objectContaining({ data: { reason: 'provisioner' } }) }),
    );
  });

  test('records in the history when its module is unusable, its plan fails or its apply fails', async () => {
    const unusable = await createFollowingCapsule();
    await observe(unusable, { level: 'unsupported' });
    expect(activityOf(unusable.id)).toContainEqual([
      'capsule.auto_update_failed',
      'system',
      'compatibility_not_runnable',
    ]);

    const planned = await createFollowingCapsule();
    await observe(planned);
    fixture.runner.end(newestPlan(planned.id)?.id ?? '', {
      kind: 'failed',
      errorCode: 'plan_failed',
      message: 'No.',
    } as never);
    await fixture.settle();
    expect(activityOf(planned.id)).toContainEqual(['capsule.auto_update_failed', 'system', 'plan_failed']);

    const applied = await createFollowingCapsule();
    await observe(applied);
    await endPlan(newestPlan(applied.id)?.id ?? '');
    await endApply(
      runsOf(applied.id).find(({ createdBy, type }) => createdBy === 'system' && type === 'apply')?.id ?? '',
      false,
    );
    expect(activityOf(applied.id)).toContainEqual(['capsule.auto_update_apply_failed', 'system', 'apply_failed']);
    expect(domains().capsules.getRow(applied.id).status).toBe('error');
    // A Capsule in error waits for a person, regardless of new commits.
    const before = runsOf(applied.id).length;
    await observe(applied);
    expect(runsOf(applied.id)).toHaveLength(before);
  });

  test('is not updated after automatic updates are disabled, even between plan and apply', async () => {
    const capsule = await createFollowingCapsule();
    await observe(capsule);
    const { id = '' } = newestPlan(capsule.id) ?? {};
    domains().capsules.change(capsule.id, { autoUpdate: false }, fixture.owner);
    await endPlan(id);
    expect(domains().runs.getRecord(id).applyRunId).toBeNull();
    await observe(capsule);
    expect(runsOf(capsule.id).filter(({ type }) => type === 'plan')).toHaveLength(1);
  });

  test('uses the newest of two commits that arrived during another Run', async () => {
    const capsule = await createFollowingCapsule();
    const manual = domains().plans.createPlan(capsule.id, { actorId: fixture.owner, tool: scheduleTool });
    await observe(capsule);
    const newest = await observe(capsule);
    expect(runsOf(capsule.id).filter(({ createdBy }) => createdBy === 'system')).toEqual([]);
    await endPlan(manual.id);
    const own = runsOf(capsule.id).filter(({ createdBy }) => createdBy === 'system');
    expect(own).toEqual([expect.objectContaining({ type: 'plan', sourceSnapshotId: newest })]);
  });

  test('continues with the next event after the ledger could not be read', async () => {
    const capsule = await createFollowingCapsule();
    const rename = (from: string, to: string) => fixture.db.orm.run(sql.raw(`ALTER TABLE ${from} RENAME TO ${to}`));
    rename('auto_updates', 'out_of_reach');
    fixture.db.write(() =>
      domains().shared.outbox.push({ workspaceId: fixture.workspaceId, kind: 'source', recordId: capsule.sourceId }),
    );
    await fixture.settle();
    rename('out_of_reach', 'auto_updates');
    const snapshotId = await observe(capsule);
    expect(newestPlan(capsule.id)).toMatchObject({ sourceSnapshotId: snapshotId });
  });

  test('resumes after a restart at every step', async () => {
    const capsule = await createFollowingCapsule();
    const restart = async () => {
      await fixture.restart();
      await fixture.settle();
    };
    await domains().updates.stop();
    const snapshotId = await observe(capsule);
    expect(newestPlan(capsule.id)).toBeUndefined();
    await restart();
    const { id = '' } = newestPlan(capsule.id) ?? {};
    await fixture.settle();
    await domains().updates.stop();
    await endPlan(id);
    await restart();
    const apply = runsOf(capsule.id).find(({ planRunId }) => planRunId === id);
    await endApply(apply?.id ?? '');
    await restart();
    expect(domains().capsules.getRow(capsule.id).adoptedSourceRevision?.sourceSnapshotId).toBe(snapshotId);
    expect(runsOf(capsule.id).filter(({ createdBy }) => createdBy === 'system')).toHaveLength(2);
  });
});
