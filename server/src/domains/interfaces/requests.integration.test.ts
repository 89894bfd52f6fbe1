import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawAnswer, TestServer } from '../../../test/harness.ts';
import { startTestServer } from '../../../test/harness.ts';
import { seedCapsule } from '../../../test/ledger-rows.ts';
import { asNeighbour } from '../../../test/one-of-each.ts';
import { makeToken } from '../../../test/tokens.ts';

let server: TestServer;
let neighbour: TestServer;
/** A Capsule of this Workspace, and one of another. */
let capsuleId: string;
let foreignCapsuleId: string;
beforeAll(async () => {
  server = await startTestServer();
  neighbour = await asNeighbour(server);
  capsuleId = (await seedCapsule(server)).id;
  foreignCapsuleId = (await seedCapsule(neighbour)).id;
});
afterAll(() => server.close());

const path = '/api/v1/interfaces';
let names = 0;
type Body = Record<string, unknown>;
const access = { visibility: 'workspace' };
const plainSpec = { type: 'mcp.server', version: '2025-11-25', document: {}, access };
const endpoint = { source: 'literal', value: 'https://a.example' };
const ownerOf = ({ workspaceId }: Pick<TestServer, 'workspaceId'>) => ({ kind: 'Workspace', id: workspaceId });
const bodyWith = (more: Body = {}, spec: Body = {}): Body => {
  names += 1;
  const common = { workspaceId: server.workspaceId, name: `i${names}`, ownerRef: ownerOf(server) };
  return { ...common, spec: { ...plainSpec, ...spec }, ...more };
};
const post = (body: unknown, address = path) => server.request('POST', address, body);
const create = async (more: Body = {}, spec: Body = {}) => {
  const { status, json } = await post(bodyWith(more, spec));
  expect(status).toBe(201);
  return json as { id: string; name: string; status: { phase: string } };
};
const bindingOf = (more: Body = {}): Body => ({
  subjectRef: { kind: 'Principal', id: server.subject },
  permissions: ['ui.open'],
  delivery: { type: 'none' },
  ...more,
});
const statusAndCode = ({ status, json }: RawAnswer) => [status, (json as { error?: { code?: string } }).error?.code];
const statusAndReason = ({ status, json }: RawAnswer) => {
  const { error } = json as { error?: { code?: string; details?: { reason?: string } } };
  return [status, error?.details?.reason ?? error?.code];
};
const nested = (depth: number): unknown => Array.from({ length: depth }).reduce((inner) => [inner], 1 as unknown);
const pairs = (count: number, value: unknown = 'x') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));

describe('POST /interfaces answers 400 to', () => {
  it.for<[name: string, more: Body, spec?: Body]>([
    ['a null owner', { ownerRef: null }],
    ['no owner', { ownerRef: undefined }],
    ['an owner of an unknown kind', { ownerRef: { kind: 'Account', id: 'sub_1' } }],
    ['an owner without id', { ownerRef: { kind: 'Capsule' } }],
    ['an owner with another member', { ownerRef: { kind: 'Capsule', id: 'cap_1', name: 'x' } }],
    ['no name', { name: undefined }],
    ['a name with a space', { name: 'my notes' }],
    ['a name that starts with a digit', { name: '1st' }],
    ['a name of 129 characters', { name: 'n'.repeat(129) }],
    ['an unknown member', { status: { phase: 'Resolved' } }],
    ['33 labels', { labels: pairs(33) }],
    ['an empty label', { labels: { team: '' } }],
    ['a label of 257 characters', { labels: { team: 'x'.repeat(257) } }],
    ['a label that is a number', { labels: { team: 1 } }],
    ['a label key of 129 characters', { labels: { ['k'.repeat(129)]: 'x' } }],
    ['no spec', { spec: undefined }],
    ['a null spec', { spec: null }],
    ['no type', {}, { type: undefined }],
    ['a type with a space', {}, { type: 'a b' }],
    ['a type of 257 characters', {}, { type: 'a'.repeat(257) }],
    ['a version that is a number', {}, { version: 1 }],
    ['no document', {}, { document: undefined }],
    ['a document that is nested too deep', {}, { document: nested(33) }],
    ['a null input', {}, { inputs: { endpoint: null } }],
    ['null inputs', {}, { inputs: null }],
    ['an input without source', {}, { inputs: { endpoint: { value: 1 } } }],
    ['an input of an unknown source', {}, { inputs: { endpoint: { source: 'output', value: 1 } } }],
    ['an input called with a space', {}, { inputs: { 'my url': endpoint } }],
    ['65 inputs', {}, { inputs: pairs(65, endpoint) }],
    ['a literal without value', {}, { inputs: { endpoint: { source: 'literal' } } }],
    ['a literal that is nested too deep', {}, { inputs: { a: { source: 'literal', value: nested(33) } } }],
    ['a Capsule input without Output', {}, { inputs: { a: { source: 'capsule_output', capsuleId: 'cap_1' } } }],
    [
      'a pointer without leading slash',
      {},
      { inputs: { a: { source: 'capsule_output', capsuleId: 'cap_1', outputName: 'url', pointer: 'a' } } },
    ],
    [
      'a pointer with a wrong escape',
      {},
      { inputs: { a: { source: 'capsule_output', capsuleId: 'cap_1', outputName: 'url', pointer: '/~2' } } },
    ],
    ['no access', {}, { access: undefined }],
    ['an unknown visibility', {}, { access: { visibility: 'public' } }],
    ['a policy reference', {}, { access: { ...access, policyRef: 'p' } }],
    ['an undeclared resourceUriInput', {}, { inputs: { endpoint }, access: { ...access, resourceUriInput: 'url' } }],
    ['a resourceUriInput without inputs', {}, { access: { ...access, resourceUriInput: 'endpoint' } }],
    [
      'a resourceUriInput called like a prototype',
      {},
      { inputs: { endpoint }, access: { ...access, resourceUriInput: 'constructor' } },
    ],
  ])('%s', async ([, more, spec = {}]) => {
    const { status } = await post(bodyWith({ spec: { ...plainSpec, ...spec }, ...more }));
    expect(status).toBe(400);
  });

  it('a Workspace id that is malformed, and a body that is not JSON', async () => {
    expect((await post(bodyWith({ workspaceId: 'x' }))).status).toBe(400);
    const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
    expect((await server.raw({ method: 'POST', path, headers, body: '{' })).status).toBe(400);
  });
});

it('accepts everything at its bounds', async () => {
  const labels = Object.fromEntries(Object.entries(pairs(32)).map(([key]) => [key.padEnd(128, 'x'), 'y'.repeat(256)]));
  await create({ name: 'n'.repeat(128), labels }, { type: 't'.repeat(256), document: nested(32) });
  await create({}, { inputs: pairs(64, { source: 'literal', value: 1 }) });
});

describe('the records that a body names', () => {
  const reading = (id: string) => ({ inputs: { a: { source: 'capsule_output', capsuleId: id, outputName: 'url' } } });

  it.for<[name: string, status: number, code: string, body: () => Body]>([
    ['an unknown Workspace', 404, 'not_found', () => bodyWith({ workspaceId: `ws_${'0'.repeat(26)}` })],
    [
      'a foreign Workspace',
      403,
      'forbidden',
      () => bodyWith({ workspaceId: neighbour.workspaceId, ownerRef: ownerOf(neighbour) }),
    ],
    ['a foreign Workspace as owner', 403, 'forbidden', () => bodyWith({ ownerRef: ownerOf(neighbour) })],
    [
      'an unknown Workspace as owner',
      404,
      'not_found',
      () => bodyWith({ ownerRef: { kind: 'Workspace', id: 'ws_1' } }),
    ],
    ['an unknown Capsule as owner', 404, 'not_found', () => bodyWith({ ownerRef: { kind: 'Capsule', id: 'cap_1' } })],
    [
      'a foreign Capsule as owner',
      403,
      'forbidden',
      () => bodyWith({ ownerRef: { kind: 'Capsule', id: foreignCapsuleId } }),
    ],
    ['a Resource as owner', 404, 'not_found', () => bodyWith({ ownerRef: { kind: 'Resource', id: 'res_1' } })],
    ['an unknown Capsule as input', 404, 'not_found', () => bodyWith({}, reading('cap_1'))],
    ['a foreign Capsule as input', 403, 'forbidden', () => bodyWith({}, reading(foreignCapsuleId))],
    [
      'a Resource as input',
      404,
      'not_found',
      () => bodyWith({}, { inputs: { a: { source: 'resource_output', resourceId: 'res_1' } } }),
    ],
  ])('%s: %i', async ([, status, code, body]) => {
    expect(statusAndCode(await post(body()))).toEqual([status, code]);
  });

  it('a destroyed Capsule as owner: 409 capsule_destroyed', async () => {
    const { id } = await seedCapsule(server, { status: 'destroyed' });
    const body = bodyWith({ ownerRef: { kind: 'Capsule', id } });
    expect(statusAndReason(await post(body))).toEqual([409, 'capsule_destroyed']);
  });
});

describe('an Interface of another Workspace', () => {
  it.for(['GET', 'PATCH', 'DELETE'])('is refused with 403 for %s, and an unknown one with 404', async (method) => {
    const { id } = await create();
    const body = method === 'PATCH' ? { name: 'other' } : undefined;
    const headers = { authorization: `Bearer ${neighbour.token}`, 'content-type': 'application/json', 'if-match': '*' };
    const send = (one: string) =>
      server.raw({ method, path: `${path}/${one}`, headers, ...(body && { body: JSON.stringify(body) }) });
    expect(statusAndCode(await send(id))).toEqual([403, 'forbidden']);
    expect(statusAndCode(await send('if_none'))).toEqual([404, 'not_found']);
  });
});

describe('names', () => {
  it('are unique among the Interfaces of a Workspace that are not retired', async () => {
    const { id, name } = await create();
    expect(statusAndCode(await post(bodyWith({ name })))).toEqual([409, 'already_exists']);
    const other = await create();
    const patch = (body: unknown) => server.request('PATCH', `${path}/${other.id}`, body, { 'if-match': '*' });
    expect(statusAndCode(await patch({ name }))).toEqual([409, 'already_exists']);
    await server.request('DELETE', `${path}/${id}`, undefined, { 'if-match': '*' });
    expect((await patch({ name })).status).toBe(200);
    expect(statusAndCode(await post(bodyWith({ name })))).toEqual([409, 'already_exists']);
  });
});

describe('ETag and If-Match', () => {
  it('name generation and revision, and every answer with one record carries the tag', async () => {
    const created = await post(bodyWith());
    expect(created.headers.etag).toBe('"if-1-1"');
    const { id } = created.json as { id: string };
    const address = `${path}/${id}`;
    expect((await server.request('GET', address)).headers.etag).toBe('"if-1-1"');
    const renamed = await server.request('PATCH', address, { name: `r${names}` }, { 'if-match': '"if-1-1"' });
    expect(renamed.headers.etag).toBe('"if-2-1"');
    const conditions = [{ type: 'Reachable', status: 'true' }];
    expect((await post({ conditions }, `${address}/status`)).headers.etag).toBe('"if-2-1"');
    const changed = await server.request(
      'PATCH',
      address,
      { spec: { ...plainSpec, document: 1 } },
      { 'if-match': '*' },
    );
    expect(changed.headers.etag).toBe('"if-3-2"');
    const retired = await server.request('DELETE', address, undefined, { 'if-match': '"if-3-2"' });
    expect(retired.json).toMatchObject({ status: { phase: 'Retired' } });
  });

  it.for(['PATCH', 'DELETE'])('are required for %s: 412 when missing or stale', async (method) => {
    const { id } = await create();
    const body = method === 'PATCH' ? { labels: { a: 'b' } } : undefined;
    const send = (headers?: Record<string, string>) => server.request(method, `${path}/${id}`, body, headers);
    for (const headers of [undefined, { 'if-match': '"if-1-0"' }, { 'if-match': 'if-1-1' }, { 'if-match': '""' }])
      expect(statusAndCode(await send(headers))).toEqual([412, 'failed_precondition']);
    expect((await send({ 'if-match': '"other", "if-1-1"' })).status).toBe(200);
  });

  it('leave the record unchanged when they do not match', async () => {
    const { id } = await create();
    const before = (await server.request('GET', `${path}/${id}`)).json;
    await server.request('PATCH', `${path}/${id}`, { labels: { a: 'b' } }, { 'if-match': '"if-9-9"' });
    expect((await server.request('GET', `${path}/${id}`)).json).toEqual(before);
  });
});

describe('PATCH', () => {
  it('needs at least one field: 400 empty_patch', async () => {
    const { id } = await create();
    const answer = await server.request('PATCH', `${path}/${id}`, {}, { 'if-match': '*' });
    expect(statusAndReason(answer)).toEqual([400, 'empty_patch']);
    // The body is checked before the version.
    expect(statusAndReason(await server.request('PATCH', `${path}/${id}`, {}))).toEqual([400, 'empty_patch']);
  });

  it('cannot move the owner, and refuses a null spec', async () => {
    const { id } = await create();
    for (const body of [{ ownerRef: ownerOf(server) }, { spec: null }, { workspaceId: server.workspaceId }])
      expect((await server.request('PATCH', `${path}/${id}`, body, { 'if-match': '*' })).status).toBe(400);
  });
});

describe('a retired Interface', () => {
  it('takes no change, no condition and no binding: 409 conflict', async () => {
    const { id } = await create();
    const any = { 'if-match': '*' };
    await server.request('DELETE', `${path}/${id}`, undefined, any);
    const conflict = [409, 'conflict'];
    expect(statusAndCode(await server.request('DELETE', `${path}/${id}`, undefined, any))).toEqual(conflict);
    expect(statusAndCode(await server.request('PATCH', `${path}/${id}`, { labels: {} }, any))).toEqual(conflict);
    expect(statusAndCode(await post(bindingOf(), `${path}/${id}/bindings`))).toEqual(conflict);
    const conditions = [{ type: 'Reachable', status: 'true' }];
    expect(statusAndCode(await post({ conditions }, `${path}/${id}/status`))).toEqual(conflict);
  });
});

describe('POST status', () => {
  it('refuses the conditions of the server, malformed types, repeats and secrets with 400', async () => {
    const { id } = await create();
    const condition = { type: 'Reachable', status: 'true' };
    const many = Array.from({ length: 17 }, (_, index) => ({ type: `C${index}`, status: 'true' }));
    for (const conditions of [
      [],
      many,
      [condition, condition],
      null,
      ...[{ type: 'Resolved' }, { type: 'Ready' }, { type: 'reachable' }, { type: 'A'.repeat(65) }, { type: null }],
      ...[{ status: 'True' }, { status: true }, { message: '' }, { reason: 'two words' }, { observedGeneration: 1 }],
      ...[{ message: 'Bearer abcdefg1234' }, { reason: 'ghp_12345678' }],
    ].map((one) => (Array.isArray(one) || one === null ? one : [{ ...condition, ...one }])))
      expect((await post({ conditions }, `${path}/${id}/status`)).status, JSON.stringify(conditions)).toBe(400);
    const { json } = await server.request('GET', `${path}/${id}`);
    expect((json as { status: { conditions: unknown[] } }).status.conditions).toHaveLength(2);
  });

  it('keeps at most 16 types in all', async () => {
    const { id } = await create();
    const many = (prefix: string) =>
      Array.from({ length: 16 }, (_, index) => ({ type: `${prefix}${index}`, status: 'true' }));
    expect((await post({ conditions: many('A') }, `${path}/${id}/status`)).status).toBe(200);
    expect((await post({ conditions: many('A') }, `${path}/${id}/status`)).status).toBe(200);
    expect((await post({ conditions: many('B') }, `${path}/${id}/status`)).status).toBe(400);
  });
});

describe('POST bindings', () => {
  it.for<[name: string, body: Body]>([
    ['a null subject', { subjectRef: null }],
    ['a subject of an unknown kind', { subjectRef: { kind: 'Group', id: 'g' } }],
    ['no permissions', { permissions: [] }],
    ['17 permissions', { permissions: Object.keys(pairs(17)) }],
    ['a permission twice', { permissions: ['ui.open', 'ui.open'] }],
    ['a permission with a space', { permissions: ['ui open'] }],
    ['no delivery', { delivery: undefined }],
    ['a delivery without type', { delivery: {} }],
    ['a delivery with an unknown member', { delivery: { type: 'none', token: 'x' } }],
    ['a secret as reference', { delivery: { type: 'other', credentialRef: 'ghp_12345678' } }],
    ['a secret in the options', { delivery: { type: 'other', options: { a: ['ghp_12345678'] } } }],
    ['an option called like a secret', { delivery: { type: 'other', options: { apiKey: 'x' } } }],
    ['a secret as the key of an option', { delivery: { type: 'other', options: { ghp_12345678: 'x' } } }],
  ])('answer 400 to %s, and repeat no value', async ([, more]) => {
    const { id } = await create();
    const answer = await post(bindingOf(more), `${path}/${id}/bindings`);
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain('ghp_');
  });

  it('answer 404 to a subject that is unknown, foreign or a ServiceAccount', async () => {
    const { id } = await create();
    for (const subjectRef of [
      { kind: 'Principal', id: 'sub_none' },
      { kind: 'Principal', id: neighbour.subject },
      { kind: 'Capsule', id: 'cap_none' },
      { kind: 'Capsule', id: foreignCapsuleId },
      { kind: 'Resource', id: 'res_1' },
      { kind: 'ServiceAccount', id: 'sa_1' },
      { kind: 'ServiceAccount', id: server.subject },
    ])
      expect(statusAndCode(await post(bindingOf({ subjectRef }), `${path}/${id}/bindings`))).toEqual([
        404,
        'not_found',
      ]);
  });

  it('answer 409 to an equal live binding, and take the same for another permission, subject or delivery', async () => {
    const { id } = await create();
    const bind = (more: Body = {}) => post(bindingOf(more), `${path}/${id}/bindings`);
    expect((await bind()).status).toBe(201);
    expect(statusAndCode(await bind())).toEqual([409, 'already_exists']);
    for (const more of [
      { permissions: ['ui.edit'] },
      { subjectRef: { kind: 'Capsule', id: capsuleId } },
      { delivery: { type: 'oauth2' } },
    ])
      expect((await bind(more)).status).toBe(201);
  });

  it.for<[type: string, reason: string | undefined]>([
    ['none', undefined],
    ['oauth2', 'OAuthResourceAuthorityUnavailable'],
    ['workload_token', 'UnsupportedDelivery'],
  ])('with delivery %s are ready or say why not', async ([type, reason]) => {
    const { id } = await create({}, { inputs: { endpoint }, access: { ...access, resourceUriInput: 'endpoint' } });
    const { json } = await post(bindingOf({ delivery: { type } }), `${path}/${id}/bindings`);
    const { phase, conditions } = (json as { status: { phase: string; conditions: { reason?: string }[] } }).status;
    expect([phase, conditions[0]?.reason]).toEqual([reason === undefined ? 'Ready' : 'NotReady', reason]);
  });

  it('of another Interface answer 404', async () => {
    const [one, other] = [await create(), await create()];
    const { json } = await post(bindingOf(), `${path}/${one.id}/bindings`);
    const { id } = (json as { metadata: { id: string } }).metadata;
    for (const method of ['GET', 'DELETE'])
      expect(statusAndCode(await server.request(method, `${path}/${other.id}/bindings/${id}`))).toEqual([
        404,
        'not_found',
      ]);
    expect((await server.request('GET', `${path}/${one.id}/bindings/${id}`)).status).toBe(200);
  });
});

describe('roles and tokens', () => {
  it('a viewer reads and does not write', async () => {
    const { id } = await create();
    const viewer = await server.join('viewer');
    const as = (method: string, address: string, body?: unknown) =>
      server.raw({
        method,
        path: address,
        headers: {
          authorization: `Bearer ${viewer.token}`,
          'if-match': '*',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    for (const address of [`${path}?workspaceId=${server.workspaceId}`, `${path}/${id}`, `${path}/${id}/bindings`])
      expect((await as('GET', address)).status).toBe(200);
    for (const [method, address, body] of [
      ['POST', path, bodyWith()],
      ['PATCH', `${path}/${id}`, { labels: {} }],
      ['DELETE', `${path}/${id}`, undefined],
      ['POST', `${path}/${id}/bindings`, bindingOf()],
    ] as const)
      expect(statusAndCode(await as(method, address, body))).toEqual([403, 'forbidden']);
  });

  it('a PAT with resources:read lists and reads Interfaces of its Workspace, and nothing else', async () => {
    const { id } = await create();
    const { token } = await makeToken(server, { scopes: ['resources:read'], workspace_id: server.workspaceId });
    const as = (method: string, address: string, body?: unknown) =>
      server.raw({
        method,
        path: address,
        headers: {
          authorization: `Bearer ${token}`,
          'if-match': '*',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    expect((await as('GET', `${path}?workspaceId=${server.workspaceId}`)).status).toBe(200);
    expect((await as('GET', `${path}/${id}`)).status).toBe(200);
    expect((await as('GET', `${path}?workspaceId=${neighbour.workspaceId}`)).status).toBe(403);
    const workspace = `/api/v1/workspaces/${server.workspaceId}`;
    for (const [method, address, body] of [
      ['GET', `${path}/${id}/bindings`, undefined],
      ['GET', `${workspace}/ui-surfaces`, undefined],
      ['GET', `${workspace}/interface-materialization-failures`, undefined],
      ['GET', workspace, undefined],
      ['GET', `/api/v1/capsules/${capsuleId}`, undefined],
      ['POST', path, bodyWith()],
      ['PATCH', `${path}/${id}`, { labels: {} }],
      ['DELETE', `${path}/${id}`, undefined],
      ['POST', `${path}/${id}/bindings`, bindingOf()],
    ] as const)
      expect(statusAndCode(await as(method, address, body))).toEqual([403, 'insufficient_scope']);
  });

  it('a token of an Interface is refused without a ready binding that delivers it', async () => {
    const { id } = await create();
    expect(statusAndCode(await post({ permission: 'ui.open' }, `${path}/${id}/token`))).toEqual([403, 'forbidden']);
  });
});
