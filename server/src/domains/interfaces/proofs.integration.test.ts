import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HostnameProof } from '#shared/interfaces/proofs';
import { type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule } from '../../../test/ledger-rows.ts';
import { asNeighbour } from '../../../test/one-of-each.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const pathOf = (workspaceId: string) => `/internal/v1/workspaces/${workspaceId}/hostname-proofs`;
const request = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) =>
  server.raw({
    method,
    path,
    headers: { authorization: `Bearer ${server.operatorToken}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
const create = (body: object, workspaceId = server.workspaceId) => request('POST', pathOf(workspaceId), body);
const revoke = (hostname: string) => request('DELETE', `${pathOf(server.workspaceId)}/${hostname}`);
const listed = async () =>
  ((await request('GET', pathOf(server.workspaceId))).json as { hostnameProofs: HostnameProof[] }).hostnameProofs;
const workspaceOwner = () => ({ kind: 'Workspace', id: server.workspaceId });
const statusAndCode = ({ status, json }: RawAnswer) => {
  const { code, details } =
    (json as { error?: { code?: string; details?: { reason?: string; field?: string } } }).error ?? {};
  return [status, code, details?.reason ?? details?.field];
};
const actionsOf = async (hostname: string) => {
  const { events } = (await server.as(server.operatorToken).listAudit({ query: { limit: '100' } })).body;
  return events.filter(({ targetId }) => targetId === hostname).map(({ action, actorId }) => [action, actorId]);
};

describe('a hostname proof', () => {
  it('is listed and recorded in the activity until the operator revokes it', async () => {
    const hostname = 'notes.example.com';
    const { status, json } = await create({ hostname, ownerRef: workspaceOwner() });
    const { hostnameProof } = json as { hostnameProof: HostnameProof };
    expect([status, hostnameProof]).toEqual([
      201,
      { hostname, ownerRef: workspaceOwner(), createdAt: expect.any(String) },
    ]);
    expect(await listed()).toContainEqual(hostnameProof);
    expect((await revoke(hostname)).status).toBe(204);
    expect(await listed()).not.toContainEqual(hostnameProof);
    expect(statusAndCode(await revoke(hostname)).slice(0, 2)).toEqual([404, 'not_found']);
    expect(await actionsOf(hostname)).toEqual([
      ['hostname_proof.revoked', 'operator'],
      ['hostname_proof.created', 'operator'],
    ]);
  });

  it('belongs to one owner of the installation', async () => {
    const neighbour = await asNeighbour(server);
    const hostname = 'shared.example.com';
    const foreign = { kind: 'Workspace', id: neighbour.workspaceId };
    expect((await create({ hostname, ownerRef: foreign }, neighbour.workspaceId)).status).toBe(201);
    const taken = [409, 'already_exists'];
    expect(statusAndCode(await create({ hostname, ownerRef: workspaceOwner() })).slice(0, 2)).toEqual(taken);
    expect(statusAndCode(await revoke(hostname)).slice(0, 2)).toEqual([404, 'not_found']);
  });

  it('can be revoked, but not created, in an archived Workspace', async () => {
    const { api } = await asNeighbour(server);
    const body = { handle: 'proofs-archived' };
    const { id: workspaceId } = (await api.createWorkspace({ body })).body.workspace;
    const ownerRef = { kind: 'Workspace', id: workspaceId };
    const hostname = 'archived.example.com';
    await create({ hostname, ownerRef }, workspaceId);
    await api.updateWorkspace({ params: { workspaceId }, body: { archived: true } });
    expect(statusAndCode(await create({ hostname: 'other.example.com', ownerRef }, workspaceId))).toEqual([
      409,
      'failed_precondition',
      'workspace_archived',
    ]);
    expect((await request('DELETE', `${pathOf(workspaceId)}/${hostname}`)).status).toBe(204);
  });

  it('names an owner of its Workspace', async () => {
    const neighbour = await asNeighbour(server);
    const refusal = async (ownerRef: object) =>
      statusAndCode(await create({ hostname: 'owner.example.com', ownerRef })).slice(0, 2);
    expect(await refusal({ kind: 'Workspace', id: neighbour.workspaceId })).toEqual([403, 'forbidden']);
    expect(await refusal({ kind: 'Capsule', id: 'cap_01JZ8Q4T9X3V7N2M5K6H1R0D4B' })).toEqual([404, 'not_found']);
    expect(await refusal({ kind: 'Resource', id: 'res_01JZ8Q4T9X3V7N2M5K6H1R0D4B' })).toEqual([404, 'not_found']);
    const { id } = await seedCapsule(server);
    const capsule = { kind: 'Capsule', id };
    expect((await create({ hostname: 'wiki.example.com', ownerRef: capsule })).status).toBe(201);
    expect(await listed()).toContainEqual({
      hostname: 'wiki.example.com',
      ownerRef: capsule,
      createdAt: expect.any(String),
    });
  });

  it('of a destroyed Capsule ends with it, so that another owner can have the hostname', async () => {
    const { id } = await seedCapsule(server);
    const hostname = 'former.example.com';
    await create({ hostname, ownerRef: { kind: 'Capsule', id } });
    expect((await server.request('DELETE', `/api/v1/capsules/${id}`)).json).toMatchObject({ abandoned: true });
    expect((await listed()).map((one) => one.hostname)).not.toContain(hostname);
    expect((await actionsOf(hostname))[0]).toEqual(['hostname_proof.revoked', undefined]);
    expect(statusAndCode(await create({ hostname, ownerRef: { kind: 'Capsule', id } }))).toEqual([
      409,
      'failed_precondition',
      'capsule_destroyed',
    ]);
    expect((await create({ hostname, ownerRef: workspaceOwner() })).status).toBe(201);
  });

  it.each([
    ['an upper-case letter', 'Notes.example.com'],
    ['a port', 'notes.example.com:8443'],
    ['a scheme', 'https://notes.example.com'],
    ['a final dot', 'notes.example.com.'],
    ['a wildcard', '*.example.com'],
    ['an underscore', 'my_notes.example.com'],
    ['an address that a browser writes in another way', '10.1'],
    ['more than 253 characters', `${'a.'.repeat(130)}com`],
    ['nothing', ''],
  ])('is refused for a hostname with %s', async (_what, hostname) => {
    expect(statusAndCode(await create({ hostname, ownerRef: workspaceOwner() }))).toEqual([
      400,
      'invalid_request',
      '/hostname',
    ]);
  });

  it.each([
    ['a null owner', { hostname: 'a.example.com', ownerRef: null }, '/ownerRef'],
    ['an owner of an unknown kind', { hostname: 'a.example.com', ownerRef: { kind: 'Person', id: 'x' } }, '/ownerRef'],
    ['an unknown member', { hostname: 'a.example.com', ownerRef: { kind: 'Workspace', id: 'x' }, extra: 1 }, ''],
  ])('is refused for %s', async (_what, body, field) => {
    const [status, code, at] = statusAndCode(await create(body));
    expect([status, code]).toEqual([400, 'invalid_request']);
    expect(String(at)).toContain(field);
  });

  it('of an unknown Workspace is 404', async () => {
    expect((await create({ hostname: 'a.example.com', ownerRef: workspaceOwner() }, 'ws_none')).status).toBe(404);
    expect((await request('GET', pathOf('ws_none'))).status).toBe(404);
  });

  it('is known only to the operator', async () => {
    const path = pathOf(server.workspaceId);
    expect(statusAndCode(await server.request('GET', path)).slice(0, 2)).toEqual([401, 'unauthenticated']);
  });
});
