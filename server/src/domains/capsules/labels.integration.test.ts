import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule } from '../../../test/ledger-rows.ts';
import { makeToken } from '../../../test/tokens.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const patch = (id: string, body: unknown, token = server.token) =>
  server.request('PATCH', `/api/v1/capsules/${id}`, body, { authorization: `Bearer ${token}` });
const codeOf = ({ status, json }: RawAnswer) => [
  status,
  (json as { error?: { code: string; details?: { reason?: string } } } | undefined)?.error?.details?.reason ??
    (json as { error?: { code: string } } | undefined)?.error?.code,
];
const namesWith = async (query: object) =>
  (await server.api.listCapsules({ params: { workspaceId: server.workspaceId }, query })).body.capsules.map(
    ({ id }) => id,
  );

describe('labels', () => {
  it('are sorted without repeats, found by the list, recorded once, and removed', async () => {
    const [one, other] = [await seedCapsule(server), await seedCapsule(server)];
    for (const labels of [
      ['team/web', 'eu-1', 'team/web'],
      ['eu-1', 'team/web'],
    ])
      expect((await patch(one.id, { labels })).json).toMatchObject({ capsule: { labels: ['eu-1', 'team/web'] } });
    await patch(other.id, { labels: ['eu-1'] });
    expect(await namesWith({ label: 'team/web' })).toEqual([one.id]);
    expect((await namesWith({ label: 'eu-1' })).sort()).toEqual([one.id, other.id].sort());
    expect(await namesWith({ label: 'eu' })).toEqual([]);
    expect(await namesWith({ sourceId: one.sourceId })).toContain(one.id);
    expect((await patch(one.id, { labels: [] })).json).not.toHaveProperty('capsule.labels');
    const { events } = (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body;
    expect(
      events.filter(({ targetId }) => targetId === one.id).map(({ action, metadata }) => [action, metadata]),
    ).toEqual([
      ['capsule.labels_changed', { labels: [] }],
      ['capsule.labels_changed', { labels: ['eu-1', 'team/web'] }],
    ]);
  });

  it('refuse other characters, too many, and a member', async () => {
    const { id } = await seedCapsule(server);
    for (const labels of [['Team'], ['-a'], ['a-'], [''], ['a b'], ['x'.repeat(41)], Array(17).fill('a')])
      expect([labels, (await patch(id, { labels })).status]).toEqual([labels, 400]);
    const member = await server.join('member');
    expect((await patch(id, { labels: ['a'] }, member.token)).status).toBe(403);
  });
});

describe('favorites', () => {
  const change = (method: 'PUT' | 'DELETE', id: string, token = server.token) =>
    server.request(method, `/api/v1/capsules/${id}/favorite`, undefined, { authorization: `Bearer ${token}` });
  const listOf = async (api = server.api) =>
    (await api.listFavorites({ params: { workspaceId: server.workspaceId } })).body.capsules.map(({ id }) => id);

  it('belong to one account, oldest first, whatever its role', async () => {
    const [one, two] = [await seedCapsule(server), await seedCapsule(server)];
    const viewer = await server.join('viewer');
    for (const id of [two.id, one.id, two.id]) expect((await change('PUT', id)).status).toBe(204);
    expect((await change('PUT', one.id, viewer.token)).status).toBe(204);
    expect((await listOf()).sort()).toEqual([one.id, two.id].sort());
    expect(await listOf(viewer.api)).toEqual([one.id]);
    for (let times = 0; times < 2; times += 1) expect((await change('DELETE', two.id)).status).toBe(204);
    expect(await listOf()).toEqual([one.id]);
  });

  it('are changed by no token, and end at 100', async () => {
    const { id, workspaceId } = await seedCapsule(server);
    const { token } = await makeToken(server, { subject: server.subject, scopes: ['write'] });
    expect(codeOf(await change('PUT', id, token))).toEqual([403, 'insufficient_scope']);
    const reading = await makeToken(server, { subject: server.subject, scopes: ['read'] });
    expect(codeOf(await change('PUT', id, reading.token))).toEqual([403, 'forbidden']);
    const { subject, token: session } = await server.join('viewer');
    for (let at = 0; at < 100; at += 1) {
      const { id: capsuleId } = await seedCapsule(server);
      server.ledger(({ sqlite }) =>
        sqlite.prepare('INSERT INTO capsule_favorites VALUES (?, ?, ?, 1)').run(subject, capsuleId, workspaceId),
      );
    }
    expect(codeOf(await change('PUT', id, session))).toEqual([409, 'favorites_full']);
  });
});
