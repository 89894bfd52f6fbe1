import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunGroupGraph } from '#shared/run-groups/contract';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';
import { applyOutcome, planOutcome } from '../../../test/scripted-runner.ts';
import { playRuns } from '../../../test/simulated-runs.ts';
import { aggregateStatus } from '../runs/aggregate-status.ts';
import { layersOf, withConsumers } from './layers.ts';

let fixture: ScheduleFixture;
let play: ReturnType<typeof playRuns>;
let clock: ReturnType<typeof heldClock>;
beforeEach(async () => {
  clock = heldClock();
  fixture = await openScheduleFixture(clock);
  play = playRuns(fixture);
});
afterEach(() => fixture.close());

const use = (producerId: string, consumerId: string) => ({ producerId, consumerId });
const link = (producerCapsuleId: string, consumerId: string) =>
  fixture.domains.dependencies.create(
    consumerId,
    { producerCapsuleId, outputs: { title: { from: 'url', to: 'title', required: true } } },
    fixture.owner,
  );
const input = () => ({ workspaceId: fixture.workspaceId, ...play.createInput() });
const update = async () => (await fixture.domains.groups.planUpdate(input()))();
const group = (id: string) => fixture.domains.groups.get(id);
const graphOf = (id: string) => JSON.parse(group(id).runGroup.graphJson) as RunGroupGraph;
const refusal = (reason: string) => expect.objectContaining({ details: { reason } });
async function endRun(id: string, outcome: object): Promise<void> {
  await fixture.settle();
  fixture.runner.end(id, outcome as never);
  await fixture.settle();
}
const noChanges = { resourceCount: 0 };
const url = (value: string) => ({ url: { value, type: 'string' } });

/**
 * Creates a producer with a consumer and a producer without one, all applied; the first producer is behind its lane.
 */
async function makeThree() {
  const [producer, consumer, alone] = [fixture.makeCapsule(), fixture.makeCapsule(), fixture.makeCapsule()];
  await play.applied(producer.id, url('http://one'));
  link(producer.id, consumer.id);
  await play.applied(consumer.id);
  await play.applied(alone.id);
  fixture.domains.capsules.change(producer.id, { status: 'stale' }, fixture.owner);
  return { producer: producer.id, consumer: consumer.id, alone: alone.id };
}

describe('layers', () => {
  test('put producers before consumers and keep the order otherwise', () => {
    const uses = [use('a', 'b'), use('b', 'c'), use('a', 'c'), use('x', 'c')];
    expect(layersOf(['c', 'a', 'x', 'b'], uses)).toEqual([['a', 'x'], ['b'], ['c']]);
    expect(layersOf(['b', 'a'], [])).toEqual([['b', 'a']]);
    expect(layersOf([], uses)).toEqual([]);
  });

  test('follow dependencies through non-members and have no gap', () => {
    expect(layersOf(['a', 'c'], [use('a', 'b'), use('b', 'c')])).toEqual([['a'], ['c']]);
    expect(layersOf(['c'], [use('a', 'b'), use('b', 'c')])).toEqual([['c']]);
  });

  test('contain every transitive consumer once', () => {
    const uses = [use('a', 'b'), use('b', 'c'), use('a', 'c'), use('z', 'y')];
    expect([...withConsumers(['a'], uses)].sort()).toEqual(['a', 'b', 'c']);
  });
});

describe('the status of a group', () => {
  test.each([
    [[], 'succeeded'],
    [['queued', 'queued'], 'queued'],
    [['running', 'queued'], 'running'],
    [['succeeded', 'queued'], 'queued'],
    [['waiting_approval', 'queued', 'failed'], 'waiting_approval'],
    [['waiting_approval', 'running'], 'running'],
    [['failed', 'queued'], 'queued'],
    [['failed', 'cancelled', 'succeeded'], 'failed'],
    [['expired', 'succeeded'], 'cancelled'],
    [['succeeded', 'succeeded'], 'succeeded'],
  ] as const)('follows from its members: %j is %s', (statuses, status) => {
    expect(aggregateStatus(statuses.map((one) => ({ status: one }))).status).toBe(status);
  });
});

test('a group with a plan that waits for its apply is waiting, not finished', () => {
  const members = [{ status: 'succeeded', awaits: 'apply', finishedAt: 'then' }, { status: 'queued' }] as const;
  expect(aggregateStatus(members)).toEqual({ status: 'waiting_approval' });
});

describe('an update of a Workspace', () => {
  test('plans stale Capsules and their consumers, and a consumer starts with the Outputs of its applied producers', async () => {
    const { producer, consumer, alone } = await makeThree();
    const { runGroup, runs } = await update();
    expect(runGroup).toMatchObject({ id: expect.stringMatching(/^rg_/), type: 'workspace_update', status: 'queued' });
    expect(runs.map(({ capsuleId, runGroupId }) => [capsuleId, runGroupId])).toEqual([
      [producer, runGroup.id],
      [consumer, runGroup.id],
    ]);
    expect(graphOf(runGroup.id)).toEqual({
      order: [[producer], [consumer]],
      runs: { [producer]: runs[0]?.id, [consumer]: runs[1]?.id },
    });
    expect(JSON.stringify(runs)).not.toContain(alone);
    const [first = '', second = ''] = runs.map(({ id }) => id);
    await fixture.settle();
    expect(group(runGroup.id).runGroup.status).toBe('running');
    await play.endPlan(first);
    expect(group(runGroup.id).runGroup.status).toBe('waiting_approval');
    expect([first, second].map(play.isHandedOver)).toEqual([true, false]);
    await play.applyPlan(first, url('http://two'));
    expect(play.isHandedOver(second)).toBe(true);
    expect(play.specOf(second).variables).toEqual({ title: 'http://two' });
    await play.endPlan(second, noChanges);
    expect(group(runGroup.id).runGroup).toMatchObject({ status: 'succeeded', finishedAt: expect.any(String) });
    const actions = fixture.domains.activity.list(fixture.workspaceId, {}).events.map(({ action }) => action);
    expect(actions).toContain('run_group.created');
  });

  test('continues in order after a server restart', async () => {
    await makeThree();
    const { runs } = await update();
    const [first = '', second = ''] = runs.map(({ id }) => id);
    await fixture.settle();
    await fixture.restart();
    await fixture.settle();
    expect(play.isHandedOver(second)).toBe(false);
    await play.endPlan(first);
    await fixture.restart();
    await fixture.settle();
    expect(play.isHandedOver(second)).toBe(false);
    await play.applyPlan(first, url('http://two'));
    expect((await play.endPlan(second)).status).toBe('succeeded');
    expect(play.specOf(second).variables).toEqual({ title: 'http://two' });
  });

  test('starts a consumer at once after a producer without changes', async () => {
    await makeThree();
    const { runs } = await update();
    await play.endPlan(runs[0]?.id ?? '', noChanges);
    expect(play.isHandedOver(runs[1]?.id ?? '')).toBe(true);
  });

  test.each([
    ['a newer plan of the producer', (id: string) => fixture.domains.plans.createPlan(id, play.createInput()).id],
    ['a new configuration of the producer', (id: string) => void fixture.domains.runs.supersede(id, 'authority_epoch')],
  ])('starts a consumer when %s keeps the plan from being applied', async (_reason, replace) => {
    const { producer } = await makeThree();
    const { runs } = await update();
    const [first = '', second = ''] = runs.map(({ id }) => id);
    await play.endPlan(first);
    expect(play.isHandedOver(second)).toBe(false);
    const newer = replace(producer);
    if (newer !== undefined) await play.endPlan(newer);
    await fixture.settle();
    expect(play.isHandedOver(second)).toBe(true);
  });

  test('starts a consumer when the plan of its producer has expired', async () => {
    await makeThree();
    const { runs } = await update();
    const [first = '', second = ''] = runs.map(({ id }) => id);
    await play.endPlan(first);
    clock.advance(8 * 24 * 3_600_000);
    await fixture.restart();
    await fixture.settle();
    expect(play.isHandedOver(second)).toBe(true);
  });

  test('fails a consumer that lost a required Output of its producer, and says which', async () => {
    await makeThree();
    const { runGroup, runs } = await update();
    const [first = '', second = ''] = runs.map(({ id }) => id);
    await play.endPlan(first);
    await play.applyPlan(first, {});
    expect(play.read(second)).toMatchObject({ status: 'failed', errorCode: 'dependency_output_missing' });
    expect(play.isHandedOver(second)).toBe(false);
    expect(group(runGroup.id).runGroup.status).toBe('failed');
  });

  test('continues after a member that was cancelled or has failed', async () => {
    await makeThree();
    const { runGroup, runs } = await update();
    await fixture.settle();
    const [first = '', second = ''] = runs.map(({ id }) => id);
    const outcome = { kind: 'failed', errorCode: 'plan_failed', message: 'It failed.', phase: 'plan' } as const;
    fixture.runner.end(first, outcome);
    await fixture.settle();
    await play.endPlan(second, noChanges);
    expect(group(runGroup.id).runGroup.status).toBe('failed');
  });

  test('is refused when nothing is stale, with a message that begins with the reason', async () => {
    await play.applied(fixture.makeCapsule().id);
    await expect(update()).rejects.toThrow(refusal('nothing_to_update'));
    await expect(update()).rejects.toThrow(/^nothing_to_update:/);
  });

  test('records a member that cannot be planned as a failed Run with its reason', async () => {
    const { producer, consumer } = await makeThree();
    fixture.db.sqlite
      .prepare('UPDATE state_versions SET tool_name = ? WHERE capsule_id = ?')
      .run('terraform', producer);
    const { runGroup, runs } = await update();
    expect(runs.map(({ capsuleId, status, errorCode }) => [capsuleId, status, errorCode])).toEqual([
      [producer, 'failed', 'tool_version_changed'],
      [consumer, 'queued', undefined],
    ]);
    const { items } = {
      items: fixture.domains.runs.feed.listKind(runs[0]?.id ?? '', 'diagnostic', { after: 0, limit: 9 }),
    };
    expect(items.map(({ payload }) => payload['message'])).toEqual([expect.stringContaining('terraform')]);
    await play.endPlan(runs[1]?.id ?? '', noChanges);
    expect(group(runGroup.id).runGroup.status).toBe('failed');
  });
});

describe('an update after a sync without a compatibility check', () => {
  /** Syncs a new commit without a compatibility check. */
  async function syncUnchecked(level: 'ready' | 'unsupported' = 'ready') {
    const { id, sourceId } = fixture.makeCapsule();
    await play.applied(id);
    const snapshotId = fixture.sync(sourceId, { level });
    fixture.db.sqlite.prepare('DELETE FROM compatibility_reports WHERE snapshot_id = ?').run(snapshotId);
    fixture.domains.capsules.change(id, { status: 'stale' }, fixture.owner);
    return { id, snapshotId };
  }

  test('checks the newest snapshot for compatibility and plans it', async () => {
    const { snapshotId } = await syncUnchecked();
    const { runs } = await update();
    expect(runs).toMatchObject([{ status: 'queued', sourceSnapshotId: snapshotId }]);
    const { runs: checks } = fixture.domains.runs.listRuns(fixture.workspaceId, { type: 'compatibility_check' });
    expect(checks).toMatchObject([{ status: 'succeeded', createdBy: fixture.owner, sourceSnapshotId: snapshotId }]);
    expect((await play.endPlan(runs[0]?.id ?? '')).status).toBe('succeeded');
  });

  test('keeps a member whose module is not compatible as a failed Run that never started', async () => {
    await syncUnchecked('unsupported');
    const { runs } = await update();
    expect(runs).toMatchObject([{ status: 'failed', errorCode: 'capsule_compatibility_check_failed' }]);
    expect(runs[0]).not.toHaveProperty('startedAt');
    const items = fixture.domains.runs.feed.listKind(runs[0]?.id ?? '', 'diagnostic', { after: 0, limit: 9 });
    expect(items.map(({ payload }) => payload['code'])).toEqual(['compatibility_not_runnable']);
  });

  test('writes nothing when the request is not committed', async () => {
    await syncUnchecked();
    await fixture.domains.groups.planUpdate(input());
    expect(fixture.domains.runs.listRuns(fixture.workspaceId, { type: 'compatibility_check' }).runs).toEqual([]);
  });
});

describe('the approval of a group', () => {
  test('approves every waiting plan, and a second approval finds nothing', async () => {
    const { alone } = await makeThree();
    fixture.domains.capsules.change(alone, { status: 'stale' }, fixture.owner);
    fixture.db.sqlite
      .prepare('UPDATE workspaces SET policy = ?')
      .run(JSON.stringify({ destructiveChanges: { requireExplicitConfirmation: true } }));
    const { runGroup, runs } = await update();
    for (const { id } of runs.slice(0, 2)) {
      await fixture.settle();
      await endRun(id, { ...planOutcome(play.specOf(id)), destructive: true });
    }
    expect(group(runGroup.id).runGroup.status).toBe('waiting_approval');
    const approve = () => fixture.domains.groups.approve(runGroup.id, { actorId: fixture.owner, reason: 'Looked at.' });
    expect(approve().runs.map(({ status, approval }) => [status, approval?.reason])).toEqual([
      ['succeeded', 'Looked at.'],
      ['succeeded', 'Looked at.'],
      ['queued', undefined],
    ]);
    expect(approve).toThrow(refusal('nothing_to_approve'));
    const [newest] = fixture.domains.activity.list(fixture.workspaceId, {}).events;
    expect(newest).toMatchObject({ action: 'run_group.approved', metadata: { approved: 2 } });
  });
});

describe('the list of groups', () => {
  const list = (query: Parameters<typeof fixture.domains.groups.list>[1] = {}) =>
    fixture.domains.groups.list(fixture.workspaceId, query);

  test('is empty at first, then newest first, by type and by status, page by page', async () => {
    expect(list()).toEqual({ runGroups: [] });
    await makeThree();
    const { runGroup: update1 } = await update();
    const drift = fixture.domains.groups.checkDrift(input()).runGroup;
    expect(list().runGroups.map(({ id }) => id)).toEqual([drift.id, update1.id]);
    expect(list({ type: 'workspace_update' }).runGroups).toEqual([update1]);
    expect(list({ status: 'queued' }).runGroups).toHaveLength(2);
    expect(list({ status: 'failed' })).toEqual({ runGroups: [] });
    const { runGroups, nextCursor } = list({ limit: 1 });
    expect(runGroups).toEqual([drift]);
    expect(list({ limit: 1, cursor: nextCursor })).toEqual({ runGroups: [update1] });
    expect(() => list({ cursor: nextCursor, type: 'workspace_update' })).toThrow('cursor does not belong');
  });
});

describe('the apply of a group', () => {
  /** Plans two stale Capsules; the second is in a later layer than the first. */
  async function planTwo() {
    const { alone } = await makeThree();
    fixture.domains.capsules.change(alone, { status: 'stale' }, fixture.owner);
    const { runGroup, runs } = await update();
    const [first = '', second = ''] = runs.map(({ id }) => id);
    for (const id of [first, second]) await play.endPlan(id);
    fixture.db.sqlite.prepare('UPDATE runs SET group_layer = 1 WHERE id = ?').run(second);
    const planDigests = Object.fromEntries([first, second].map((id) => [id, play.read(id).planDigest ?? '']));
    const apply = (digests = planDigests) =>
      fixture.domains.groups.apply(runGroup.id, { ...play.createInput(), planDigests: digests });
    return { id: runGroup.id, first, second, planDigests, apply };
  }
  const applyOf = (planId: string) => play.read(play.read(planId).applyRunId ?? '');
  async function endApply(id: string, succeeded: boolean) {
    const identity = { pid: 2, startTime: '', bootId: '' };
    fixture.runner.say(id, { t: 'spawned', at: 0, command: 'apply', identity });
    fixture.runner.end(id, applyOutcome(play.specOf(id), succeeded, url('http://two')));
    await fixture.settle();
  }

  test('applies layer by layer, even across a restart, and a second request changes nothing', async () => {
    const { id, first, second, apply } = await planTwo();
    const { runs } = apply();
    expect(apply().runs.map((run) => run.id)).toEqual(runs.map((run) => run.id));
    await fixture.settle();
    await fixture.restart();
    await fixture.settle();
    expect([first, second].map((plan) => play.isHandedOver(applyOf(plan).id))).toEqual([true, false]);
    expect(group(id).runGroup.status).toBe('running');
    await endApply(applyOf(first).id, true);
    await endApply(applyOf(second).id, true);
    expect([first, second].map((plan) => applyOf(plan).status)).toEqual(['succeeded', 'succeeded']);
    expect(Object.values(graphOf(id).runs)).toContain(first);
  });

  test('cancels applies that have not started when one fails, with the reason', async () => {
    const { first, second, apply } = await planTwo();
    apply();
    await fixture.settle();
    await endApply(applyOf(first).id, false);
    const rest = applyOf(second);
    expect(rest.status).toBe('cancelled');
    expect(rest).not.toHaveProperty('startedAt');
    const items = fixture.domains.runs.feed.listKind(rest.id, 'diagnostic', { after: 0, limit: 9 });
    expect(items.map(({ payload }) => payload['message'])).toEqual([expect.stringContaining('did not start')]);
  });

  test('is recorded once, even when it is requested again', async () => {
    const { apply } = await planTwo();
    apply();
    apply();
    const { events } = fixture.domains.activity.list(fixture.workspaceId, {});
    expect(events.filter(({ action }) => action === 'run_group.applied')).toHaveLength(1);
  });

  test('continues from an apply that was requested for a single Run', async () => {
    const { id, first } = await planTwo();
    const { run } = fixture.domains.applies.apply(first, play.createInput());
    expect(group(id).runs.map((one) => one.id)).toContain(run.id);
    await fixture.settle();
    expect(group(id).runGroup.status).toBe('running');
    await endApply(run.id, true);
    // The consumer of the applied Capsule is planned now.
    expect(
      group(id)
        .runs.filter(({ status }) => status === 'running')
        .map(({ type }) => type),
    ).toEqual(['plan']);
  });

  test('queues nothing when one plan is refused, and accepts only plans of the group', async () => {
    const { first, second, planDigests, apply } = await planTwo();
    const wrong = `sha256:${'1'.repeat(64)}`;
    expect(() => apply({ ...planDigests, [second]: wrong })).toThrow(
      expect.objectContaining({
        details: {
          reason: 'plan_digest_mismatch',
          refusals: [
            { runId: second, reason: 'plan_digest_mismatch', message: expect.stringMatching(/review it again/) },
          ],
        },
      }),
    );
    expect(play.read(first)).not.toHaveProperty('applyRunId');
    expect(() => apply({ ...planDigests, plan_other: wrong })).toThrow(expect.objectContaining({ code: 'not_found' }));
  });
});

describe('plans of a group that are named', () => {
  const approval = (runIds: string[]) => ({ actorId: fixture.owner, runIds });
  /** Plans two stale Capsules that both wait for an approval. */
  async function planTwo() {
    const { alone, producer } = await makeThree();
    fixture.domains.capsules.change(alone, { status: 'stale' }, fixture.owner);
    const { runGroup, runs } = await update();
    const planOf = (capsuleId: string) => runs.find((run) => run.capsuleId === capsuleId)?.id ?? '';
    const plans = [planOf(producer), planOf(alone)];
    for (const id of plans) {
      await fixture.settle();
      await endRun(id, { ...planOutcome(play.specOf(id)), destructive: true });
    }
    const [one = '', other = ''] = plans;
    return { id: runGroup.id, one, other, producer, alone };
  }

  test('are approved, and no other', async () => {
    const { id, one, other } = await planTwo();
    fixture.domains.groups.approve(id, approval([one, one]));
    expect([one, other].map((plan) => play.read(plan).status)).toEqual(['succeeded', 'waiting_approval']);
    expect(() => fixture.domains.groups.approve(id, approval(['plan_other']))).toThrow(
      expect.objectContaining({ code: 'not_found' }),
    );
  });

  test('are neither approved nor applied when one is held, and the answer names each that is refused', async () => {
    const { id, one, other, producer, alone } = await planTwo();
    for (const capsuleId of [producer, alone])
      fixture.domains.capsules.hold(capsuleId, { reason: 'Freeze' }, fixture.owner);
    const heldBoth = expect.objectContaining({
      details: {
        reason: 'capsule_held',
        refusals: [one, other].map((runId) => ({
          runId,
          reason: 'capsule_held',
          message: expect.stringContaining('Freeze'),
        })),
      },
    });
    expect(() => fixture.domains.groups.approve(id, approval([one, other]))).toThrow(heldBoth);
    for (const capsuleId of [producer, alone]) fixture.domains.capsules.release(capsuleId, fixture.owner);
    fixture.domains.groups.approve(id, approval([one, other]));
    fixture.domains.capsules.hold(alone, { reason: 'Freeze' }, fixture.owner);
    const planDigests = Object.fromEntries([one, other].map((plan) => [plan, play.read(plan).planDigest ?? '']));
    expect(() => fixture.domains.groups.apply(id, { ...play.createInput(), planDigests })).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({ refusals: [expect.objectContaining({ runId: other })] }),
      }),
    );
    expect(play.read(one)).not.toHaveProperty('applyRunId');
  });
});

describe('the retry of a group', () => {
  const retry = async (id: string) => (await fixture.domains.groups.retry(id, play.createInput()))();
  const failed = { kind: 'failed', errorCode: 'plan_failed', message: 'No.' };

  test('is refused while nothing has failed', async () => {
    await makeThree();
    const { runGroup } = await update();
    await expect(retry(runGroup.id)).rejects.toThrow(refusal('nothing_to_retry'));
  });

  test('plans failed members again, and consumers wait for them', async () => {
    const { producer, consumer } = await makeThree();
    const { runGroup, runs } = await update();
    const [first = '', second = ''] = runs.map(({ id }) => id);
    await endRun(first, failed);
    await play.endPlan(second);
    expect(group(runGroup.id).runGroup.status).toBe('waiting_approval');
    const { runs: after } = await retry(runGroup.id);
    expect(after.filter(({ id }) => id !== first && id !== second)).toMatchObject([
      { capsuleId: producer, runGroupId: runGroup.id },
      { capsuleId: consumer, runGroupId: runGroup.id },
    ]);
    const { runs: plans } = graphOf(runGroup.id);
    await play.endPlan(plans[producer] ?? '');
    expect(play.isHandedOver(plans[consumer] ?? '')).toBe(false);
    await play.applyPlan(plans[producer] ?? '', url('http://two'));
    await play.endPlan(plans[consumer] ?? '');
    await play.applyPlan(plans[consumer] ?? '');
    // The Runs that the retry replaced do not count.
    expect(group(runGroup.id).runGroup.status).toBe('succeeded');
    await expect(retry(runGroup.id)).rejects.toThrow(refusal('nothing_to_retry'));
  });

  test('leaves applied members alone', async () => {
    const { producer, alone } = await makeThree();
    fixture.domains.capsules.change(alone, { status: 'stale' }, fixture.owner);
    const { runGroup, runs } = await update();
    const planOf = (capsuleId: string) => runs.find((run) => run.capsuleId === capsuleId)?.id ?? '';
    await play.endPlan(planOf(producer));
    await endRun(planOf(alone), failed);
    await play.applyPlan(planOf(producer), url('http://two'));
    await retry(runGroup.id);
    expect(graphOf(runGroup.id).runs[producer]).toBe(planOf(producer));
    expect(graphOf(runGroup.id).runs[alone]).not.toBe(planOf(alone));
  });
});

describe('the retry of drift checks', () => {
  test('checks only what failed again, without waiting for others', async () => {
    const { producer, consumer } = await makeThree();
    const { runGroup, runs } = fixture.domains.groups.checkDrift({ ...input(), limit: 2 });
    const [first = '', second = ''] = runs.map(({ id }) => id);
    await endRun(first, { kind: 'failed', errorCode: 'plan_failed', message: 'No.' });
    await play.endPlan(second);
    await (await fixture.domains.groups.retry(runGroup.id, play.createInput()))();
    const { runs: checks } = graphOf(runGroup.id);
    expect(checks[producer]).not.toBe(first);
    expect(checks[consumer]).toBe(second);
  });
});

describe('a comparison of a Workspace', () => {
  test('checks the requested number of Capsules, least recently checked first', async () => {
    const { producer, consumer, alone } = await makeThree();
    const check = (limit: number) => fixture.domains.groups.checkDrift({ ...input(), limit });
    const first = check(2);
    expect(first.runs.map(({ type, capsuleId }) => [type, capsuleId])).toEqual([
      ['drift_check', producer],
      ['drift_check', consumer],
    ]);
    expect(check(1).runs.map(({ capsuleId }) => capsuleId)).toEqual([alone]);
  });

  test('is refused when nothing was applied', () => {
    fixture.makeCapsule();
    expect(() => fixture.domains.groups.checkDrift(input())).toThrow(refusal('nothing_to_drift_check'));
    expect(() => fixture.domains.groups.checkDrift(input())).toThrow(/^nothing_to_drift_check:/);
  });
});
