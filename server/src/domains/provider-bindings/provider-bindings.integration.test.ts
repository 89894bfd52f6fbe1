import { describe, expect, test } from 'vitest';
import type { ProviderBinding } from '#shared/provider-bindings/contract';
import {
  bind,
  bindingsOf,
  connect,
  inspectSource,
  installed,
  nextNumber,
  refusalOf,
  repository,
  resolved,
  serveBindings,
  server,
  statusesOf,
} from '../../../test/bindings-fixture.ts';
import { awsBody, canary } from '../../../test/connection-bodies.ts';

serveBindings();

describe('a check of a module', () => {
  test('lists its provider configurations and which of them need a Connection', async () => {
    const { compatibilityReportId: reportId } = await inspectSource();
    const { report } = (await server.api.getReport({ params: { reportId } })).body;
    const common = { providerSource: 'registry.opentofu.org/hashicorp/aws', providerName: 'aws', modulePath: '.' };
    expect(report.providerRequirements).toMatchObject([
      { ...common, discoveredFrom: 'provider_block' },
      { ...common, alias: 'west', discoveredFrom: 'provider_block' },
    ]);
    expect(statusesOf(report.providerResolutions)).toEqual(['connection_required', 'connection_required']);
  });

  test('returns its resolution with Connections by name only, and changes nothing', async () => {
    const params = { reportId: (await inspectSource()).compatibilityReportId };
    const one = await connect();
    const two = await connect(
      awsBody(server.workspaceId, { values: { AWS_ACCESS_KEY_ID: 'b', AWS_SECRET_ACCESS_KEY: 'other-secret' } }),
    );
    const providerBindings = [bind(one), bind(two, { childAlias: 'west' })];
    const { body } = await server.api.previewProviderBindings({ params, body: { providerBindings } });
    expect(statusesOf(body.providerResolutions)).toEqual([resolved, resolved]);
    const argumentNames = ['access_key', 'secret_key'];
    expect(body.reach).toEqual({
      envNames: [],
      files: [],
      providers: [
        { providerName: 'aws', arguments: argumentNames, config: [] },
        { providerName: 'aws', alias: 'west', arguments: argumentNames, config: [] },
      ],
      moduleInputs: ['region'],
    });
    expect(JSON.stringify(body)).not.toContain(canary('key'));
    const set = await server.api.previewProviderBindings({ params, body: { providerBindings, variables: ['region'] } });
    expect(set.body.reach.moduleInputs).toEqual([]);
    await server.api.revokeConnection({ params: { connectionId: two } });
    const later = await server.api.previewProviderBindings({ params, body: { providerBindings } });
    expect(statusesOf(later.body.providerResolutions)).toEqual([resolved, 'connection_revoked']);
    const mismatch = await server.request(
      'POST',
      `/api/v1/compatibility-reports/${params.reportId}/provider-resolutions`,
      {
        providerBindings: [bind(one, { moduleLocalName: 'other' })],
      },
    );
    expect(refusalOf(mismatch).slice(0, 2)).toEqual([400, 'provider_binding_mismatch']);
    const outsider = await server.join(undefined);
    const foreign = await server.raw({
      method: 'POST',
      path: `/api/v1/compatibility-reports/${params.reportId}/provider-resolutions`,
      headers: { authorization: `Bearer ${outsider.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ providerBindings: [] }),
    });
    expect(foreign.status).toBe(403);
  });
});

describe('a change of bindings', () => {
  const configure = async (
    capsuleId: string,
    providerBindings: ProviderBinding[],
    set: Record<string, string> = {},
  ) => {
    const { installConfigReAdoption } = (await server.api.getCapsule({ params: { capsuleId } })).body;
    const body = {
      variablePatch: { set, remove: [] },
      providerBindings,
      interfaceBlueprints: [],
      expected: installConfigReAdoption,
    };
    const answer = await server.request('POST', `/api/v1/capsules/${capsuleId}/configuration-plans`, body, {
      'idempotency-key': `change ${nextNumber()}`,
    });
    if (answer.status < 300)
      await server.ended((answer.json as { configurationPlan: { planRunId: string } }).configurationPlan.planRunId);
    return answer;
  };

  test('replaces the whole set under a new authority epoch, and is recorded', async () => {
    const [one, two] = [await connect(), await connect()];
    const capsuleId = await installed([bind(one)]);
    const before = (await bindingsOf(capsuleId)).providerBindingSet;
    const next = [bind(two, { childAlias: 'west' }), bind(two)];
    expect((await configure(capsuleId, next)).status).toBe(201);
    const { providerBindingSet } = await bindingsOf(capsuleId);
    expect(providerBindingSet).toMatchObject({ id: before?.id, createdAt: before?.createdAt, bindings: next });
    expect((await server.api.listBoundCapsules({ params: { connectionId: one } })).body.capsules).toEqual([]);
    const { events } = (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body;
    const planned = events.find(
      ({ action, targetId }) => action === 'capsule.configuration_planned' && targetId === capsuleId,
    );
    expect(planned?.metadata).toMatchObject({ providerBindings: next });
    const { capsule } = (await server.api.getCapsule({ params: { capsuleId } })).body;
    expect(capsule.executionAuthorityEpoch).toBe(2);
  });

  test('is refused as a whole and leaves nothing behind', async () => {
    const id = await connect();
    const capsuleId = await installed([bind(id)]);
    const before = await bindingsOf(capsuleId);
    const refused = async (bindings: ProviderBinding[]) => refusalOf(await configure(capsuleId, bindings)).slice(0, 2);
    expect(await refused([bind(id), bind(id)])).toEqual([400, 'provider_binding_duplicate']);
    expect(await refused([bind(id, { moduleLocalName: 'gcp' })])).toEqual([400, 'provider_binding_mismatch']);
    expect(await refused([bind('conn_00000000')])).toEqual([409, 'provider_connection_not_ready']);
    // Without bindings the provider has no credentials, and the variable that the Connection set has no value.
    expect(await refused([])).toEqual([400, 'capsule_configuration_required_value_missing']);
    expect(refusalOf(await configure(capsuleId, [], { region: 'eu' })).slice(0, 2)).toEqual([
      409,
      'provider_connection_setup_required',
    ]);
    expect(await bindingsOf(capsuleId)).toEqual(before);
    expect((await server.api.getCapsule({ params: { capsuleId } })).body.capsule.executionAuthorityEpoch).toBe(1);
  });

  test('has no route of its own and is refused to members', async () => {
    const capsuleId = await installed([bind(await connect())]);
    const put = await server.request('PUT', `/api/v1/capsules/${capsuleId}/provider-bindings`, {});
    expect([put.status, put.headers.allow]).toEqual([405, 'GET']);
    const { api } = await server.join('viewer');
    expect((await api.getProviderBindings({ params: { capsuleId } })).status).toBe(200);
    const outsider = await server.join(undefined);
    await expect(outsider.api.getProviderBindings({ params: { capsuleId } })).rejects.toMatchObject({ status: 403 });
  });
});

test('a member plans a Capsule with Connections only from the ref that it follows', async () => {
  const capsuleId = await installed([bind(await connect())]);
  const { sourceId, compatibilityReportId } = await inspectSource();
  // The proposed branch is ahead of the inspected commit.
  repository.commit({ 'other.tf': 'output "b" { value = 1 }\n' });
  repository.git('branch', 'proposal');
  const params = { sourceId };
  await server.api.updateSource({ params, body: { defaultRef: 'proposal' } });
  await server.ended((await server.api.syncSource({ params, body: {} })).body.run.id);
  const { report } = (await server.api.checkCompatibility({ params, body: { modulePath: '.' } })).body;
  await server.api.updateSource({ params, body: { defaultRef: 'main' } });
  const { api } = await server.join('member');
  const plan = (reportId: string) =>
    api.planCapsule({ params: { capsuleId }, body: { compatibilityReportId: reportId } });
  await expect(plan(report.id)).rejects.toMatchObject({ status: 403, code: 'forbidden' });
  const { run } = (await plan(compatibilityReportId)).body;
  await server.ended(run.id);
});

test('Capsules that a Connection is bound to are listed page by page', async () => {
  const connectionId = await connect();
  const capsuleIds = [await installed([bind(connectionId)]), await installed([bind(connectionId)])];
  const params = { connectionId };
  const first = (await server.api.listBoundCapsules({ params, query: { limit: '1' } })).body;
  const second = (await server.api.listBoundCapsules({ params, query: { limit: '1', cursor: first.nextCursor ?? '' } }))
    .body;
  expect([...first.capsules, ...second.capsules].map(({ capsuleId }) => capsuleId)).toEqual(capsuleIds);
  expect(second.nextCursor).toBeUndefined();
  await server.api.holdCapsule({ params: { capsuleId: capsuleIds[0] ?? '' }, body: { reason: 'Freeze' } });
  const marked = (await server.api.listBoundCapsules({ params })).body.capsules;
  expect(marked.map(({ hold }) => hold?.reason ?? null)).toEqual(['Freeze', null]);
  await server.api.deleteCapsule({ params: { capsuleId: capsuleIds[0] ?? '' } });
  const left = (await server.api.listBoundCapsules({ params })).body.capsules;
  expect(left.map(({ capsuleId }) => capsuleId)).toEqual(capsuleIds.slice(1));
});
