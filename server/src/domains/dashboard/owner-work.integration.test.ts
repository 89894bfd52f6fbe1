import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OwnerNotice, OwnerWork } from '#shared/dashboard/owner-work';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule, seedPlan, seedRun } from '../../../test/ledger-rows.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server.close());

const current = (): OwnerWork => {
  let work: OwnerWork | undefined;
  server.watch.followWork((now) => {
    work = now;
  })();
  if (!work) throw new Error('The current work was not reported.');
  return work;
};
const prefer = (change: object) =>
  server.api.setNotificationPreferences({
    body: { browser: ['approval.requested'], mail: [], mutedWorkspaceIds: [], language: 'en', ...change },
  });

describe('the work of the local owner', () => {
  it('is empty at first', () => {
    expect(current()).toEqual({ isSealed: false, running: 0, applying: 0, waiting: 0, failed: 0, recentCapsules: [] });
  });

  it('counts what runs, waits and failed, and names the Capsules that changed last', async () => {
    const broken = await seedCapsule(server, { name: 'broken', status: 'error' });
    seedRun(server, { capsuleId: broken.id, type: 'apply', moves: ['claim', 'fail'] });
    const applying = await seedCapsule(server, { name: 'applying' });
    seedRun(server, { capsuleId: applying.id, type: 'destroy_apply', moves: ['claim'] });
    const planning = await seedCapsule(server, { name: 'planning' });
    seedRun(server, { capsuleId: planning.id, type: 'plan', moves: ['claim'] });
    seedRun(server, { type: 'source_sync', moves: ['claim'] });
    seedPlan(server, await seedCapsule(server, { name: 'waiting' }), { moves: ['claim', 'requestApproval'] });
    await seedCapsule(server, { name: 'gone', status: 'destroyed' });
    const { recentCapsules, ...counts } = current();
    expect(counts).toEqual({ isSealed: false, running: 2, applying: 1, waiting: 1, failed: 1 });
    const names = recentCapsules.map(({ name }) => name);
    expect(names.sort()).toEqual(['applying', 'broken', 'planning', 'waiting']);
  });

  it('is reported again after a change, once for a burst, and to no one who unsubscribed', async () => {
    const reported: number[] = [];
    const left: number[] = [];
    server.watch.followWork(({ recentCapsules }) => reported.push(recentCapsules.length));
    server.watch.followWork(({ recentCapsules }) => left.push(recentCapsules.length))();
    await seedCapsule(server, { name: 'one' });
    const { id } = await seedCapsule(server, { name: 'two' });
    await server.api.holdCapsule({ params: { capsuleId: id }, body: { reason: 'Freeze' } });
    await server.api.releaseCapsule({ params: { capsuleId: id } });
    await vi.waitFor(() => expect(reported.at(-1)).toBe(2));
    expect(left.length).toBeLessThanOrEqual(1);
  });
});

describe('a notice for the local owner', () => {
  const requested = async () => {
    const member = await server.join('member');
    const capsule = await seedCapsule(server);
    const plan = seedPlan(server, capsule, {
      moves: ['claim', 'requestApproval'],
      createdBy: member.subject,
      capsuleName: 'Shop',
    });
    await member.api.requestApproval({ params: { runId: plan.id }, body: {} });
    return plan.id;
  };

  it('names the Run, its Capsule and its Workspace', async () => {
    const notices: OwnerNotice[] = [];
    const unsubscribe = server.watch.onNotice((notice) => notices.push(notice));
    const runId = await requested();
    const [workspace] = (await server.api.listWorkspaces({})).body.workspaces;
    const expected = {
      event: 'approval.requested',
      runId,
      workspaceName: workspace?.displayName,
      capsuleName: 'Shop',
    };
    expect(notices).toEqual([expected]);
    unsubscribe();
    await requested();
    expect(notices).toHaveLength(1);
  });

  it('is left out for an event or a Workspace that the person does not want', async () => {
    const notices: OwnerNotice[] = [];
    server.watch.onNotice((notice) => notices.push(notice));
    await prefer({ browser: ['run.failed'] });
    await requested();
    await prefer({ mutedWorkspaceIds: [server.workspaceId] });
    await requested();
    expect(notices).toEqual([]);
    await prefer({});
    await requested();
    expect(notices).toHaveLength(1);
  });
});
