import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addGeneration, refusalIn } from '../../../test/backup-fixture.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { addLateState, seedLateState } from '../../../test/late-states.ts';
import { seedRun } from '../../../test/ledger-rows.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

type Seeded = Awaited<ReturnType<typeof seedLateState>>;
const listOf = async (capsuleId: string) =>
  (await server.api.listLateStates({ params: { capsuleId } })).body.lateStates;
const phaseOf = async ({ capsule }: Pick<Seeded, 'capsule'>) => (await listOf(capsule.id))[0]?.phase;
const post = (id: string, verb: 'adopt' | 'dismiss', body: object = {}, token = server.token) =>
  server.request('POST', `/api/v1/late-states/${id}/${verb}`, body, { authorization: `Bearer ${token}` });
const adopt = (id: string, body: object = { expectedGeneration: 2 }, token?: string) => post(id, 'adopt', body, token);
const runOf = ({ json }: Awaited<ReturnType<typeof adopt>>) => (json as { run: { id: string } }).run.id;
const currentOf = async (capsuleId: string) => (await server.api.getCapsule({ params: { capsuleId } })).body.capsule;
const contentOf = (id: string) =>
  server.ledger(({ sqlite }) => sqlite.prepare('SELECT state FROM late_states WHERE id = ?').pluck().get(id));

describe('a late state', () => {
  it('shows what differs, and becomes the next generation after its restore is approved', async () => {
    const { capsule, id, runId } = await seedLateState(server);
    expect(await listOf(capsule.id)).toEqual([
      expect.objectContaining({
        id,
        runId,
        phase: 'waiting',
        resourceCount: 2,
        currentGeneration: 2,
        isSuperseded: false,
        expiresAt: expect.any(String),
        differences: {
          added: { total: 1, addresses: ['test_thing.two'] },
          removed: { total: 0, addresses: [] },
          changed: { total: 0, addresses: [] },
        },
      }),
    ]);
    const answer = await adopt(id);
    expect(answer).toMatchObject({ status: 201, json: { lateState: { phase: 'requested' } } });
    const again = await adopt(id);
    expect([again.status, runOf(again)]).toEqual([200, runOf(answer)]);
    expect(refusalIn(await post(id, 'dismiss'))).toEqual([409, 'failed_precondition', 'late_state_ended']);
    const review = (await server.api.getRestoreReview({ params: { runId: runOf(answer) } })).body.restore;
    expect(review.origin).toEqual({ kind: 'late', runId });
    await server.api.approveRun({ params: { runId: runOf(answer) }, body: {} });
    await server.ended(runOf(answer));
    expect(await currentOf(capsule.id)).toMatchObject({ currentStateGeneration: 3, status: 'stale' });
    expect(await phaseOf({ capsule })).toBe('adopted');
    expect(contentOf(id)).toBeNull();
    expect(refusalIn(await adopt(id, { expectedGeneration: 3 }))).toEqual([200]);
    expect(refusalIn(await post(id, 'dismiss'))).toEqual([409, 'failed_precondition', 'late_state_ended']);
  });

  it('is found by its apply and its phase, however many states of other applies are newer', async () => {
    const late = await seedLateState(server);
    const { capsule } = late;
    const other = seedRun(server, { type: 'apply', capsuleId: capsule.id, moves: ['claim', 'fail'] }).id;
    const newer: string[] = [];
    for (let times = 0; times < 3; times += 1) newer.push(await addLateState(server, { capsule, runId: other }));
    const dismissed = newer.pop() ?? '';
    await post(dismissed, 'dismiss');
    const read = async (query: { runId?: string; phase?: string }) =>
      (await server.api.listLateStates({ params: { capsuleId: capsule.id }, query: { limit: '2', ...query } })).body;
    const idsOf = ({ lateStates }: Awaited<ReturnType<typeof read>>) => lateStates.map(({ id }) => id);
    expect(idsOf(await read({ runId: late.runId }))).toEqual([late.id]);
    expect(idsOf(await read({ phase: 'dismissed,expired' }))).toEqual([dismissed]);
    expect(idsOf(await read({ runId: late.runId, phase: 'requested' }))).toEqual([]);
    const first = await read({ phase: 'waiting' });
    expect(idsOf(first)).toEqual(newer.reverse());
    const page = { cursor: first.nextCursor ?? '', phase: 'waiting' };
    const params = { capsuleId: capsule.id };
    expect(idsOf((await server.api.listLateStates({ params, query: page })).body)).toEqual([late.id]);
    const { cursor } = page;
    expect((await server.request('GET', `/api/v1/capsules/${capsule.id}/late-states?cursor=${cursor}`)).status).toBe(
      400,
    );
    expect((await server.request('GET', `/api/v1/capsules/${capsule.id}/late-states?phase=open`)).status).toBe(400);
  });

  it('waits again when its restore is cancelled', async () => {
    const late = await seedLateState(server);
    const runId = runOf(await adopt(late.id));
    await server.api.cancelRun({ params: { runId }, body: {} });
    expect(await phaseOf(late)).toBe('waiting');
    expect(runOf(await adopt(late.id))).not.toBe(runId);
  });

  it('is dismissed once, which deletes its content', async () => {
    const late = await seedLateState(server);
    for (const _ of ['first', 'again'])
      expect(await post(late.id, 'dismiss')).toMatchObject({
        status: 200,
        json: { lateState: { phase: 'dismissed' } },
      });
    expect(contentOf(late.id)).toBeNull();
    expect(refusalIn(await adopt(late.id))).toEqual([409, 'failed_precondition', 'late_state_ended']);
    const { events } = (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body;
    expect(events.filter(({ targetId }) => targetId === late.id).map(({ action }) => action)).toEqual([
      'late_state.dismissed',
    ]);
  });
});

describe('the adoption of a late state', () => {
  it('is refused for another generation than the person saw', async () => {
    const { id } = await seedLateState(server);
    expect(refusalIn(await adopt(id, { expectedGeneration: 1 }))).toEqual([
      409,
      'failed_precondition',
      'state_generation_mismatch',
    ]);
  });

  it('is refused for another lineage', async () => {
    const { id } = await seedLateState(server, { lineage: 'another' });
    expect(refusalIn(await adopt(id))).toEqual([409, 'failed_precondition', 'state_lineage_mismatch']);
  });

  it('is refused while an apply of the Capsule runs', async () => {
    const { id, capsule } = await seedLateState(server);
    seedRun(server, { type: 'apply', capsuleId: capsule.id, moves: ['claim'] });
    expect(refusalIn(await adopt(id))).toEqual([409, 'failed_precondition', 'run_in_progress']);
  });

  it('requires a confirmation when the Capsule got another state since', async () => {
    const { id, capsule } = await seedLateState(server);
    await addGeneration(server, capsule, { generation: 3, resources: { one: 1, three: 1 } });
    const body = { expectedGeneration: 3 };
    expect(refusalIn(await adopt(id, body))).toEqual([409, 'failed_precondition', 'late_state_superseded']);
    expect((await listOf(capsule.id))[0]).toMatchObject({
      isSuperseded: true,
      differences: { removed: { addresses: ['test_thing.three'] } },
    });
    expect(await adopt(id, { ...body, replaceNewer: true })).toMatchObject({ status: 201 });
  });

  it('is refused for an unknown state and a body of another form', async () => {
    const { id } = await seedLateState(server);
    expect((await adopt('late_01K8Z3QF7M2XW5N9B4C6D8EQ20')).status).toBe(404);
    expect((await adopt(id, { expectedGeneration: 'two' })).status).toBe(400);
  });
});
