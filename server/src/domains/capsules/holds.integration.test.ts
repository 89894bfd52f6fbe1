import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { digestOf } from '#server/kernel/digest';
import { writeFakeTool } from '../../../test/fake-tool.ts';
import { heldClock, type RawAnswer, startTestServer, type TestServer, tempDir } from '../../../test/harness.ts';
import { seedCapsule, seedPlan } from '../../../test/ledger-rows.ts';

let server: TestServer;
const clock = heldClock(Date.now());
const toolDir = tempDir();
beforeAll(async () => {
  server = await startTestServer({ clock, env: { GROUNDCTL_TOOL_PATH: writeFakeTool(toolDir) } });
});
afterAll(async () => {
  await server.close();
  fs.rmSync(toolDir, { recursive: true });
});

const hold = (id: string, body: unknown) => server.request('PUT', `/api/v1/capsules/${id}/hold`, body);
const release = (id: string) => server.request('DELETE', `/api/v1/capsules/${id}/hold`);
const holdOf = async (id: string) => (await server.api.getCapsule({ params: { capsuleId: id } })).body.capsule.hold;
const inMs = (ms: number) => new Date(clock.now() + ms).toISOString();
const refusalOf = ({ status, json }: RawAnswer) => {
  const { details, message } = (json as { error: { details?: { reason?: string }; message: string } }).error;
  return [status, details?.reason, message];
};
const activityOf = async (id: string) =>
  (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body.events
    .filter(({ targetId }) => targetId === id)
    .map(({ action, metadata, actorId }) => [action, metadata, actorId])
    .reverse();

describe('a hold', () => {
  test('is set, changed and released, each recorded once and without its reason', async () => {
    const { id } = await seedCapsule(server);
    expect(await holdOf(id)).toBeNull();
    const until = inMs(60_000);
    for (const reason of ['Freeze of the release', '  Freeze of the release '])
      expect((await hold(id, { reason })).json).toMatchObject({
        capsule: { hold: { reason: 'Freeze of the release', heldBy: server.subject, heldAt: inMs(0) } },
      });
    expect((await hold(id, { reason: 'Other', until })).json).toMatchObject({ capsule: { hold: { until } } });
    const { capsules } = (
      await server.api.listCapsules({ params: { workspaceId: server.workspaceId }, query: { limit: '100' } })
    ).body;
    expect(capsules.find((one) => one.id === id)?.hold).toMatchObject({ reason: 'Other', until });
    for (const _ of [1, 2]) expect((await release(id)).json).toMatchObject({ capsule: { hold: null } });
    expect(await activityOf(id)).toEqual([
      ['capsule.held', {}, server.subject],
      ['capsule.held', { until }, server.subject],
      ['capsule.hold_released', {}, server.subject],
    ]);
  });

  test.each([
    ['no reason', {}, [400, undefined]],
    ['an empty reason', { reason: '  ' }, [400, undefined]],
    ['a long reason', { reason: 'x'.repeat(501) }, [400, undefined]],
    ['a reason with a credential', { reason: 'password=hunter22' }, [400, 'secret_like_value']],
    ['an end that has passed', { reason: 'x', until: '2020-01-01T00:00:00.000Z' }, [400, 'hold_end_invalid']],
    ['an end that is not a time', { reason: 'x', until: 'tomorrow' }, [400, undefined]],
    ['an unknown field', { reason: 'x', owner: 'y' }, [400, undefined]],
  ])('is refused with %s', async (_, body, answer) => {
    const { id } = await seedCapsule(server);
    expect(refusalOf(await hold(id, body)).slice(0, 2)).toEqual(answer);
    expect(await holdOf(id)).toBeNull();
  });

  test('is refused for a destroyed Capsule, and belongs to owners and admins', async () => {
    const gone = await seedCapsule(server, { status: 'destroyed' });
    expect(refusalOf(await hold(gone.id, { reason: 'x' })).slice(0, 2)).toEqual([409, 'capsule_destroyed']);
    const { id: capsuleId } = await seedCapsule(server);
    const params = { capsuleId };
    for (const role of ['member', 'viewer'] as const) {
      const { api } = await server.join(role);
      await expect(api.holdCapsule({ params, body: { reason: 'x' } })).rejects.toMatchObject({ status: 403 });
      await expect(api.releaseCapsule({ params })).rejects.toMatchObject({ status: 403 });
    }
    const admin = await server.join('admin');
    await admin.api.holdCapsule({ params, body: { reason: 'x' } });
    const viewer = await server.join('viewer');
    expect((await viewer.api.getCapsule({ params })).body.capsule.hold?.heldBy).toBe(admin.subject);
  });

  test('ends in time, also while the server is stopped, and is recorded once', async () => {
    const { id } = await seedCapsule(server);
    await hold(id, { reason: 'Until the weekend', until: inMs(60_000) });
    await server.restart();
    expect(await holdOf(id)).not.toBeNull();
    clock.advance(60_000);
    // Over at its end, even before the timer of the server has cleared it.
    expect(await holdOf(id)).toBeNull();
    await server.restart();
    await server.restart();
    expect(await activityOf(id)).toMatchObject([
      ['capsule.held', {}, server.subject],
      ['capsule.hold_released', { reason: 'hold_ended' }, undefined],
    ]);
  });
});

describe('a held Capsule', () => {
  test('refuses the approval and every way to apply, with the reason made visible', async () => {
    const capsule = await seedCapsule(server);
    const plan = seedPlan(server, capsule);
    const waiting = seedPlan(server, await seedCapsule(server), { moves: ['claim', 'requestApproval'] });
    for (const id of [capsule.id, waiting.capsuleId ?? '']) await hold(id, { reason: 'Ask Ada\u202e first' });
    const operator = { authorization: `Bearer ${server.operatorToken}` };
    const requests: [string, object][] = [
      [`/api/v1/runs/${waiting.id}/approve`, {}],
      [`/api/v1/runs/${plan.id}/apply`, {}],
    ];
    const message =
      'This Capsule is held, so nothing is applied. An owner or admin can release it. Reason: "Ask Ada\\u{202e} first".';
    for (const [path, body] of requests)
      expect(refusalOf(await server.request('POST', path, body))).toEqual([409, 'capsule_held', message]);
    const body = { planRunId: plan.id, planDigest: digestOf('plan') };
    const asOperator = [
      await server.request('POST', `/internal/v1/runs/${waiting.id}/approve`, {}, operator),
      await server.request('POST', '/internal/v1/runs', body, operator),
    ];
    for (const answer of asOperator) expect(refusalOf(answer)).toEqual([409, 'capsule_held', message]);
    await release(capsule.id);
    expect((await server.request('POST', `/api/v1/runs/${plan.id}/apply`, {})).status).toBe(201);
  });
});
