import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type GitHost, startGitHost } from '../../../test/git-fixture.ts';
import { heldClock, startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule } from '../../../test/ledger-rows.ts';
import { openScheduleFixture, type ScheduleFixture, scheduleTool } from '../../../test/schedule-fixture.ts';
import { applyOutcome, planOutcome } from '../../../test/scripted-runner.ts';

describe('a new commit on a lane', () => {
  let server: TestServer;
  let git: GitHost;
  beforeAll(async () => {
    [server, git] = await Promise.all([startTestServer(), startGitHost()]);
  });
  afterAll(() => Promise.all([server.close(), git.close()]));

  const sync = async (sourceId: string, intent: 'observe' | 'manual_plan' = 'observe') => {
    const { run } = (await server.api.syncSource({ params: { sourceId }, body: { intent } })).body;
    await server.ended(run.id);
    const { sourceSnapshotId = '' } = (await server.api.getRun({ params: { runId: run.id } })).body.run;
    return sourceSnapshotId;
  };
  const capsuleOf = async (capsuleId: string) => (await server.api.getCapsule({ params: { capsuleId } })).body.capsule;

  test('makes the Capsules of that lane stale, and no other, and records the changed commit in the history', async () => {
    const repository = git.repository('lanes', { 'main.tf': 'output "a" { value = 1 }\n', 'net/main.tf': '' });
    const body = { workspaceId: server.workspaceId, name: 'Modules', url: git.url('lanes'), defaultRef: 'main' };
    const sourceId = (await server.api.createSource({ body })).body.source.id;
    const first = await sync(sourceId);
    const commit = repository.git('rev-parse', 'HEAD');
    const seed = async (more: object, lane: { ref?: string; path?: string } = {}) => {
      const adopted = { sourceSnapshotId: first, ref: 'main', path: '.', resolvedCommit: commit, ...lane };
      return (await seedCapsule(server, { sourceId, status: 'active', adoptedSourceRevision: adopted, ...more })).id;
    };
    const own = await seed({});
    const others = [
      await seed({}, { ref: 'HEAD' }),
      await seed({}, { path: 'net' }),
      await seed({ status: 'error' }),
      await seed({ status: 'disabled' }),
      await seed({ sourceId: (await seedCapsule(server)).sourceId }),
      (await seedCapsule(server, { sourceId })).id,
    ];
    const before = await Promise.all(others.map(capsuleOf));

    expect(await sync(sourceId)).toBe(first);
    expect((await capsuleOf(own)).status).toBe('active');

    repository.commit({ 'main.tf': 'output "a" { value = 2 }\n' });
    const second = await sync(sourceId, 'manual_plan');
    expect(await capsuleOf(own)).toMatchObject({ status: 'stale', adoptedSourceRevision: { sourceSnapshotId: first } });
    expect(await Promise.all(others.map(capsuleOf))).toEqual(before);

    await sync(sourceId);
    const { events } = (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body;
    expect(events.filter(({ action }) => action === 'capsule.stale')).toEqual([
      expect.objectContaining({
        targetId: own,
        metadata: {
          reason: 'source_ref_changed',
          sourceId,
          sourceSnapshotId: second,
          previousSourceSnapshotId: first,
          resolvedCommit: repository.git('rev-parse', 'HEAD'),
          previousResolvedCommit: commit,
          ref: 'main',
          path: '.',
        },
      }),
    ]);
  });
});

describe('an apply', () => {
  let fixture: ScheduleFixture;
  beforeEach(async () => {
    fixture = await openScheduleFixture(heldClock());
  });
  afterEach(() => fixture.close());

  test.each([
    ['of the newest snapshot leaves its Capsule active', false, 'active'],
    ['of a plan that is behind its lane leaves its Capsule stale', true, 'stale'],
  ])('%s', async (_, isOvertaken, status) => {
    const { id, sourceId } = fixture.makeCapsule();
    const input = { actorId: fixture.owner, tool: scheduleTool };
    const plan = fixture.domains.plans.createPlan(id, input);
    await fixture.settle();
    fixture.runner.end(plan.id, planOutcome(fixture.runner.startedRuns.get(plan.id)?.spec as never));
    await fixture.settle();
    if (isOvertaken) fixture.sync(sourceId);
    const { run } = fixture.domains.applies.apply(plan.id, input);
    await fixture.settle();
    fixture.runner.end(run.id, applyOutcome(fixture.runner.startedRuns.get(run.id)?.spec as never, true));
    await fixture.settle();
    expect(fixture.domains.capsules.getRow(id).status).toBe(status);
  });
});
