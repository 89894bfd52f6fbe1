import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunStatus } from '#shared/runs/contract';
import { heldClock, type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';
import { holdCapsule, seedCapsule, seedPlan, seedRun } from '../../../test/ledger-rows.ts';
import { makeToken } from '../../../test/tokens.ts';

let server: TestServer;
const clock = heldClock(Date.now());
beforeAll(async () => {
  server = await startTestServer({ clock });
});
afterAll(() => server.close());

const statusAndCode = ({ status, json }: RawAnswer) => {
  const { code, details } =
    (json as { error?: { code: string; details?: { reason?: string; field?: string } } }).error ?? {};
  return [status, code, details?.reason ?? details?.field].filter((part) => part !== undefined);
};
const list = async (query: Record<string, string>) =>
  (await server.api.listRuns({ params: { workspaceId: server.workspaceId }, query: query as never })).body;
const idsOf = async (query: Record<string, string>) => (await list(query)).runs.map(({ id }) => id);
const cancel = (runId: string, body: object = {}, token = server.token) =>
  server.request('POST', `/api/v1/runs/${runId}/cancel`, body, { authorization: `Bearer ${token}` });
const statusOf = async (runId: string): Promise<RunStatus> =>
  (await server.api.getRun({ params: { runId } })).body.run.status;

describe('the list of Runs', () => {
  test('is newest first and filtered by Capsule, type, status and pending human action', async () => {
    const [one, two] = [await seedCapsule(server), await seedCapsule(server)];
    const failed = seedRun(server, { capsuleId: one.id, moves: ['claim', 'fail'] });
    const appliable = seedPlan(server, one);
    const waiting = seedPlan(server, two, { type: 'destroy_plan', moves: ['claim', 'requestApproval'] });
    const sync = seedRun(server, { type: 'source_sync', moves: ['claim', 'finish'] });
    const stale = seedPlan(server, two, { set: { planExpiresAt: clock.now() } });
    const used = seedPlan(server, two, { set: { applyRunId: 'apply_x' } });
    const overtaken = seedPlan(server, two, { set: { supersededAt: 1, supersededReason: 'state_generation' } });
    const all = [overtaken, used, stale, sync, waiting, appliable, failed].map(({ id }) => id);
    expect(await idsOf({})).toEqual(all);
    expect(await idsOf({ capsuleId: one.id })).toEqual([appliable.id, failed.id]);
    expect(await idsOf({ capsuleId: 'cap_nowhere' })).toEqual([]);
    expect(await idsOf({ type: 'source_sync' })).toEqual([sync.id]);
    expect(await idsOf({ status: 'failed' })).toEqual([failed.id]);
    expect(await idsOf({ status: 'failed,waiting_approval' })).toEqual([waiting.id, failed.id]);
    expect(await idsOf({ awaits: 'approve' })).toEqual([waiting.id]);
    expect(await idsOf({ awaits: 'apply' })).toEqual([appliable.id]);
    expect(await idsOf({ awaits: 'apply', capsuleId: two.id })).toEqual([]);
    const { runs } = await list({ awaits: 'approve' });
    expect(runs[0]).toMatchObject({ awaits: 'approve', type: 'destroy_plan', planExpiresAt: expect.any(String) });
    const pages: string[] = [];
    for (let page = await list({ limit: '3' }); ; page = await list({ limit: '3', cursor: page.nextCursor ?? '' })) {
      pages.push(...page.runs.map(({ id }) => id));
      if (page.nextCursor === undefined) break;
    }
    expect(pages).toEqual(all);
  });

  test('knows whether a person or an access token caused a Run', async () => {
    const body = { workspaceId: server.workspaceId, name: 'Cause', url: 'https://example.com/cause' };
    const sourceId = (await server.api.createSource({ body })).body.source.id;
    const { token } = await makeToken(server, { subject: server.subject, scopes: ['write'] });
    const sync = async (bearer: string) => {
      const path = `/api/v1/sources/${sourceId}/sync`;
      const { json } = await server.request('POST', path, {}, { authorization: `Bearer ${bearer}` });
      const { id } = (json as { run: { id: string } }).run;
      await server.ended(id);
      return id;
    };
    const [byPerson, byToken] = [await sync(server.token), await sync(token)];
    expect(await idsOf({ trigger: 'token' })).toEqual([byToken]);
    expect(await idsOf({ trigger: 'person' })).toContain(byPerson);
    expect((await list({ trigger: 'token' })).runs[0]).not.toHaveProperty('trigger');
    expect((await list({ trigger: 'token', view: 'changes' })).changes).toEqual([
      { kind: 'run', runId: byToken, trigger: 'token' },
    ]);
  });

  test('refuses an unknown type, status or pending action', async () => {
    const path = `/api/v1/workspaces/${server.workspaceId}/runs`;
    for (const [query, field] of [
      ['type=plans', '/type'],
      ['type=plan,apply', '/type'],
      ['status=done', '/status/0'],
      ['status=', '/status/0'],
      ['status=failed,', '/status/1'],
      ['awaits=', '/awaits'],
      ['capsuleId=', '/capsuleId'],
      ['q=', '/q'],
      ['commit=abc', '/commit'],
      ['commit=xyz1', '/commit'],
      ['trigger=cron', '/trigger'],
      ['view=all', '/view'],
      ['createdBy=', '/createdBy'],
    ])
      expect([query, ...statusAndCode(await server.request('GET', `${path}?${query}`))]).toEqual([
        query,
        400,
        'invalid_request',
        field,
      ]);
  });

  test('is searched by the name of the Capsule or by an id, together with the other filters', async () => {
    const capsuleId = 'cap_01ARZ3NDEKTSV4RRFFQ69G5FAV';
    const one = seedRun(server, { capsuleId, capsuleName: 'Web Shop 100%', moves: ['claim', 'fail'] });
    const two = seedRun(server, { capsuleId, capsuleName: 'web shop', moves: ['claim', 'finish'] });
    const nameless = seedRun(server, { type: 'source_sync', moves: ['claim', 'finish'] });
    expect(await idsOf({ q: 'WEB SHOP' })).toEqual([two.id, one.id]);
    expect(await idsOf({ q: '0%' })).toEqual([one.id]);
    expect(await idsOf({ q: 'web_shop' })).toEqual([]);
    expect(await idsOf({ q: 'shop', status: 'failed' })).toEqual([one.id]);
    expect(await idsOf({ q: nameless.id.toLowerCase() })).toEqual([nameless.id]);
    expect(await idsOf({ q: two.id.slice(-12) })).toEqual([two.id]);
    expect(await idsOf({ q: capsuleId })).toEqual([two.id, one.id]);
    const first = await list({ q: 'shop', limit: '1' });
    expect((await list({ q: 'shop', limit: '1', cursor: first.nextCursor ?? '' })).runs[0]?.id).toBe(one.id);
    await expect(list({ q: 'sho', cursor: first.nextCursor ?? '' })).rejects.toMatchObject({ status: 400 });
    expect(first.runs[0]).toMatchObject({ capsuleName: 'web shop' });
  });

  test('leaves out fields that grow with the plan', async () => {
    const capsule = await seedCapsule(server);
    const planResources = [{ address: 'a.b', type: 'a', actions: ['create' as const] }];
    const run = seedPlan(server, capsule, { detail: { planResources } });
    expect((await list({ capsuleId: capsule.id })).runs[0]).not.toHaveProperty('planResources');
    expect((await server.api.getRun({ params: { runId: run.id } })).body.run.planResources).toEqual(planResources);
  });
});

describe('cancel', () => {
  test('ends a queued Run and a plan that waits for approval at once', async () => {
    const capsule = await seedCapsule(server);
    holdCapsule(server, capsule.id);
    const queued = seedRun(server, { capsuleId: capsule.id });
    const waiting = seedPlan(server, capsule, { moves: ['claim', 'requestApproval'] });
    for (const { id } of [queued, waiting]) {
      const answer = await cancel(id);
      expect([answer.status, answer.json]).toMatchObject([
        200,
        { run: { id, status: 'cancelled', finishedAt: expect.any(String) } },
      ]);
      const { auditEvents } = (await server.api.getRunEvents({ params: { runId: id } })).body;
      expect(auditEvents.at(-1)).toMatchObject({ type: 'plan.cancelled', actor: server.subject });
      expect((await cancel(id)).json).toEqual(answer.json);
    }
    const { events } = (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body;
    expect(events.filter(({ action }) => action === 'run.cancelled').map(({ targetId }) => targetId)).toEqual([
      waiting.id,
      queued.id,
    ]);
  });

  test('of an ended Run is refused', async () => {
    for (const last of ['finish', 'fail'] as const)
      expect(statusAndCode(await cancel(seedRun(server, { moves: ['claim', last] }).id))).toEqual([
        409,
        'failed_precondition',
        'run_terminal',
      ]);
    expect(statusAndCode(await cancel(seedRun(server, { moves: ['claim', 'requestApproval', 'expire'] }).id))[2]).toBe(
      'run_terminal',
    );
  });

  test('of a running apply needs `interrupt`; a running backup or restore cannot be cancelled', async () => {
    const apply = seedRun(server, { type: 'apply', moves: ['claim'] });
    expect(statusAndCode(await cancel(apply.id))).toEqual([409, 'failed_precondition', 'apply_in_progress']);
    expect(statusAndCode(await cancel(apply.id, { interrupt: false }))[2]).toBe('apply_in_progress');
    const interrupted = await cancel(apply.id, { interrupt: true });
    expect([interrupted.status, await statusOf(apply.id)]).toEqual([200, 'running']);
    const { auditEvents } = (await server.api.getRunEvents({ params: { runId: apply.id } })).body;
    expect(auditEvents.map(({ type }) => type)).toEqual(['apply.interrupt_requested']);
    const started = { backup: ['claim'], restore: ['approve', 'claim'] } as const;
    for (const type of ['backup', 'restore'] as const)
      expect(statusAndCode(await cancel(seedRun(server, { type, moves: started[type] }).id))).toEqual([
        409,
        'failed_precondition',
        'run_not_cancellable',
      ]);
  });

  test('a member cancels only its own plans and a viewer nothing, even in an archived Workspace', async () => {
    const member = await server.join('member');
    const viewer = await server.join('viewer');
    const capsule = await seedCapsule(server);
    holdCapsule(server, capsule.id);
    const own = seedRun(server, { capsuleId: capsule.id, createdBy: member.subject });
    const foreign = seedRun(server, { capsuleId: capsule.id });
    const apply = seedRun(server, { capsuleId: capsule.id, type: 'apply', createdBy: member.subject });
    const archive = (at: number | null) =>
      server.ledger((db) => db.sqlite.prepare('UPDATE workspaces SET archived_at = ?').run(at));
    archive(1);
    for (const id of [foreign.id, apply.id])
      expect(statusAndCode(await cancel(id, {}, member.token))).toEqual([403, 'forbidden']);
    expect(statusAndCode(await cancel(own.id, {}, viewer.token))).toEqual([403, 'forbidden']);
    expect((await cancel(own.id, {}, member.token)).status).toBe(200);
    archive(null);
    expect([await statusOf(own.id), await statusOf(foreign.id)]).toEqual(['cancelled', 'queued']);
  });
});

test('a plan that waited too long for a person expires, at the latest at the next server start', async () => {
  const capsule = await seedCapsule(server);
  const waiting = seedPlan(server, capsule, {
    moves: ['claim', 'requestApproval'],
    set: { planExpiresAt: clock.now() + 1_000 },
  });
  await server.restart();
  expect(await statusOf(waiting.id)).toBe('waiting_approval');
  clock.advance(1_001);
  await server.restart();
  expect(await statusOf(waiting.id)).toBe('expired');
  const { auditEvents } = (await server.api.getRunEvents({ params: { runId: waiting.id } })).body;
  expect(auditEvents.map(({ type }) => type)).toEqual(['plan.expired']);
});
