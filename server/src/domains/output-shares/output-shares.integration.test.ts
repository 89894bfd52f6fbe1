import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CapsuleRow } from '#server/domains/capsules/index';
import type { OutputShare } from '#shared/output-shares/contract';
import { type RawAnswer, startTestServer, type TestClient, type TestServer } from '../../../test/harness.ts';
import { seedCapsule, seedState } from '../../../test/ledger-rows.ts';
import { addWorkspace } from '../../../test/second-workspace.ts';

let server: TestServer;
/** Another Workspace, whose owner is not a member of the first one. */
let other: string;
let taker: { subject: string; api: TestClient };
let producer: CapsuleRow;
beforeAll(async () => {
  server = await startTestServer();
  taker = await server.join(undefined);
  other = server.ledger((db) => addWorkspace(db, [taker.subject]));
  producer = await seedCapsule(server);
  seedState(server, producer, { generation: 1, outputs: { url: 'http://one', port: 8080, tags: ['a'] } });
});
afterAll(() => server.close());

const statusAndCode = ({ status, json }: RawAnswer) => {
  const { error } = json as { error?: { code: string; details?: { reason?: string; field?: string } } };
  return [status, error?.details?.reason ?? error?.code, error?.details?.field];
};
const bodyOf = (more: object = {}) => ({
  fromWorkspaceId: server.workspaceId,
  toWorkspaceId: other,
  producerCapsuleId: producer.id,
  outputs: [{ name: 'url', alias: 'address' }, { name: 'port' }, { name: 'tags' }],
  ...more,
});
const request = (more: object = {}) => server.request('POST', '/api/v1/output-shares', bodyOf(more));
const offer = async (): Promise<OutputShare> => (await server.api.createShare({ body: bodyOf() })).body.share;
const shareIds = async (api: TestClient, workspaceId: string) =>
  (await api.listShares({ query: { workspaceId } })).body.shares.map(({ id }) => id);

describe('an OutputShare', () => {
  test('is offered, accepted by the other Workspace, and revoked; repeats return the same record', async () => {
    const share = await offer();
    expect(share).toMatchObject({
      id: expect.stringMatching(/^oshare_/),
      fromWorkspaceId: server.workspaceId,
      toWorkspaceId: other,
      producerCapsuleId: producer.id,
      status: 'pending',
      outputs: [
        { name: 'url', alias: 'address', type: 'string', sensitive: false },
        { name: 'port', type: 'number', sensitive: false },
        { name: 'tags', type: 'json', sensitive: false },
      ],
    });
    expect(JSON.stringify(share)).not.toContain('http://one');
    const params = { shareId: share.id };
    const accepted = (await taker.api.approveShare({ params })).body.share;
    expect(accepted).toMatchObject({ status: 'active', acceptedAt: expect.any(String) });
    expect((await taker.api.approveShare({ params })).body.share).toEqual(accepted);
    const revoked = (await server.api.revokeShare({ params })).body.share;
    expect(revoked).toMatchObject({
      status: 'revoked',
      acceptedAt: accepted.acceptedAt,
      revokedAt: expect.any(String),
    });
    expect((await server.api.revokeShare({ params })).body.share).toEqual(revoked);
    await expect(taker.api.approveShare({ params })).rejects.toMatchObject({
      status: 409,
      details: { reason: 'share_revoked' },
    });
  });

  test('is accepted only by its receiver and revoked only by its giver', async () => {
    const params = { shareId: (await offer()).id };
    await expect(server.api.approveShare({ params })).rejects.toMatchObject({ status: 403, code: 'forbidden' });
    await expect(taker.api.revokeShare({ params })).rejects.toMatchObject({ status: 403, code: 'forbidden' });
    const member = await server.join('member');
    await expect(member.api.revokeShare({ params })).rejects.toMatchObject({ status: 403 });
    await expect(member.api.createShare({ body: bodyOf() })).rejects.toMatchObject({ status: 403 });
  });

  test('is visible only to the two Workspaces', async () => {
    const { id } = await offer();
    expect(await shareIds(server.api, server.workspaceId)).toContain(id);
    expect(await shareIds(taker.api, other)).toContain(id);
    const outsider = await server.join(undefined);
    await expect(shareIds(outsider.api, other)).rejects.toMatchObject({ status: 403 });
  });

  test('names at least one Output of the current state', async () => {
    expect(statusAndCode(await request({ outputs: [] }))).toEqual([400, 'share_outputs_empty', '/outputs']);
    const none = await seedCapsule(server);
    expect(statusAndCode(await request({ producerCapsuleId: none.id }))).toEqual([
      400,
      'share_output_unknown',
      '/outputs/0/name',
    ]);
    const twice = [{ name: 'url', alias: 'port' }, { name: 'port' }];
    for (const outputs of [twice, [{ name: 'a b' }], [{ name: 'url', alias: '' }]])
      expect(statusAndCode(await request({ outputs })).slice(0, 2)).toEqual([400, 'invalid_request']);
  });

  test('gives a sensitive Output only with a reason, which the trail keeps', async () => {
    const outputs = [{ name: 'url' }, { name: 'port', sensitive: true }];
    expect(statusAndCode(await request({ outputs }))).toEqual([400, 'share_output_sensitive', '/outputs/1']);
    const secret = { allow: true, reason: `ghp_${'a1B2'.repeat(9)}` };
    expect(statusAndCode(await request({ outputs, sensitivePolicy: secret }))[1]).toBe('secret_like_value');
    for (const policy of [{ allow: true }, { allow: false, reason: 'x' }])
      expect(statusAndCode(await request({ outputs, sensitivePolicy: policy }))[1]).toBe('invalid_request');
    const answer = await request({ outputs, sensitivePolicy: { allow: true, reason: 'they run the proxy' } });
    const { share } = answer.json as { share: OutputShare };
    expect(share.outputs.map(({ sensitive }) => sensitive)).toEqual([false, true]);
    const { events } = (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body;
    expect(events.find(({ targetId }) => targetId === share.id)).toMatchObject({
      action: 'output_share.created',
      metadata: { sensitiveReason: 'they run the proxy', outputs: ['url', 'port'] },
    });
  });

  test('is offered by the Workspace that owns the Capsule, to one that exists', async () => {
    const nowhere = `ws_${'0'.repeat(26)}`;
    expect(statusAndCode(await request({ toWorkspaceId: nowhere }))[0]).toBe(404);
    expect(statusAndCode(await request({ fromWorkspaceId: nowhere }))[0]).toBe(404);
    expect(statusAndCode(await request({ fromWorkspaceId: other }))).toEqual([403, 'forbidden', undefined]);
    const foreign = await seedCapsule(server, { workspaceId: other, projectId: `prj_default_${other}` });
    expect(statusAndCode(await request({ producerCapsuleId: foreign.id }))).toEqual([403, 'forbidden', undefined]);
    expect(statusAndCode(await request({ producerCapsuleId: `cap_${'0'.repeat(26)}` }))[0]).toBe(404);
    const gone = await seedCapsule(server, { status: 'destroyed' });
    expect(statusAndCode(await request({ producerCapsuleId: gone.id }))).toEqual([409, 'capsule_destroyed', undefined]);
  });

  test('can be revoked in an archived Workspace, which accepts and offers nothing', async () => {
    const { id } = await offer();
    const archive = (at: number | null, workspaceId: string) =>
      server.ledger((db) =>
        db.sqlite.prepare('UPDATE workspaces SET archived_at = ? WHERE id = ?').run(at, workspaceId),
      );
    archive(1, other);
    await expect(taker.api.approveShare({ params: { shareId: id } })).rejects.toMatchObject({
      details: { reason: 'workspace_archived' },
    });
    archive(null, other);
    archive(1, server.workspaceId);
    expect(statusAndCode(await request())[1]).toBe('workspace_archived');
    expect((await server.api.revokeShare({ params: { shareId: id } })).body.share.status).toBe('revoked');
    archive(null, server.workspaceId);
  });

  test('is listed page by page, oldest first', async () => {
    const fresh = server.ledger((db) => addWorkspace(db, [server.subject]));
    const createdIds: string[] = [];
    for (let count = 0; count < 3; count += 1)
      createdIds.push((await server.api.createShare({ body: { ...bodyOf(), toWorkspaceId: fresh } })).body.share.id);
    const query = { workspaceId: fresh, limit: '2' };
    const first = (await server.api.listShares({ query })).body;
    const second = (await server.api.listShares({ query: { ...query, cursor: first.nextCursor ?? '' } })).body;
    expect([...first.shares, ...second.shares].map(({ id }) => id)).toEqual(createdIds);
    expect(second.nextCursor).toBeUndefined();
  });
});
