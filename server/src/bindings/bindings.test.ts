import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProviderBinding } from '#shared/bindings/contract';
import type { CreateInstallPlan } from '#shared/coordinators/api';
import { awsBody, canary, genericBody, gitBody } from '../../test/connection-bodies.ts';
import { writeFakeTool } from '../../test/fake-tool.ts';
import { type GitHost, startGitHost } from '../../test/git-fixture.ts';
import { type RawAnswer, startTestServer, type TestServer, tempDir } from '../../test/harness.ts';

const module = `terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}
provider "aws" {}
provider "aws" {
  alias = "west"
}
variable "region" { type = string }
`;
let server: TestServer;
let git: GitHost;
let repository: ReturnType<GitHost['repository']>;
let commit: string;
const toolDir = tempDir();
beforeAll(async () => {
  // It says which version it is and cannot plan, so that every plan fails and the Capsule stays as it was.
  const env = { GROUNDCTL_TOOL_PATH: writeFakeTool(toolDir) };
  [server, git] = await Promise.all([startTestServer({ env }), startGitHost()]);
  repository = git.repository('cloud');
  commit = repository.commit({ 'main.tf': module, 'two/main.tf': 'output "a" { value = 1 }\n' });
});
afterAll(async () => {
  await Promise.all([server.close(), git.close()]);
  fs.rmSync(toolDir, { recursive: true });
});

const region = { moduleInputDefaults: { region: 'eu-central-1' } };
const connect = async (body: object = awsBody(server.workspaceId, { scopeHints: region })): Promise<string> =>
  (await server.api.createConnection({ body: body as never })).body.connection.id;
const bind = (connectionId: string, more: Partial<ProviderBinding> = {}): ProviderBinding => ({
  provider: 'registry.terraform.io/hashicorp/aws',
  moduleLocalName: 'aws',
  connectionId,
  ...more,
});

/** A Source that was synced and checked, as the install screen leaves it. */
let looked: Promise<NonNullable<CreateInstallPlan['preflight']>> | undefined;
const look = () => {
  looked ??= (async () => {
    const { workspaceId } = server;
    const source = { workspaceId, name: 'Cloud', url: git.url('cloud'), defaultRef: 'main', defaultPath: '.' };
    const params = { sourceId: (await server.api.createSource({ body: source })).body.source.id };
    await server.ended((await server.api.syncSource({ params, body: {} })).body.run.id);
    const { report, run } = (await server.api.checkCompatibility({ params, body: { modulePath: '.' } })).body;
    return {
      ...params,
      sourceSnapshotId: report.sourceSnapshotId,
      compatibilityCheckRunId: run.id,
      compatibilityReportId: report.id,
      installConfigId: 'cfg-default-opentofu-capsule',
    };
  })();
  return looked;
};

let count = 0;
type Ask = Partial<Omit<CreateInstallPlan, 'source'>> & { ref?: string };
function requestOf({ ref = 'main', ...more }: Ask): CreateInstallPlan {
  count += 1;
  return {
    source: { name: 'Cloud', url: git.url('cloud'), ref, path: '.' },
    capsule: { name: `Cloud ${count}`, environment: 'test' },
    ...more,
  };
}
const post = (request: CreateInstallPlan, token = server.token): Promise<RawAnswer> =>
  server.raw({
    method: 'POST',
    path: `/api/v1/workspaces/${server.workspaceId}/install-plans`,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': `install ${count}`,
    },
    body: JSON.stringify(request),
  });
const asked = async (ask: Ask): Promise<RawAnswer> => post(requestOf(ask));
async function preflighted(bindings: ProviderBinding[], more: Ask = {}): Promise<CreateInstallPlan> {
  return requestOf({ preflight: await look(), options: { modulePath: '.', providerBindings: bindings }, ...more });
}
const told = ({ status, json }: RawAnswer) => {
  const { code, details = {} } = (json as { error?: { code: string; details?: Record<string, unknown> } }).error ?? {};
  const { reason, ...rest } = details;
  return [status, reason ?? code, rest] as const;
};
const planIn = ({ json }: RawAnswer) => (json as { installPlan: { id: string } }).installPlan;
/** Reconciles to the end. */
async function finish(installPlanId: string) {
  for (;;) {
    const { status, body } = await server.api.getInstallPlan({ params: { installPlanId } });
    expect(status).toBe(200);
    if (body.nextAction !== 'reconcile') return body.installPlan;
    await server.api.reconcileInstallPlan({ params: { installPlanId } });
  }
}
async function installed(bindings: ProviderBinding[]): Promise<string> {
  const { capsuleId = '' } = await finish(planIn(await post(await preflighted(bindings))).id);
  return capsuleId;
}
const bindingsOf = async (capsuleId: string) => (await server.api.getProviderBindings({ params: { capsuleId } })).body;
const statusesOf = (resolutions: readonly { status: string; blockedReason?: string | undefined }[] = []) =>
  resolutions.map(({ status, blockedReason }) => blockedReason ?? status);
const resolved = 'resolved_provider_connection';

describe('a check of a module', () => {
  test('says which provider configurations it has, and that some need a Connection', async () => {
    const { compatibilityReportId: reportId } = await look();
    const { report } = (await server.api.getReport({ params: { reportId } })).body;
    const common = { providerSource: 'registry.opentofu.org/hashicorp/aws', providerName: 'aws', modulePath: '.' };
    expect(report.providerRequirements).toMatchObject([
      { ...common, discoveredFrom: 'provider_block' },
      { ...common, alias: 'west', discoveredFrom: 'provider_block' },
    ]);
    expect(statusesOf(report.providerResolutions)).toEqual(['connection_required', 'connection_required']);
  });

  test('says how it would resolve with Connections, by name alone, and changes nothing', async () => {
    const params = { reportId: (await look()).compatibilityReportId };
    const one = await connect();
    const two = await connect(
      awsBody(server.workspaceId, { values: { AWS_ACCESS_KEY_ID: 'b', AWS_SECRET_ACCESS_KEY: 'other-secret' } }),
    );
    const providerBindings = [bind(one), bind(two, { childAlias: 'west' })];
    const { body } = await server.api.previewProviderBindings({ params, body: { providerBindings } });
    expect(statusesOf(body.providerResolutions)).toEqual([resolved, resolved]);
    const given = ['access_key', 'secret_key'];
    expect(body.reach).toEqual({
      envNames: [],
      files: [],
      providers: [
        { providerName: 'aws', arguments: given, config: [] },
        { providerName: 'aws', alias: 'west', arguments: given, config: [] },
      ],
      moduleInputs: ['region'],
    });
    expect(JSON.stringify(body)).not.toContain(canary('key'));
    const set = await server.api.previewProviderBindings({ params, body: { providerBindings, variables: ['region'] } });
    expect(set.body.reach.moduleInputs).toEqual([]);
    await server.api.revokeConnection({ params: { connectionId: two } });
    const later = await server.api.previewProviderBindings({ params, body: { providerBindings } });
    expect(statusesOf(later.body.providerResolutions)).toEqual([resolved, 'connection_revoked']);
    const stranger = await server.ask('POST', `/api/v1/compatibility-reports/${params.reportId}/provider-resolutions`, {
      providerBindings: [bind(one, { moduleLocalName: 'other' })],
    });
    expect(told(stranger).slice(0, 2)).toEqual([400, 'provider_binding_mismatch']);
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

describe('an installation with Connections', () => {
  test('by a preflight starts at its Capsule, plans the commit that was looked at, and keeps the bindings', async () => {
    const connectionId = await connect();
    const request = await preflighted([bind(connectionId), bind(connectionId, { childAlias: 'west' })]);
    const first = await post(request);
    expect(first.status).toBe(201);
    expect(planIn(first)).toMatchObject({ phase: 'creating_capsule', preflight: request.preflight });
    expect((await post(request)).status).toBe(200);
    // The branch moves on meanwhile.
    repository.commit({ 'other.tf': 'output "b" { value = 1 }\n' });
    const plan = await finish(planIn(first).id);
    expect(plan).toMatchObject({
      phase: 'failed',
      diagnostic: { code: 'plan_run_failed' },
      sourceSnapshotId: request.preflight?.sourceSnapshotId,
      compatibilityReportId: request.preflight?.compatibilityReportId,
    });
    expect(plan.sourceSyncRunId).toBeUndefined();
    const { run } = (await server.api.getRun({ params: { runId: plan.planRunId ?? '' } })).body;
    expect(run).toMatchObject({ resolvedCommit: commit, sourceSnapshotId: request.preflight?.sourceSnapshotId });
    expect(statusesOf(run.providerResolutions)).toEqual([resolved, resolved]);
    const { runs } = (await server.api.listRuns({ params: { workspaceId: server.workspaceId } })).body;
    expect(runs.find(({ id }) => id === run.id)).not.toHaveProperty('providerResolutions');
    const capsuleId = plan.capsuleId ?? '';
    const found = await bindingsOf(capsuleId);
    expect(found.providerBindingSet).toMatchObject({
      id: expect.stringMatching(/^dpf_[0-9A-Z]{26}$/),
      capsuleId,
      environment: 'test',
      bindings: request.options?.providerBindings,
    });
    expect(statusesOf(found.providerResolutions)).toEqual([resolved, resolved]);
    expect(found.reach?.envNames).toEqual(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']);
    const { events } = (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body;
    expect(
      events.find(({ action, targetId }) => action === 'install_plan.created' && targetId === plan.id),
    ).toMatchObject({
      metadata: { providerBindings: request.options?.providerBindings },
    });
    const { capsules } = (await server.api.listBoundCapsules({ params: { connectionId } })).body;
    expect(capsules).toMatchObject([{ capsuleId, status: 'pending', bindings: request.options?.providerBindings }]);
    // The module's variable without a default got its value from the Connection.
    const inputs = server.ledger((db) =>
      db.sqlite.prepare("SELECT input ->> '$.bound.inputs' FROM runs WHERE id = ?").pluck().get(run.id),
    );
    expect(inputs).toBe(JSON.stringify(region.moduleInputDefaults));
  });

  test('by the full commit id goes the whole way', async () => {
    const providerBindings = [bind(await connect())];
    const answer = await asked({ ref: commit, options: { modulePath: '.', providerBindings } });
    expect(answer.status).toBe(201);
    const plan = await finish(planIn(answer).id);
    expect((await bindingsOf(plan.capsuleId ?? '')).providerBindingSet?.bindings).toEqual(providerBindings);
  });

  test('is refused for a ref that moves', async () => {
    const providerBindings = [bind(await connect())];
    for (const ref of ['main', commit.slice(0, 12)])
      expect(told(await asked({ ref, options: { providerBindings } }))).toEqual([
        400,
        'preflight_required',
        { field: '/options/providerBindings' },
      ]);
    expect((await asked({ ref: 'main', options: { providerBindings: [] } })).status).toBe(201);
  });

  test('is refused at once, with the place, the tuple and why', async () => {
    const id = await connect();
    const field = '/options/providerBindings';
    const tuple = { provider: 'registry.terraform.io/hashicorp/aws', moduleLocalName: 'aws' };
    const refused = async (bindings: ProviderBinding[]) => told(await post(await preflighted(bindings)));
    expect(await refused([bind(id), bind(id, { provider: 'hashicorp/aws' })])).toEqual([
      400,
      'provider_binding_duplicate',
      { field: `${field}/1`, ...tuple, provider: 'hashicorp/aws' },
    ]);
    expect(await refused([bind(id, { childAlias: 'east' })])).toEqual([
      400,
      'provider_binding_mismatch',
      { field: `${field}/0`, why: 'tuple', ...tuple, childAlias: 'east' },
    ]);
    const generic = await connect(genericBody(server.workspaceId));
    expect(await refused([bind(generic)])).toEqual([
      400,
      'provider_binding_mismatch',
      { field: `${field}/0/connectionId`, why: 'connection_provider', ...tuple },
    ]);
    const gone = await connect();
    await server.api.revokeConnection({ params: { connectionId: gone } });
    const whys = { revoked: gone, git: await connect(gitBody(server.workspaceId)), missing: 'conn_00000000' };
    for (const [why, connectionId] of Object.entries(whys))
      expect(await refused([bind(id, { childAlias: 'west' }), bind(connectionId)])).toEqual([
        409,
        'provider_connection_not_ready',
        { field: `${field}/1/connectionId`, connectionId, why, ...tuple },
      ]);
    const [status, reason, details] = await refused([]);
    expect([status, reason, details['why']]).toEqual([409, 'provider_connection_setup_required', 'required']);
    expect(details).toMatchObject({ moduleLocalName: 'aws' });
  });

  test('is refused for a member, who may install without any', async () => {
    const { token } = await server.join('member');
    const request = await preflighted([bind(await connect())]);
    expect(told(await post(request, token)).slice(0, 2)).toEqual([403, 'forbidden']);
    const bare = requestOf({ options: { modulePath: 'two', providerBindings: [] } });
    expect((await post(bare, token)).status).toBe(201);
  });

  test('checks the variables with a preflight at once, and takes those that a Connection gives', async () => {
    const request = async (bindings: ProviderBinding[], variables: Record<string, never | number>) =>
      told(await post(await preflighted(bindings, { variables })));
    const bare = await connect(awsBody(server.workspaceId));
    expect(await request([bind(bare)], {})).toEqual([400, 'install_variable_required', { field: '/variables/region' }]);
    expect(await request([bind(bare)], { other: 1 })).toEqual([
      400,
      'install_variable_invalid',
      { field: '/variables/other' },
    ]);
    expect((await request([bind(await connect())], {}))[0]).toBe(201);
  });

  test('whose preflight does not hold ends at its first step and says what is wrong', async () => {
    const preflight = await look();
    const id = await connect();
    const options = { providerBindings: [bind(id)] };
    const endOf = async (more: Ask) => {
      const answer = await asked({ preflight, options, ...more });
      expect(answer.status).toBe(201);
      const plan = await finish(planIn(answer).id);
      expect(plan.capsuleId).toBeUndefined();
      return plan.diagnostic?.code;
    };
    const none = '0'.repeat(26);
    expect(await endOf({ preflight: { ...preflight, sourceId: `src_${none}` } })).toBe('source_identity_changed');
    expect(await endOf({ preflight: { ...preflight, sourceSnapshotId: `snap_${none}` } })).toBe(
      'source_snapshot_not_found',
    );
    expect(await endOf({ ref: 'other' })).toBe('source_snapshot_scope_mismatch');
    expect(await endOf({ preflight: { ...preflight, compatibilityCheckRunId: `ccr_${none}` } })).toBe(
      'compatibility_evidence_incomplete',
    );
    expect(await endOf({ preflight: { ...preflight, compatibilityReportId: `caprep_${none}` } })).toBe(
      'compatibility_evidence_incomplete',
    );
    const params = { sourceId: preflight.sourceId };
    const body = { sourceSnapshotId: preflight.sourceSnapshotId, modulePath: 'two' };
    const other = (await server.api.checkCompatibility({ params, body })).body;
    const conflict = 'compatibility_evidence_identity_conflict';
    expect(await endOf({ preflight: { ...preflight, compatibilityCheckRunId: other.run.id } })).toBe(conflict);
    expect(await endOf({ options: { ...options, modulePath: 'two' } })).toBe(conflict);
    const changed = 'install_preflight_config_identity_changed';
    expect(await endOf({ preflight: { ...preflight, installConfigId: 'icfg_0000000000000000' } })).toBe(changed);
    const incomplete = { ...preflight } as Partial<typeof preflight>;
    delete incomplete.compatibilityReportId;
    expect((await asked({ preflight: incomplete as typeof preflight })).status).toBe(400);
  });

  test('whose Connection is revoked before the Capsule is made leaves none behind', async () => {
    const connectionId = await connect();
    const answer = await post(await preflighted([bind(connectionId)]));
    await server.api.revokeConnection({ params: { connectionId } });
    const plan = await finish(planIn(answer).id);
    expect(plan).toMatchObject({
      phase: 'failed',
      diagnostic: { code: 'install_plan_failed', reason: 'provider_connection_not_ready' },
    });
    expect(plan.capsuleId).toBeUndefined();
  });
});

describe('a change of bindings', () => {
  const configure = async (
    capsuleId: string,
    providerBindings: ProviderBinding[],
    set: Record<string, string> = {},
  ) => {
    count += 1;
    const { installConfigReAdoption } = (await server.api.getCapsule({ params: { capsuleId } })).body;
    const body = {
      variablePatch: { set, remove: [] },
      providerBindings,
      interfaceBlueprints: [],
      expected: installConfigReAdoption,
    };
    const answer = await server.ask('POST', `/api/v1/capsules/${capsuleId}/configuration-plans`, body, {
      'idempotency-key': `change ${count}`,
    });
    if (answer.status < 300)
      await server.ended((answer.json as { configurationPlan: { planRunId: string } }).configurationPlan.planRunId);
    return answer;
  };

  test('replaces the whole set under a new authority, and is told', async () => {
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

  test('is refused whole, so that nothing of it is left', async () => {
    const id = await connect();
    const capsuleId = await installed([bind(id)]);
    const before = await bindingsOf(capsuleId);
    const refused = async (bindings: ProviderBinding[]) => told(await configure(capsuleId, bindings)).slice(0, 2);
    expect(await refused([bind(id), bind(id)])).toEqual([400, 'provider_binding_duplicate']);
    expect(await refused([bind(id, { moduleLocalName: 'gcp' })])).toEqual([400, 'provider_binding_mismatch']);
    expect(await refused([bind('conn_00000000')])).toEqual([409, 'provider_connection_not_ready']);
    // Without any the provider has nothing, and the variable that the Connection gave has no value.
    expect(await refused([])).toEqual([400, 'capsule_configuration_required_value_missing']);
    expect(told(await configure(capsuleId, [], { region: 'eu' })).slice(0, 2)).toEqual([
      409,
      'provider_connection_setup_required',
    ]);
    expect(await bindingsOf(capsuleId)).toEqual(before);
    expect((await server.api.getCapsule({ params: { capsuleId } })).body.capsule.executionAuthorityEpoch).toBe(1);
  });

  test('is no route of its own, and no member is let at it', async () => {
    const capsuleId = await installed([bind(await connect())]);
    const put = await server.ask('PUT', `/api/v1/capsules/${capsuleId}/provider-bindings`, {});
    expect([put.status, put.headers.allow]).toEqual([405, 'GET']);
    const { api } = await server.join('viewer');
    expect((await api.getProviderBindings({ params: { capsuleId } })).status).toBe(200);
    const outsider = await server.join(undefined);
    await expect(outsider.api.getProviderBindings({ params: { capsuleId } })).rejects.toMatchObject({ status: 403 });
  });
});

test('a member plans a Capsule with Connections only from the ref that it follows', async () => {
  const capsuleId = await installed([bind(await connect())]);
  const { sourceId, compatibilityReportId } = await look();
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
  const made = [await installed([bind(connectionId)]), await installed([bind(connectionId)])];
  const params = { connectionId };
  const first = (await server.api.listBoundCapsules({ params, query: { limit: '1' } })).body;
  const second = (await server.api.listBoundCapsules({ params, query: { limit: '1', cursor: first.nextCursor ?? '' } }))
    .body;
  expect([...first.capsules, ...second.capsules].map(({ capsuleId }) => capsuleId)).toEqual(made);
  expect(second.nextCursor).toBeUndefined();
  await server.api.deleteCapsule({ params: { capsuleId: made[0] ?? '' } });
  const left = (await server.api.listBoundCapsules({ params })).body.capsules;
  expect(left.map(({ capsuleId }) => capsuleId)).toEqual(made.slice(1));
});
