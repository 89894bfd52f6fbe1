import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { interfacesApi } from '#shared/interfaces/api';
import type { BodyInputOf } from '#shared/kernel/endpoint';
import { type RawAnswer, startTestServer, type TestClient, type TestServer } from '../../../test/harness.ts';
import { seedCapsule, seedState } from '../../../test/ledger-rows.ts';
import { makeToken } from '../../../test/tokens.ts';

let server: TestServer;
let active: string;
let disabled: string;
beforeAll(async () => {
  server = await startTestServer();
  const capsules = [
    await seedCapsule(server, { status: 'active' }),
    await seedCapsule(server, { status: 'disabled', disabledFrom: 'active' }),
  ] as const;
  for (const capsule of capsules)
    seedState(server, capsule, { generation: 1, outputs: { url: 'https://notes.example.com' } });
  [active, disabled] = capsules.map(({ id }) => id) as [string, string];
});
afterAll(() => server.close());

type NewInterface = BodyInputOf<typeof interfacesApi.createInterface>;
let names = 0;
const launcher = { type: 'interface.ui.surface', version: '1' };
const create = async (more: Partial<NewInterface> = {}, spec: Partial<NewInterface['spec']> = {}): Promise<string> => {
  names += 1;
  const { workspaceId } = server;
  const access = { visibility: 'workspace' as const };
  const common = { workspaceId, name: `i${names}`, ownerRef: { kind: 'Workspace' as const, id: workspaceId } };
  const body = { ...common, spec: { ...launcher, document: {}, access, ...spec }, ...more };
  return (await server.api.createInterface({ body })).body.id;
};
const ofCapsule = (id: string) => ({ ownerRef: { kind: 'Capsule' as const, id } });
const bind = async (interfaceId: string, subject = server.subject, permission = 'ui.open', type = 'none') => {
  const subjectRef = { kind: 'Principal' as const, id: subject };
  const body = { subjectRef, permissions: ['x.y', permission], delivery: { type } };
  return (await server.api.createInterfaceBinding({ params: { interfaceId }, body })).body.metadata.id;
};
const retire = (interfaceId: string) => server.api.retireInterface({ params: { interfaceId } }, { 'if-match': '*' });
type Query = NonNullable<Parameters<TestClient['listInterfaces']>[0]['query']>;
const listIds = async (query: Omit<Query, 'workspaceId'> = {}, api = server.api) =>
  (await api.listInterfaces({ query: { workspaceId: server.workspaceId, ...query } })).body.interfaces.map(
    ({ id }) => id,
  );
const surfaces = async (capsuleId?: string, api = server.api) =>
  (
    await api.listUiSurfaces({
      params: { workspaceId: server.workspaceId },
      query: capsuleId === undefined ? {} : { capsuleId },
    })
  ).body.interfaces.map(({ id }) => id);

describe('GET /interfaces', () => {
  it('filters by type, phase and owner, and shows retired ones only on request', async () => {
    const type = 'list.test';
    const own = await create({}, { type });
    const capsule = await create(ofCapsule(disabled), { type });
    const gone = await create({}, { type });
    await retire(gone);
    expect(await listIds({ type })).toEqual([own, capsule]);
    expect(await listIds({ type, includeRetired: 'true' })).toEqual([own, capsule, gone]);
    expect(await listIds({ type, phase: 'Resolved' })).toEqual([own]);
    expect(await listIds({ type, phase: 'NotReady' })).toEqual([capsule]);
    expect(await listIds({ type, phase: 'Retired' })).toEqual([gone]);
    expect(await listIds({ type, ownerKind: 'Capsule' })).toEqual([capsule]);
    expect(await listIds({ type, ownerKind: 'Capsule', ownerId: active })).toEqual([]);
    expect(await listIds({ type, ownerId: disabled })).toEqual([capsule]);
    expect(await listIds({ type: 'list' })).toEqual([]);
  });

  it('filters by a permission of which the caller has a ready binding', async () => {
    const viewer = await server.join('viewer');
    const [mine, theirs, unready] = [await create(), await create(), await create()];
    await bind(mine, server.subject, 'own.permission');
    await bind(theirs, viewer.subject, 'own.permission');
    await bind(unready, server.subject, 'own.permission', 'workload_token');
    const permission = 'own.permission';
    expect(await listIds({ permission })).toEqual([mine]);
    expect(await listIds({ permission }, viewer.api)).toEqual([theirs]);
    expect(await listIds({ permission: 'own.perm' })).toEqual([]);
    const operator = server.as(server.operatorToken);
    const query = { workspaceId: server.workspaceId, permission };
    const { interfaces } = (await operator.listInterfacesAsOperator({ query })).body;
    expect(interfaces.map(({ id }) => id)).toEqual([mine, theirs]);
  });

  it('pages oldest first without gaps and repeats, and binds the cursor to its filter', async () => {
    const type = 'paged.test';
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push(await create({}, { type }));
    const { workspaceId } = server;
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { workspaceId, type, limit: '2', ...(cursor !== undefined && { cursor }) };
      const { interfaces, nextCursor } = (await server.api.listInterfaces({ query })).body;
      seen.push(...interfaces.map(({ id }) => id));
      cursor = nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(ids);
    const first = (await server.api.listInterfaces({ query: { workspaceId, type, limit: '2' } })).body;
    const other = `/api/v1/interfaces?workspaceId=${workspaceId}&cursor=${encodeURIComponent(first.nextCursor ?? '')}`;
    expect((await server.request('GET', other)).status).toBe(400);
  });

  it.for([
    '',
    'workspaceId=x',
    'workspaceId=WS&phase=Ready',
    'workspaceId=WS&ownerKind=Account',
    'workspaceId=WS&limit=0',
  ])('answers 400 to ?%s', async (query) => {
    const { status } = await server.request('GET', `/api/v1/interfaces?${query.replace('WS', server.workspaceId)}`);
    expect(status).toBe(400);
  });

  it('answers 404 for an unknown Workspace and 403 for a foreign one', async () => {
    const outsider = await server.join(undefined);
    const statusOf = ({ status }: RawAnswer) => status;
    expect(statusOf(await server.request('GET', `/api/v1/interfaces?workspaceId=ws_${'0'.repeat(26)}`))).toBe(404);
    const headers = { authorization: `Bearer ${outsider.token}` };
    const path = `/api/v1/interfaces?workspaceId=${server.workspaceId}`;
    expect(statusOf(await server.raw({ path, headers }))).toBe(403);
  });
});

describe('GET ui-surfaces', () => {
  it('lists the launchers of active Capsules that the account may open, for no one else', async () => {
    const id = await create(ofCapsule(active));
    expect(await surfaces(active)).toEqual([]);
    const viewer = await server.join('viewer');
    await bind(id, viewer.subject);
    expect(await surfaces(active)).toEqual([]);
    expect(await surfaces(active, viewer.api)).toEqual([id]);
    expect(await surfaces(undefined, viewer.api)).toEqual([id]);
    expect(await surfaces(disabled, viewer.api)).toEqual([]);
    await retire(id);
    expect(await surfaces(undefined, viewer.api)).toEqual([]);
  });

  it('leaves out other types, versions, permissions, deliveries and phases', async () => {
    const wanted = await create(ofCapsule(active));
    await bind(wanted);
    await bind(await create(ofCapsule(active), { type: 'mcp.server' }));
    await bind(await create(ofCapsule(active), { version: '2' }));
    await bind(await create(ofCapsule(disabled)));
    const other = await create(ofCapsule(active));
    await bind(other, server.subject, 'mcp.invoke');
    await bind(other, server.subject, 'ui.open', 'oauth2');
    expect(await surfaces(active)).toEqual([wanted]);
    expect(await surfaces(disabled)).toEqual([]);
  });

  it('stops at once when the binding is revoked', async () => {
    const interfaceId = await create(ofCapsule(active));
    const bindingId = await bind(interfaceId);
    expect(await surfaces(active)).toContain(interfaceId);
    await server.api.revokeInterfaceBinding({ params: { interfaceId, bindingId } });
    expect(await surfaces(active)).not.toContain(interfaceId);
  });

  it('shows no binding, and a PAT stands for its account', async () => {
    const id = await create(ofCapsule(active));
    const bindingId = await bind(id);
    const path = `/api/v1/workspaces/${server.workspaceId}/ui-surfaces`;
    const { text } = await server.request('GET', path);
    expect(text).not.toContain(bindingId);
    expect(text).not.toContain('permissions');
    const { token } = await makeToken(server, { scopes: ['read'] });
    expect(await surfaces(active, server.as(token))).toContain(id);
  });

  it('answers 400 to an empty Capsule, and nothing to one of another Workspace', async () => {
    const path = `/api/v1/workspaces/${server.workspaceId}/ui-surfaces`;
    expect((await server.request('GET', `${path}?capsuleId=`)).status).toBe(400);
    expect(await surfaces('cap_elsewhere')).toEqual([]);
    expect((await server.request('GET', `${path}?limit=1`)).json).toMatchObject({ nextCursor: expect.any(String) });
  });
});
