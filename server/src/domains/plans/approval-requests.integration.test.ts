import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CapsuleRow } from '#server/domains/capsules/index';
import { type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';
import { holdCapsule, seedCapsule, seedPlan, seedRun } from '../../../test/ledger-rows.ts';

let server: TestServer;
let member: Awaited<ReturnType<TestServer['join']>>;
beforeAll(async () => {
  server = await startTestServer();
  member = await server.join('member');
});
afterAll(() => server.close());

const statusAndReason = ({ status, json }: RawAnswer) => {
  const { code, details } = (json as { error?: { code: string; details?: { reason?: string } } }).error ?? {};
  return [status, details?.reason ?? code];
};
async function heldCapsule(): Promise<CapsuleRow> {
  const capsule = await seedCapsule(server);
  holdCapsule(server, capsule.id);
  return capsule;
}
const waitingPlan = (capsule: CapsuleRow, more = {}) =>
  seedPlan(server, capsule, { moves: ['claim', 'requestApproval'], ...more });
const request = (runId: string, body: object = {}) =>
  server.request('POST', `/api/v1/runs/${runId}/approval-requests`, body);
const waitingOf = async (api: TestServer['api']) =>
  (await api.getWaiting({ params: { workspaceId: server.workspaceId } })).body.waiting;

describe('a request for an approval', () => {
  it('is stored once with its person and note, recorded, and grants nothing', async () => {
    const plan = waitingPlan(await heldCapsule(), { createdBy: member.subject });
    const params = { runId: plan.id };
    const stream = await server.events(`/api/v1/workspaces/${server.workspaceId}/events`);
    const first = await member.api.requestApproval({ params, body: { note: 'Please look before noon.' } });
    expect([first.status, first.body.run]).toMatchObject([
      201,
      {
        status: 'waiting_approval',
        approvalRequest: { by: member.subject, at: expect.any(String), note: 'Please look before noon.' },
      },
    ]);
    const second = await server.api.requestApproval({ params, body: {} });
    expect([second.status, second.body]).toEqual([200, first.body]);
    await expect(member.api.approveRun({ params, body: {} })).rejects.toMatchObject({ status: 403 });

    const { events } = (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body;
    const recorded = events.filter(({ action }) => action === 'run.approval_requested');
    expect(recorded).toMatchObject([
      { actorId: member.subject, runId: plan.id, metadata: { capsuleId: plan.capsuleId } },
    ]);
    expect(JSON.stringify(recorded)).not.toContain('noon');
    const { auditEvents } = (await server.api.getRunEvents({ params })).body;
    expect(auditEvents.map(({ type, actor }) => [type, actor])).toEqual([['plan.approval_requested', member.subject]]);
    const changes = (await stream.until('changed')).map(({ data }) => data);
    expect(changes).toContainEqual({ kind: 'approval_request', id: plan.id, status: 'waiting_approval' });
    stream.close();
  });

  it('is accepted for a plan that waits only for its apply', async () => {
    const plan = seedPlan(server, await heldCapsule(), { createdBy: member.subject });
    const { body } = await member.api.requestApproval({ params: { runId: plan.id }, body: {} });
    expect([body.run.awaits, body.run.approvalRequest?.by]).toEqual(['apply', member.subject]);
  });

  it('is refused for a Run that waits for no one, is too old or was superseded', async () => {
    const capsule = await heldCapsule();
    const refused: [{ id: string }, string][] = [
      [seedRun(server, { capsuleId: capsule.id }), 'nothing_to_approve'],
      [seedRun(server, { type: 'source_sync', moves: ['claim', 'finish'] }), 'nothing_to_approve'],
      [seedPlan(server, capsule, { type: 'drift_check' }), 'nothing_to_approve'],
      [seedPlan(server, await heldCapsule(), { facts: { hasChanges: false } }), 'nothing_to_approve'],
      [waitingPlan(capsule, { set: { planExpiresAt: Date.now() - 1 } }), 'plan_expired'],
      [waitingPlan(capsule, { executionAuthorityEpoch: 7 }), 'plan_superseded'],
    ];
    for (const [run, reason] of refused) expect(statusAndReason(await request(run.id))).toEqual([409, reason]);
    const older = waitingPlan(await heldCapsule());
    waitingPlan({ ...capsule, id: older.capsuleId ?? '' });
    expect(statusAndReason(await request(older.id))).toEqual([409, 'plan_superseded']);
  });

  it('is refused with a note that is too long or a credential, and stores nothing', async () => {
    const plan = waitingPlan(await heldCapsule());
    for (const note of ['', 'x'.repeat(257), 'a\nb'])
      expect(statusAndReason(await request(plan.id, { note }))).toEqual([400, 'invalid_request']);
    expect(statusAndReason(await request(plan.id, { note: 'password=hunter22' }))).toEqual([400, 'secret_like_value']);
    expect((await server.api.getRun({ params: { runId: plan.id } })).body.run.approvalRequest).toBeUndefined();
  });

  it('is limited per account, because each is mailed to everyone who may approve', async () => {
    const { api } = await server.join('member');
    const plan = waitingPlan(await heldCapsule());
    const once = () => api.requestApproval({ params: { runId: plan.id }, body: {} });
    for (let time = 0; time < 20; time += 1) expect([200, 201]).toContain((await once()).status);
    await expect(once()).rejects.toMatchObject({ status: 429, code: 'rate_limited' });
  });

  it('is refused for a viewer', async () => {
    const viewer = await server.join('viewer');
    const plan = waitingPlan(await heldCapsule());
    const call = viewer.api.requestApproval({ params: { runId: plan.id }, body: {} });
    await expect(call).rejects.toMatchObject({ status: 403 });
  });
});

describe('what waits', () => {
  it('is counted and listed for those who may decide, and for no one else', async () => {
    const own = await startTestServer();
    const [admin, asking] = [await own.join('admin'), await own.join('member')];
    const capsule = async () => {
      const row = await seedCapsule(own);
      holdCapsule(own, row.id);
      return row;
    };
    const moves = ['claim', 'requestApproval'] as const;
    const theirs = seedPlan(own, await capsule(), { moves, createdBy: asking.subject });
    seedPlan(own, await capsule());
    const ofOwner = seedPlan(own, await capsule(), { moves });
    await asking.api.requestApproval({ params: { runId: theirs.id }, body: {} });
    const read = async (api: TestServer['api']) => {
      const { count, requests } = (await api.getWaiting({ params: { workspaceId: own.workspaceId } })).body.waiting;
      return [count, requests.map(({ id }) => id)];
    };
    expect([await read(own.api), await read(asking.api)]).toEqual([
      [3, [theirs.id]],
      [0, []],
    ]);

    // Under four eyes the author of a plan waits for another person.
    const policy = { approval: { requireSecondPerson: true } };
    await own.api.updateWorkspace({ params: { workspaceId: own.workspaceId }, body: { policy } });
    await own.api.requestApproval({ params: { runId: ofOwner.id }, body: {} });
    expect([await read(own.api), await read(admin.api)]).toEqual([
      [2, [theirs.id]],
      [3, [ofOwner.id, theirs.id]],
    ]);
    await admin.api.approveRun({ params: { runId: theirs.id }, body: {} });
    await admin.api.cancelRun({ params: { runId: theirs.id }, body: {} }).catch(() => {});
    await own.close();
  });

  it('shows the hold of its Capsule with a request, until it ends', async () => {
    const capsule = await heldCapsule();
    const plan = waitingPlan(capsule);
    await server.api.requestApproval({ params: { runId: plan.id }, body: {} });
    const holdOf = async () => (await waitingOf(server.api)).requests.find(({ id }) => id === plan.id)?.hold;
    expect(await holdOf()).toBeUndefined();
    const params = { capsuleId: capsule.id };
    await server.api.holdCapsule({ params, body: { reason: 'Freeze' } });
    expect(await holdOf()).toMatchObject({ reason: 'Freeze', heldBy: server.subject });
    await server.api.releaseCapsule({ params });
    expect(await holdOf()).toBeUndefined();
  });

  it('has no request of a plan that does not wait any more', async () => {
    const plan = waitingPlan(await heldCapsule());
    await server.api.requestApproval({ params: { runId: plan.id }, body: {} });
    expect((await waitingOf(server.api)).requests.map(({ id }) => id)).toContain(plan.id);
    await server.api.cancelRun({ params: { runId: plan.id }, body: {} });
    expect((await waitingOf(server.api)).requests.map(({ id }) => id)).not.toContain(plan.id);
  });
});
