import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CapsuleRow } from '#server/domains/capsules/index';
import type { Dependency } from '#shared/dependencies/contract';
import { type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule, seedState } from '../../../test/ledger-rows.ts';
import { addWorkspace } from '../../../test/second-workspace.ts';

let server: TestServer;
/** Creates a second Workspace of the same owner. */
let other: string;
beforeAll(async () => {
  server = await startTestServer();
  other = server.ledger((db) => addWorkspace(db, [server.subject]));
});
afterAll(() => server.close());

type Refusal = { error?: { code: string; message: string; details?: { reason?: string; field?: string } } };
const statusAndCode = ({ status, json }: RawAnswer) => {
  const { code, message = '', details } = (json as Refusal).error ?? {};
  return [status, details?.reason ?? code, message.split(':')[0]];
};
const url = { url: { from: 'url', to: 'url' } };
const requestDependency = (consumerId: string, body: object) =>
  server.request('POST', `/api/v1/capsules/${consumerId}/dependencies`, body);
async function link(producer: CapsuleRow, consumer: CapsuleRow, outputs: object = url): Promise<Dependency> {
  const answer = await requestDependency(consumer.id, { producerCapsuleId: producer.id, outputs });
  expect(answer.status, answer.text).toBe(201);
  return (answer.json as { dependency: Dependency }).dependency;
}
const listOf = async (capsuleId: string) => (await server.api.listDependencies({ params: { capsuleId } })).body;
const make = (more: Partial<CapsuleRow> = {}) => seedCapsule(server, more);
const foreign = () => make({ workspaceId: other, projectId: `prj_default_${other}` });
const destroy = (id: string) =>
  server.ledger((db) => db.sqlite.prepare("UPDATE capsules SET status = 'destroyed' WHERE id = ?").run(id));

describe('a Dependency', () => {
  test('is listed on both sides and removed once', async () => {
    const [producer, consumer] = [await make(), await make()];
    const created = await link(producer, consumer);
    expect(created).toMatchObject({
      id: expect.stringMatching(/^dep_[0-9A-Z]{26}$/),
      workspaceId: server.workspaceId,
      producerCapsuleId: producer.id,
      consumerCapsuleId: consumer.id,
      mode: 'variable_injection',
      visibility: 'workspace',
      outputs: { url: { from: 'url', to: 'url', required: true } },
    });
    expect(await listOf(producer.id)).toEqual({ asProducer: [created], asConsumer: [] });
    expect(await listOf(consumer.id)).toEqual({ asProducer: [], asConsumer: [created] });
    const path = `/api/v1/dependencies/${created.id}`;
    expect((await server.request('DELETE', path)).status).toBe(204);
    expect(statusAndCode(await server.request('DELETE', path)).slice(0, 2)).toEqual([404, 'not_found']);
    expect(await listOf(consumer.id)).toEqual({ asProducer: [], asConsumer: [] });
    const { events } = (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body;
    expect(events.filter(({ targetId }) => targetId === created.id).map(({ action }) => action)).toEqual([
      'dependency.deleted',
      'dependency.created',
    ]);
  });

  test('with an invalid body is refused before any record is read', async () => {
    const capsule = await make();
    const missingId = `cap_${'0'.repeat(26)}`;
    expect(statusAndCode(await requestDependency(capsule.id, { producerCapsuleId: capsule.id, outputs: url }))).toEqual(
      [400, 'dependency_self', 'dependency_self'],
    );
    expect(statusAndCode(await requestDependency(capsule.id, { producerCapsuleId: missingId, outputs: {} }))).toEqual([
      400,
      'dependency_outputs_empty',
      'dependency_outputs_empty',
    ]);
    const twice = { a: { from: 'a', to: 'x' }, b: { from: 'b', to: 'x' } };
    for (const outputs of [twice, { a: { from: '', to: 'x' } }, { a: { from: 'a', to: '1x' } }, { a: { from: 'a' } }])
      expect(
        statusAndCode(await requestDependency(capsule.id, { producerCapsuleId: missingId, outputs })).slice(0, 2),
      ).toEqual([400, 'invalid_request']);
    expect(
      statusAndCode(await requestDependency(capsule.id, { producerCapsuleId: missingId, outputs: url })).slice(0, 2),
    ).toEqual([404, 'not_found']);
  });

  test('on a Capsule of another Workspace needs a share, and never uses its state', async () => {
    const [producer, consumer] = [await foreign(), await make()];
    const body = { producerCapsuleId: producer.id, outputs: url };
    expect(statusAndCode(await requestDependency(consumer.id, { ...body, mode: 'remote_state' }))).toEqual([
      400,
      'remote_state_cross_workspace',
      'remote_state_cross_workspace',
    ]);
    const needsShare = [409, 'output_share_required', 'output_share_required'];
    for (const more of [{}, { visibility: 'cross_workspace' }, { mode: 'published_output' }])
      expect(statusAndCode(await requestDependency(consumer.id, { ...body, ...more }))).toEqual(needsShare);
    seedState(server, producer, { generation: 1, outputs: { address: 'http://one', port: 1 } });
    const sides = { fromWorkspaceId: other, toWorkspaceId: server.workspaceId, producerCapsuleId: producer.id };
    const outputs = [{ name: 'address', alias: 'url' }];
    const { share } = (await server.api.createShare({ body: { ...sides, outputs } })).body;
    // An offer that was not accepted shares nothing.
    expect(statusAndCode(await requestDependency(consumer.id, body))).toEqual(needsShare);
    await server.api.approveShare({ params: { shareId: share.id } });
    expect(statusAndCode(await requestDependency(consumer.id, { ...body, visibility: 'workspace' }))).toEqual(
      needsShare,
    );
    const port = { port: { from: 'port', to: 'port' } };
    expect(statusAndCode(await requestDependency(consumer.id, { ...body, outputs: { ...url, ...port } }))).toEqual(
      needsShare,
    );
    const answer = await requestDependency(consumer.id, body);
    expect(answer.json).toMatchObject({ dependency: { visibility: 'cross_workspace' } });
    // The producer can see its consumers.
    expect((await listOf(producer.id)).asProducer).toHaveLength(1);
  });

  test('is refused when it closes a cycle, of any length', async () => {
    const [a, b, c] = [await make(), await make(), await make()];
    await link(a, b);
    await link(b, c);
    const cycle = [409, 'dependency_cycle', 'dependency_cycle'];
    expect(statusAndCode(await requestDependency(a.id, { producerCapsuleId: c.id, outputs: url }))).toEqual(cycle);
    expect(statusAndCode(await requestDependency(a.id, { producerCapsuleId: b.id, outputs: url }))).toEqual(cycle);
    // A destroyed Capsule passes nothing on.
    destroy(b.id);
    await link(c, a);
  });

  test('is refused for a variable that another one feeds, and for a destroyed Capsule', async () => {
    const [one, two, consumer] = [await make(), await make(), await make()];
    await link(one, consumer, { a: { from: 'a', to: 'x' } });
    expect(
      statusAndCode(
        await requestDependency(consumer.id, { producerCapsuleId: two.id, outputs: { b: { from: 'b', to: 'x' } } }),
      ),
    ).toMatchObject([409, 'already_exists', expect.any(String)]);
    await link(two, consumer, { b: { from: 'b', to: 'y' } });
    destroy(two.id);
    const body = { producerCapsuleId: two.id, outputs: url };
    expect(statusAndCode(await requestDependency(consumer.id, body))).toMatchObject([
      409,
      'capsule_destroyed',
      expect.any(String),
    ]);
    expect(statusAndCode(await requestDependency(two.id, { ...body, producerCapsuleId: one.id }))).toMatchObject([
      409,
      'capsule_destroyed',
      expect.any(String),
    ]);
  });

  test('of a destroyed consumer is not listed for its producer any more', async () => {
    const [producer, consumer] = [await make(), await make()];
    await link(producer, consumer);
    destroy(consumer.id);
    expect((await listOf(producer.id)).asProducer).toEqual([]);
  });

  test('is created once per key, and only by permitted roles', async () => {
    const [producer, consumer] = [await make(), await make()];
    const body = { producerCapsuleId: producer.id, outputs: { url: { ...url.url, required: true } } };
    const params = { capsuleId: consumer.id };
    const first = await server.api.createDependency({ params, body }, { 'idempotency-key': 'k' });
    const again = await server.api.createDependency({ params, body }, { 'idempotency-key': 'k' });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
    const member = await server.join('member');
    await expect(member.api.createDependency({ params, body })).rejects.toMatchObject({ status: 403 });
    await expect(member.api.listDependencies({ params })).resolves.toMatchObject({ status: 200 });
  });
});

test('the graph of a Workspace contains its Capsules and their Dependencies, without destroyed ones', async () => {
  const fresh = await startTestServer();
  const [a, b, gone] = [await seedCapsule(fresh), await seedCapsule(fresh), await seedCapsule(fresh)];
  const create = (producer: CapsuleRow, consumer: CapsuleRow) =>
    fresh.api.createDependency({
      params: { capsuleId: consumer.id },
      body: { producerCapsuleId: producer.id, outputs: { url: { from: 'url', to: 'url' } } },
    });
  const { dependency } = (await create(a, b)).body;
  await create(a, gone);
  fresh.ledger((db) => db.sqlite.prepare("UPDATE capsules SET status = 'destroyed' WHERE id = ?").run(gone.id));
  const { body } = await fresh.api.getGraph({ params: { workspaceId: fresh.workspaceId } });
  expect(body.nodes).toEqual(
    [a, b].map(({ id, name, environment, projectId }) => ({
      ...{ capsuleId: id, name, environment, projectId, status: 'pending' },
      ...{ hold: null, drift: null },
    })),
  );
  const { id, producerCapsuleId, consumerCapsuleId, outputs } = dependency;
  expect(body.edges).toEqual([{ id, producerCapsuleId, consumerCapsuleId, outputs }]);
  await fresh.close();
});
