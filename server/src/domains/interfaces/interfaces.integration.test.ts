import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { interfacesApi } from '#shared/interfaces/api';
import type { BodyInputOf } from '#shared/kernel/endpoint';
import { type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

type NewInterface = BodyInputOf<typeof interfacesApi.createInterface>;
let names = 0;
const bodyOf = (more: Partial<NewInterface> = {}): NewInterface => {
  names += 1;
  return {
    workspaceId: server.workspaceId,
    name: `Notes${names}`,
    ownerRef: { kind: 'Workspace', id: server.workspaceId },
    spec: {
      type: 'interface.ui.surface',
      version: '1',
      document: { title: 'Notes' },
      inputs: { endpoint: { source: 'literal', value: 'https://Notes.example.com:443/a?b#c' } },
      access: { visibility: 'workspace', resourceUriInput: 'endpoint' },
    },
    ...more,
  };
};
const create = async (more: Partial<NewInterface> = {}) =>
  (await server.api.createInterface({ body: bodyOf(more) })).body;
const statusAndCode = ({ status, json }: RawAnswer) => [status, (json as { error?: { code?: string } }).error?.code];

describe('an Interface with literal inputs', () => {
  it('is resolved at once, with the canonical resource URI and where its value comes from', async () => {
    const { status, metadata } = await create();
    expect(metadata.generation).toBe(1);
    expect(status).toMatchObject({
      phase: 'Resolved',
      resolvedRevision: 1,
      resolvedInputs: { endpoint: 'https://Notes.example.com:443/a?b#c' },
      resourceUri: 'https://notes.example.com/a',
      provenance: { endpoint: { source: 'literal', specGeneration: 1 } },
    });
  });

  it('is opened by the account that has a ready binding, and by no other', async () => {
    const { id } = await create();
    const { workspaceId, subject } = server;
    const body = {
      subjectRef: { kind: 'Principal' as const, id: subject },
      permissions: ['ui.open'],
      delivery: { type: 'none' },
    };
    const binding = (await server.api.createInterfaceBinding({ params: { interfaceId: id }, body })).body;
    expect(binding.status.phase).toBe('Ready');
    const listOf = async ({ api }: Pick<TestServer, 'api'>) =>
      (await api.listUiSurfaces({ params: { workspaceId } })).body.interfaces.map((one) => one.id);
    expect(await listOf(server)).toContain(id);
    expect(await listOf(await server.join('viewer'))).not.toContain(id);
  });

  it('changes only for a caller that has read its version, and rises in generation and revision', async () => {
    const { id, spec } = await create();
    const path = `/api/v1/interfaces/${id}`;
    const { headers } = await server.request('GET', path);
    const change = { spec: { ...spec, document: { title: 'Shop' } } };
    expect(statusAndCode(await server.request('PATCH', path, change))).toEqual([412, 'failed_precondition']);
    const matching = { 'if-match': String(headers.etag) };
    const changed = await server.request('PATCH', path, change, matching);
    expect(changed.json).toMatchObject({ metadata: { generation: 2 }, status: { resolvedRevision: 2 } });
    expect(statusAndCode(await server.request('PATCH', path, change, matching))).toEqual([412, 'failed_precondition']);
  });

  it('frees its name and revokes its bindings when it is retired', async () => {
    const { id, name } = await create();
    const params = { interfaceId: id };
    const body = {
      subjectRef: { kind: 'Principal' as const, id: server.subject },
      permissions: ['ui.open'],
      delivery: { type: 'none' },
    };
    await server.api.createInterfaceBinding({ params, body });
    const retired = (await server.api.retireInterface({ params }, { 'if-match': '*' })).body;
    expect(retired.status.phase).toBe('Retired');
    const { bindings } = (await server.api.listInterfaceBindings({ params })).body;
    expect(bindings.map(({ status }) => status.phase)).toEqual(['Revoked']);
    expect((await create({ name })).name).toBe(name);
  });
});
