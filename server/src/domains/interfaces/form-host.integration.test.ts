import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Interface } from '#shared/interfaces/contract';
import {
  changing,
  creating,
  type FormHostFixture,
  nativeDirOf,
  resourceIn,
  startFormHost,
  statusOf,
} from '../../../test/form-host.ts';
import { formPackage } from '../../../test/form-package.ts';
import { packageLauncher } from '../../../test/interface-blueprints.ts';
import { asNeighbour } from '../../../test/one-of-each.ts';
import { makeToken } from '../../../test/tokens.ts';

const desiredSchema = { type: 'object', properties: { url: { type: 'string' } } };
const [url, otherUrl] = ['https://notes.example.com/', 'https://other.example.com/'];

let f: FormHostFixture;
beforeAll(async () => {
  f = await startFormHost({ packages: [formPackage({ desiredSchema, interfaces: [packageLauncher()] })] });
});
afterAll(() => f.server.close());

/** Creates a Resource with an address; returns its id. */
async function create(name: string): Promise<string> {
  const answer = await f.apply({ name, spec: { url } });
  expect(answer.status).toBe(200);
  return resourceIn(answer).status?.output.id ?? '';
}
const owned = async (ownerId: string, more: { includeRetired?: 'true' } = {}): Promise<Interface[]> => {
  const query = { workspaceId: f.server.workspaceId, ownerKind: 'Resource' as const, ownerId, ...more };
  return (await f.server.api.listInterfaces({ query })).body.interfaces;
};
const read = async (interfaceId: string): Promise<Interface> =>
  (await f.server.api.getInterface({ params: { interfaceId } })).body;
const bindings = async (interfaceId: string) =>
  (await f.server.api.listInterfaceBindings({ params: { interfaceId } })).body.bindings;
const bodyWith = (name: string, input: object, ownerRef?: object) => ({
  workspaceId: f.server.workspaceId,
  name,
  ownerRef: ownerRef ?? { kind: 'Workspace', id: f.server.workspaceId },
  spec: {
    type: 'interface.ui.surface',
    version: '1',
    document: {},
    inputs: { endpoint: input },
    access: { visibility: 'workspace', resourceUriInput: 'endpoint' },
  },
});
const post = (body: object) => f.server.request('POST', '/api/v1/interfaces', body);
const ofResource = (resourceId: string) => ({ source: 'resource_output', resourceId, outputName: 'url' });

describe('a Resource that is applied', () => {
  it('has a ready launcher when the request answers, which the caller may open', async () => {
    const [launcher] = await owned(await create('ready'));
    expect(launcher).toMatchObject({ name: 'ready-app', status: { phase: 'Resolved', resourceUri: url } });
    expect(launcher?.metadata).not.toHaveProperty('materializedFrom');
    const { interfaces } = (
      await f.server.api.listUiSurfaces({ params: { workspaceId: f.server.workspaceId }, query: {} })
    ).body;
    expect(interfaces.map(({ id, launcherOwner }) => [id, launcherOwner])).toEqual([[launcher?.id, undefined]]);
    expect((await bindings(launcher?.id ?? '')).map(({ metadata }) => metadata.materializedFrom)).toEqual([undefined]);
  });

  it('moves what reads it at the next apply, and after the native object was lost and refreshed', async () => {
    const id = await create('moving');
    const reader = (await post(bodyWith('reads-moving', ofResource(id)))).json as Interface;
    expect(reader.status).toMatchObject({ phase: 'Resolved', resolvedRevision: 1 });
    await f.apply({ name: 'moving', spec: { url: otherUrl } }, changing(1));
    for (const one of [await read(reader.id), (await owned(id))[0]])
      expect(one?.status).toMatchObject({
        phase: 'Resolved',
        resolvedRevision: 2,
        resourceUri: otherUrl,
        provenance: { endpoint: { source: 'resource_output', resourceId: id, resourceGeneration: 2 } },
      });
    const native = nativeDirOf(f.dataDir);
    for (const file of readdirSync(native)) rmSync(path.join(native, file));
    await f.look('moving', 'refresh', changing(2));
    expect((await read(reader.id)).status).toMatchObject({
      phase: 'NotReady',
      conditions: [{ reason: 'InvalidResolvedInputs' }, {}],
    });
    await f.apply({ name: 'moving', spec: { url } }, changing(2));
    expect((await read(reader.id)).status).toMatchObject({ phase: 'Resolved', resourceUri: url });
  });

  it('stays published after a restart', async () => {
    const id = await create('restarted');
    const [before] = await owned(id);
    await f.server.restart();
    await f.apply({ name: 'restarted', spec: { url } }, changing(1));
    expect((await owned(id)).map((one) => [one.id, one.status.resolvedRevision])).toEqual([[before?.id, 1]]);
  });
});

it('ends its Interfaces, its bindings and the values of readers when it is deleted', async () => {
  const id = await create('deleted');
  const reader = (await post(bodyWith('reads-deleted', ofResource(id)))).json as Interface;
  const body = { subjectRef: { kind: 'Resource' as const, id }, permissions: ['ui.open'], delivery: { type: 'none' } };
  await f.server.api.createInterfaceBinding({ params: { interfaceId: reader.id }, body });
  expect((await f.remove('deleted', changing(1))).status).toBe(204);
  expect((await owned(id, { includeRetired: 'true' })).map(({ status }) => status.phase)).toEqual(['Retired']);
  expect((await read(reader.id)).status).toMatchObject({ phase: 'NotReady' });
  expect((await bindings(reader.id)).map(({ status }) => status.phase)).toEqual(['Revoked']);
  const again = await post(bodyWith('owned-by-deleted', { source: 'literal', value: url }, { kind: 'Resource', id }));
  expect(statusOf(again)).toEqual([404, 'not_found']);
});

it('answers 409 interface_identity_ambiguous to a taken name, and writes neither Resource nor native object', async () => {
  const body = f.desired({ name: 'taken', spec: { url } });
  const headers = creating();
  const { review } = (await f.preview(body, headers)).json as { review: { planDigest: string } };
  expect((await post(bodyWith('taken-app', { source: 'literal', value: url }))).status).toBe(201);
  const count = () => (existsSync(nativeDirOf(f.dataDir)) ? readdirSync(nativeDirOf(f.dataDir)).length : 0);
  const before = count();
  for (const refused of [
    await f.preview(body, headers),
    await f.put({ ...body, review: { planDigest: review.planDigest } }, headers),
  ])
    expect(statusOf(refused)).toEqual([409, 'interface_identity_ambiguous']);
  expect(count()).toBe(before);
  expect(statusOf(await f.read('taken'))).toEqual([404, 'resource_not_found']);
});

it('answers 403 to an owner or a source of another Workspace, and 404 to a subject of one', async () => {
  const id = await create('foreign');
  const neighbour = await asNeighbour(f.server);
  const foreign = { workspaceId: neighbour.workspaceId };
  const own = { kind: 'Workspace', id: neighbour.workspaceId };
  const send = (body: object) => neighbour.request('POST', '/api/v1/interfaces', { ...body, ...foreign });
  const literal = { source: 'literal', value: url };
  expect(statusOf(await send(bodyWith('a', literal, { kind: 'Resource', id })))).toEqual([403, 'forbidden']);
  expect(statusOf(await send(bodyWith('b', ofResource(id), own)))).toEqual([403, 'forbidden']);
  const { json } = await send(bodyWith('c', literal, own));
  const subject = { subjectRef: { kind: 'Resource', id }, permissions: ['ui.open'], delivery: { type: 'none' } };
  const bound = await neighbour.request('POST', `/api/v1/interfaces/${(json as Interface).id}/bindings`, subject);
  expect(statusOf(bound)).toEqual([404, 'not_found']);
});

it('is read with its Interfaces by a token with the scope resources:read, which writes nothing', async () => {
  const id = await create('scoped');
  const { token } = await makeToken(f.server, { scopes: ['resources:read'], workspace_id: f.server.workspaceId });
  const headers = { authorization: `Bearer ${token}` };
  const get = (address: string) => f.server.raw({ method: 'GET', path: address, headers });
  const [launcher] = await owned(id);
  expect((await get(f.at('scoped') + f.queryOf())).status).toBe(200);
  expect((await get(`/api/v1/interfaces/${launcher?.id}`)).status).toBe(200);
  expect((await get(`/api/v1/interfaces/${launcher?.id}/bindings`)).status).toBe(403);
  const removed = await f.server.raw({
    method: 'DELETE',
    path: f.at('scoped') + f.queryOf(),
    headers: { ...headers, ...changing(1) },
  });
  expect(statusOf(removed)).toEqual([403, 'permission_denied']);
});
