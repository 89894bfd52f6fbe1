import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InstallPlanAnswer } from '#shared/install-plans/api';
import type { ProviderBinding } from '#shared/provider-bindings/contract';
import type { Run } from '#shared/runs/contract';
import type { CompatibilityReport } from '#shared/sources/report';
import type { PolicyConfig } from '#shared/workspaces/contract';
import { type Canary, canaryOf, findCanaries, searchFolder } from './fixtures/canary.ts';
import { readUntil, resourceIs, settled } from './fixtures/feed.ts';
import { type Harness, type HarnessRepository, startHarness } from './fixtures/harness.ts';
import {
  applyPlan,
  errorsOf,
  getRun,
  outputsOf,
  planAgain,
  reconcile,
  startApply,
  startPlan,
  takeNewest,
} from './fixtures/journey.ts';
import { thing } from './fixtures/modules.ts';

/** Two accounts of one provider, and the parts of each that the module can see. */
const module = `terraform {
  required_providers {
    fake = {
      source                = "test/fake"
      configuration_aliases = [fake.west]
    }
  }
}
provider "fake" {
  world = "\${path.root}/world"
}
variable "greeting" { type = string }
data "fake_whoami" "east" {}
data "fake_whoami" "west" { provider = fake.west }
output "greeting" { value = var.greeting }
output "region" { value = data.fake_whoami.west.region }
output "east" { value = data.fake_whoami.east.token_sha }
output "west" { value = data.fake_whoami.west.token_sha }
`;
const recipe = {
  id: 'fake',
  displayName: 'The test provider',
  terraformSource: ['test/fake'],
  requiredEnvGroups: [['FAKE_TOKEN']],
  authModes: {
    token: {
      env: { FAKE_TOKEN: { from: 'secret' } },
      providerArguments: { token: { from: 'secret', name: 'FAKE_TOKEN' } },
    },
  },
};
const tokens = { east: `east-${randomBytes(18).toString('hex')}`, west: `west-${randomBytes(18).toString('hex')}` };
const canaries: Canary[] = Object.entries(tokens).map(([name, token]) => canaryOf(name, token));
const shaOf = (token: string) => createHash('sha256').update(token).digest('hex').slice(0, 8);

let harness: Harness;
let repository: HarnessRepository;
let sourceId: string;
let capsuleId: string;
const connections = { east: '', west: '' };
beforeAll(async () => {
  harness = await startHarness({ providers: true });
  const recipes = path.join(harness.server.dataDir, 'recipes');
  mkdirSync(recipes, { recursive: true });
  writeFileSync(path.join(recipes, 'fake.json'), JSON.stringify(recipe));
  repository = harness.repository('two', { 'main.tf': module });
});
afterAll(() => harness?.stop());

async function connect(token: string, providerConfig: object): Promise<string> {
  const { workspaceId, http } = harness;
  const scopeHints = { providerConfig, moduleInputDefaults: { greeting: 'hello from the Connection' } };
  const { body, text } = await http.post<{ connection: { id: string } }>('/api/v1/connections', {
    workspaceId,
    provider: 'test/fake',
    credentialRecipe: { id: 'fake', authMode: 'token' },
    values: { FAKE_TOKEN: token },
    scopeHints,
  });
  if (!body.connection) throw new Error(text);
  return body.connection.id;
}
const bind = (connectionId: string, childAlias?: string): ProviderBinding => ({
  provider: 'test/fake',
  moduleLocalName: 'fake',
  ...(childAlias && { childAlias }),
  connectionId,
});
const bindings = () => [bind(connections.east), bind(connections.west, 'west')];

async function setPolicy(policy: PolicyConfig): Promise<void> {
  const { status } = await harness.http.patch(`/api/v1/workspaces/${harness.workspaceId}`, { policy });
  expect(status).toBe(200);
}

type Checked = { report: CompatibilityReport; run: Run };
/** Steps of the install screen before it asks: Source, snapshot, check. */
async function inspect(): Promise<Checked> {
  const { http, workspaceId, server } = harness;
  const source = { workspaceId, name: 'two', url: repository.url, defaultRef: 'main', defaultPath: '.' };
  sourceId = (await http.post<{ source: { id: string } }>('/api/v1/sources', source)).body.source.id;
  const sync = await http.post<{ run: Run }>(`/api/v1/sources/${sourceId}/sync`);
  await settled(server, sync.body.run.id);
  return (await http.post<Checked>(`/api/v1/sources/${sourceId}/compatibility-check`, {})).body;
}

async function install({ report, run }: Checked): Promise<Run> {
  const body = {
    source: { name: 'two', url: repository.url, ref: 'main', path: '.' },
    capsule: { name: 'two', environment: 'default' },
    options: { providerBindings: bindings() },
    preflight: {
      sourceId,
      sourceSnapshotId: report.sourceSnapshotId,
      compatibilityCheckRunId: run.id,
      compatibilityReportId: report.id,
      installConfigId: 'cfg-default-opentofu-capsule',
    },
  };
  const at = `/api/v1/workspaces/${harness.workspaceId}/install-plans`;
  const answer = await harness.http.post<InstallPlanAnswer>(at, body, { 'idempotency-key': randomUUID() });
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  const plan = await reconcile(harness, answer.body.installPlan.id);
  capsuleId = plan.capsuleId ?? '';
  const planRun = await getRun(harness, plan.planRunId ?? '');
  expect([plan.phase, plan.diagnostic, await errorsOf(harness, planRun.id)]).toEqual(['reviewable', undefined, []]);
  return planRun;
}

describe('a module with two accounts of one provider', () => {
  it('reports before its plan that it needs Connections, and then the Connection of each provider', async () => {
    // All steps run under a policy that allows the module.
    await setPolicy({ allowedProviders: ['test/fake'], providerInstallation: { requireMirror: true } });
    const checked = await inspect();
    expect([checked.report.level, checked.report.findings.map(({ code }) => code)]).toEqual([
      'ready',
      ['lockfile_missing'],
    ]);
    expect(checked.report.providerResolutions?.map(({ blockedReason }) => blockedReason)).toEqual([
      'connection_required',
      'connection_required',
    ]);
    connections.east = await connect(tokens.east, {});
    connections.west = await connect(tokens.west, { region: 'west-1' });
    const at = `/api/v1/compatibility-reports/${checked.report.id}/provider-resolutions`;
    const { body } = await harness.http.post(at, { providerBindings: bindings() });
    expect(body).toMatchObject({
      reach: {
        envNames: [],
        providers: [
          { providerName: 'fake', arguments: ['token'], config: [] },
          { providerName: 'fake', alias: 'west', arguments: ['token'], config: ['region'] },
        ],
        moduleInputs: ['greeting'],
      },
    });
    const plan = await install(checked);
    expect(plan.providerResolutions?.map(({ status }) => status)).toEqual([
      'resolved_provider_connection',
      'resolved_provider_connection',
    ]);
    expect(await applyPlan(harness, plan)).toMatchObject({ status: 'succeeded' });
    expect(await outputsOf(harness, capsuleId)).toEqual({
      greeting: 'hello from the Connection',
      region: 'west-1',
      east: shaOf(tokens.east),
      west: shaOf(tokens.west),
    });
  });

  it('is neither started nor given credentials once a policy forbids it, and a check gives the reason', async () => {
    const usesOf = async () =>
      (await harness.http.get<{ uses: unknown[] }>(`/api/v1/connections/${connections.east}/uses`)).body.uses.length;
    const before = await usesOf();
    await setPolicy({ providerLockfile: { requireDigest: true } });
    const run = await planAgain(harness, capsuleId);
    expect(run).toMatchObject({ status: 'failed', errorCode: 'policy_denied', policyStatus: 'deny' });
    expect(run.phaseTimings ?? []).toEqual([]);
    expect(await usesOf()).toBe(before);
    expect(await takeNewest(harness, sourceId)).toMatchObject({
      level: 'unsupported',
      findings: [{ code: 'lockfile_missing', compatibilityImpact: 'unsupported' }],
    });
    await setPolicy({});
    expect(await takeNewest(harness, sourceId)).toMatchObject({ level: 'ready' });
  });

  it('continues with its credentials when a Connection is revoked in the middle of an apply, and plans no more', async () => {
    const { http, server } = harness;
    repository.commit({ 'main.tf': module + thing('late', 'gate = "open"') });
    await takeNewest(harness, sourceId);
    const plan = await settled(server, (await startPlan(harness, capsuleId)).id);
    const apply = await startApply(harness, plan);
    await readUntil(server, apply.id, resourceIs('fake_thing.late', 'started'));
    expect((await http.post(`/api/v1/connections/${connections.west}/revoke`)).status).toBe(204);
    await server.kill9();
    expect(searchFolder(server.dataDir, canaries, ['providers']).hits).toEqual([]);
    await server.restart();
    writeFileSync(path.join(server.dataDir, 'capsules', capsuleId, 'tree', 'open'), '');
    expect(await settled(server, apply.id)).toMatchObject({ status: 'succeeded' });
    const refused = await http.post(`/api/v1/capsules/${capsuleId}/plan`);
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { error: { details: { reason: 'provider_connection_not_ready', childAlias: 'west', why: 'revoked' } } },
    ]);
  });

  it('leaves no credential in any file, answer or line of the log', async () => {
    const { http, server, workspaceId } = harness;
    for (const at of [
      `/workspaces/${workspaceId}/activity`,
      `/capsules/${capsuleId}/provider-bindings`,
      `/connections/${connections.west}/capsules`,
      `/connections/${connections.west}/uses`,
    ])
      expect([at, (await http.get(`/api/v1${at}`)).status]).toEqual([at, 200]);
    expect(http.responseTexts.flatMap((text) => findCanaries('an answer', text, canaries))).toEqual([]);
    expect(searchFolder(server.dataDir, canaries, ['providers']).hits).toEqual([]);
    expect(findCanaries('the log of the server', server.log(), canaries)).toEqual([]);
  });
});
