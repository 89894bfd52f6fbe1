import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InterfaceBlueprint } from '#shared/interfaces/blueprint';
import type { Interface } from '#shared/interfaces/contract';
import type { OutputInterfaceCandidate } from '#shared/interfaces/output-migration';
import type { JsonObject } from '#shared/kernel/json';
import { type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';
import { resealConfig, seedCapsule, seedState } from '../../../test/ledger-rows.ts';
import { asNeighbour } from '../../../test/one-of-each.ts';
import { installConfigs } from '../install-configs/schema.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const send = (method: 'GET' | 'POST', body?: object, workspaceId = server.workspaceId) =>
  server.raw({
    method,
    path: `/internal/v1/workspaces/${workspaceId}/migrations/output-interfaces`,
    headers: { authorization: `Bearer ${server.operatorToken}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
const statusAndCode = ({ status, json }: RawAnswer) => {
  const { code, details } =
    (json as { error?: { code?: string; details?: { reason?: string; field?: string } } }).error ?? {};
  return [status, code, details?.reason ?? details?.field];
};
const moved = [409, 'failed_precondition', 'migration_fence_moved'];

/** An active Capsule with these public Outputs, and blueprints in its configuration. */
async function applied(outputs: JsonObject, blueprints: InterfaceBlueprint[] = []) {
  const capsule = await seedCapsule(server, { status: 'active' });
  if (blueprints.length > 0) {
    server.ledger(({ orm }) =>
      orm
        .update(installConfigs)
        .set({
          parts: { interfaceBlueprints: blueprints },
          provenance: {
            sourceId: capsule.sourceId,
            sourceSnapshotId: 'snap_none',
            ref: 'HEAD',
            path: '.',
            reportId: 'caprep_none',
            installerId: server.subject,
          },
        })
        .where(eq(installConfigs.id, capsule.installConfigId))
        .run(),
    );
    resealConfig(server, capsule.installConfigId);
  }
  seedState(server, capsule, { generation: 1, outputs });
  return capsule;
}
async function candidateOf(capsuleId: string): Promise<OutputInterfaceCandidate | undefined> {
  const { json } = await send('GET');
  return (json as { candidates: OutputInterfaceCandidate[] }).candidates.find((one) => one.capsuleId === capsuleId);
}
let names = 0;
const selectionOf = (more: object = {}) => {
  names += 1;
  return {
    name: `Notes${names}`,
    type: 'interface.ui.surface',
    version: '1',
    document: { title: 'Notes' },
    inputName: 'endpoint',
    outputName: 'launch_url',
    access: { visibility: 'workspace', resourceUriInput: 'endpoint' },
    ...more,
  };
};
const url = 'https://notes.example.com/';
const blueprintOf = (key: string, outputName: string): InterfaceBlueprint => ({
  key,
  name: selectionOf().name,
  spec: {
    type: 'interface.ui.surface',
    version: '1',
    document: {},
    inputs: { endpoint: { source: 'capsule_output', outputName } },
    access: { visibility: 'workspace', resourceUriInput: 'endpoint' },
  },
  bindings: [
    {
      key: 'me',
      permissions: ['ui.open'],
      delivery: { type: 'none' },
      subject: { source: 'installing_principal' },
    },
  ],
});
const interfacesOf = async (capsuleId: string) =>
  (await server.api.listInterfaces({ query: { workspaceId: server.workspaceId, ownerId: capsuleId } })).body.interfaces;

describe('a candidate', () => {
  it('is a Capsule with an Output of the old convention and no Interface of its type', async () => {
    const { id, installConfigId } = await applied({ launch_url: url, mcp_url: `${url}mcp`, size: 3 });
    const plain = await applied({ Launch_url: url, url });
    const candidate = await candidateOf(id);
    expect(candidate).toMatchObject({
      installConfigId,
      legacyConventionNames: ['launch_url', 'mcp_url'],
      availableOutputNames: ['launch_url', 'mcp_url', 'size'],
      mode: 'owner_selection_required',
    });
    expect(candidate).not.toHaveProperty('interfaceBlueprintsDigest');
    expect(JSON.stringify(candidate)).not.toContain('notes.example.com');
    expect(await candidateOf(plain.id)).toBeUndefined();
  });

  it('is described by the service when the configuration has a blueprint for each Output', async () => {
    const both = { launch_url: url, mcp_url: `${url}mcp` };
    const { id } = await applied(both, [blueprintOf('ui', 'launch_url')]);
    expect(await candidateOf(id)).toMatchObject({
      mode: 'owner_selection_required',
      interfaceBlueprintsDigest: expect.stringMatching(/^sha256:/),
    });
    const { id: whole } = await applied({ launch_url: url }, [blueprintOf('ui', 'launch_url')]);
    expect(await candidateOf(whole)).toMatchObject({ mode: 'service_blueprints' });
  });
});

describe('the migration', () => {
  it('makes a resolved Interface from the selection of the operator, once', async () => {
    const { id } = await applied({ launch_url: url });
    const candidate = await candidateOf(id);
    const body = { candidate, selection: selectionOf() };
    const answer = await send('POST', body);
    expect([answer.status, (answer.json as { interface: Interface }).interface]).toMatchObject([
      200,
      { ownerRef: { kind: 'Capsule', id }, status: { phase: 'Resolved', resolvedInputs: { endpoint: url } } },
    ]);
    const made = (answer.json as { interface: Interface }).interface;
    const { events } = (
      await server.as(server.operatorToken).listAudit({ query: { action: 'interface.output_convention_migrated' } })
    ).body;
    expect(events[0]).toMatchObject({
      actorId: 'operator',
      targetId: made.id,
      metadata: { capsuleId: id, outputNames: ['launch_url'] },
    });
    expect(await candidateOf(id)).toBeUndefined();
    expect(statusAndCode(await send('POST', body))).toEqual(moved);
    expect(await interfacesOf(id)).toHaveLength(1);
  });

  it('makes the Interface and the bindings of the blueprint of the configuration', async () => {
    const { id } = await applied({ launch_url: url }, [blueprintOf('ui', 'launch_url')]);
    const { json } = await send('POST', { candidate: await candidateOf(id) });
    const made = (json as { interface: Interface }).interface;
    expect(made).toMatchObject({
      metadata: { materializedFrom: { source: 'capsule_blueprint', key: 'ui' } },
      status: { phase: 'Resolved' },
    });
    const { bindings } = (await server.api.listInterfaceBindings({ params: { interfaceId: made.id } })).body;
    expect(bindings.map(({ status }) => status.phase)).toEqual(['Ready']);
  });

  it('leaves out what a person has retired, until its blueprint changes', async () => {
    const capsule = await applied({ launch_url: url }, [blueprintOf('ui', 'launch_url')]);
    const { json } = await send('POST', { candidate: await candidateOf(capsule.id) });
    const { id } = (json as { interface: Interface }).interface;
    await server.request('DELETE', `/api/v1/interfaces/${id}`, undefined, { 'if-match': '*' });
    expect(await candidateOf(capsule.id)).toBeUndefined();
    server.ledger(({ sqlite }) =>
      sqlite.prepare('UPDATE interfaces SET blueprint_digest = ? WHERE id = ?').run('of-an-earlier-blueprint', id),
    );
    expect(await candidateOf(capsule.id)).toMatchObject({ legacyConventionNames: ['launch_url'] });
  });

  it('makes one Interface for each request until no convention is left', async () => {
    const { id } = await applied({ launch_url: url, mcp_url: `${url}mcp` });
    await send('POST', { candidate: await candidateOf(id), selection: selectionOf() });
    expect((await candidateOf(id))?.legacyConventionNames).toEqual(['mcp_url']);
    const mcp = selectionOf({ type: 'mcp.server', version: '2025-11-25', outputName: 'mcp_url' });
    expect((await send('POST', { candidate: await candidateOf(id), selection: mcp })).status).toBe(200);
    expect(await candidateOf(id)).toBeUndefined();
  });

  it.each([
    ['capsuleUpdatedAt', '2020-01-01T00:00:00.000Z'],
    ['installConfigUpdatedAt', '2020-01-01T00:00:00.000Z'],
    ['installConfigId', 'icfg_0000000000000000'],
    ['outputId', 'out_none'],
    ['outputDigest', `sha256:${'0'.repeat(64)}`],
    ['outputNamesDigest', `sha256:${'0'.repeat(64)}`],
    ['legacyConventionNames', []],
    ['availableOutputNames', ['launch_url', 'other']],
    ['mode', 'service_blueprints'],
    ['interfaceBlueprintsDigest', `sha256:${'0'.repeat(64)}`],
  ])('is refused when `%s` of the candidate is not the current one', async (member, value) => {
    const { id } = await applied({ launch_url: url });
    const candidate = { ...(await candidateOf(id)), [member]: value };
    expect(statusAndCode(await send('POST', { candidate, selection: selectionOf() }))).toEqual(moved);
    expect(await interfacesOf(id)).toEqual([]);
  });

  it.each([
    ['an Output that is no address', { launch_url: 'notes' }, {}],
    ['an Output that does not exist', { launch_url: url }, { outputName: 'other' }],
    ['a JSON Pointer without a value', { launch_url: url }, { pointer: '/host' }],
  ])('keeps nothing for %s', async (_what, outputs, selection) => {
    const { id } = await applied(outputs);
    const body = { candidate: await candidateOf(id), selection: selectionOf(selection) };
    expect(statusAndCode(await send('POST', body))).toEqual(moved);
    expect(await interfacesOf(id)).toEqual([]);
    expect(await candidateOf(id)).toEqual(body.candidate);
  });

  it('keeps nothing when the installing account has left', async () => {
    const { id } = await applied({ launch_url: url }, [blueprintOf('ui', 'launch_url')]);
    const candidate = await candidateOf(id);
    const setStatus = (status: string) =>
      server.ledger((db) =>
        db.sqlite
          .prepare('UPDATE members SET status = ? WHERE workspace_id = ? AND account_id = ?')
          .run(status, server.workspaceId, server.subject),
      );
    setStatus('suspended');
    const refused = await send('POST', { candidate });
    setStatus('active');
    expect(statusAndCode(refused)).toEqual(moved);
    expect(await interfacesOf(id)).toEqual([]);
  });

  it('refuses a selection that does not belong to the candidate', async () => {
    const { id } = await applied({ launch_url: url });
    const candidate = await candidateOf(id);
    const refusal = async (body: object) => statusAndCode(await send('POST', { candidate, ...body }));
    const invalid = (field: string) => [400, 'invalid_request', field];
    expect(await refusal({})).toEqual(invalid('/selection'));
    expect(await refusal({ selection: selectionOf({ type: 'mcp.server', version: '2025-11-25' }) })).toEqual(
      invalid('/selection/type'),
    );
    const elsewhere = selectionOf({ access: { visibility: 'workspace', resourceUriInput: 'other' } });
    expect(await refusal({ selection: elsewhere })).toEqual(invalid('/selection/access/resourceUriInput'));
    expect((await refusal({ selection: selectionOf({ access: { visibility: 'public' } }) }))[0]).toBe(400);
    const secret = selectionOf({ document: { api_key: 'x' } });
    expect(await refusal({ selection: secret })).toEqual([400, 'invalid_argument', 'secret_like_value']);
    const described = await applied({ launch_url: url }, [blueprintOf('ui', 'launch_url')]);
    const other = { candidate: await candidateOf(described.id), selection: selectionOf() };
    expect(statusAndCode(await send('POST', other))).toEqual(invalid('/selection'));
  });

  it('is 404 for a Capsule of another Workspace', async () => {
    const { id } = await applied({ launch_url: url });
    const candidate = await candidateOf(id);
    const neighbour = await asNeighbour(server);
    const body = { candidate, selection: selectionOf() };
    expect((await send('POST', body, neighbour.workspaceId)).status).toBe(404);
    expect((await send('GET', undefined, 'ws_none')).status).toBe(404);
  });
});
