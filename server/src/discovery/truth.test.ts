import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operationNames, operationOf, seen } from '../../test/answer-check.ts';
import { githubBody } from '../../test/connection-bodies.ts';
import { writeFakeTool } from '../../test/fake-tool.ts';
import { type GitHost, startGitHost } from '../../test/git-fixture.ts';
import { type RawAnswer, type RawRequest, startTestServer, type TestServer, tempDir } from '../../test/harness.ts';
import { holdCapsule, logLine, seedCapsule, seedPlan, seedRun, seedState } from '../../test/ledger-rows.ts';
import { askPeople, writeProviders } from '../../test/people.ts';
import { newId } from '../kernel/ids.ts';

let server: TestServer;

/** Operations that were answered with success and wrote nothing into the history, and those that did. */
const quiet = new Set<string>();
const told = new Set<string>();
let newest = 0;
function watchDeeds({ method = 'GET', path: address }: RawRequest, { status }: RawAnswer): void {
  const operation = operationOf({ method, path: address });
  if (!server || !operation || method === 'GET' || status >= 400) return;
  const at = server.ledger(({ sqlite }) => sqlite.prepare('SELECT max(seq) FROM audit_events').pluck().get()) as number;
  (at > newest ? told : quiet).add(operation.name);
  newest = at;
}

let git: GitHost;
const toolDir = tempDir();
beforeAll(async () => {
  const env = {
    GROUNDCTL_TOOL_PATH: writeFakeTool(toolDir),
    GROUNDCTL_SIGN_IN_PROVIDERS: writeProviders(toolDir),
  };
  [server, git] = await Promise.all([startTestServer({ env, onAnswer: watchDeeds }), startGitHost()]);
  git.repository('plain', { 'main.tf': 'output "a" { value = 1 }\n' }).git('tag', 'v1.0.0');
});
afterAll(async () => {
  await Promise.all([server.close(), git.close()]);
  fs.rmSync(toolDir, { recursive: true });
});

/** These would install a tool from the network, or need a client that signs people in. */
const notAsked = ['installTool', 'getToolInstall', 'withdrawConsent'];
/** These only refuse until later parts of the product do their work. */
const onlyRefusing = [
  'retryMaterialization',
  'reAdopt',
  'backUpWorkspace',
  'backUpCapsule',
  'migrateOutputInterface',
  'requestRestore',
];

async function askSources(): Promise<string> {
  const { api, workspaceId } = server;
  const create = (name: string) => api.createSource({ body: { workspaceId, name, url: git.url('plain') } });
  const params = { sourceId: (await create('one')).body.source.id };
  await api.listSources({ query: { workspaceId } });
  await api.getSource({ params });
  const { hookSecret } = (await api.updateSource({ params, body: { name: 'other', rotateHookSecret: true } })).body;
  const authorization = `Bearer ${hookSecret}`;
  await server.raw({ method: 'POST', path: `/hooks/sources/${params.sourceId}`, headers: { authorization } });
  await server.ended((await api.syncSource({ params, body: {} })).body.run.id);
  const [snapshot] = (await api.listSnapshots({ params })).body.snapshots;
  const at = { ...params, sourceSnapshotId: snapshot?.id ?? '' };
  await api.getInstallModules({ params: at });
  await api.getSnapshotFile({ params: at, query: { path: 'main.tf' } });
  const operator = server.as(server.operatorToken);
  await operator.getSnapshotFileAsOperator({ params: at, query: { path: 'main.tf' } });
  const versions = { params: { workspaceId }, body: { url: git.url('plain') } };
  await api.resolveStableVersion(versions);
  await operator.resolveStableVersionAsOperator(versions);
  const { report } = (await api.checkCompatibility({ params, body: {} })).body;
  await api.getReport({ params: { reportId: report.id } });
  await api.previewProviderBindings({ params: { reportId: report.id }, body: { providerBindings: [] } });
  await api.deleteSource({ params: { sourceId: (await create('two')).body.source.id } });
  return report.id;
}

async function askInstallation(name = 'Web'): Promise<string> {
  const { api } = server;
  const params = { workspaceId: server.workspaceId };
  const body = {
    source: { name: 'Modules', url: git.url('plain'), ref: 'main', path: '.' },
    capsule: { name, environment: 'test' },
  };
  const key = { 'idempotency-key': `install ${name}` };
  const { id } = (await api.createInstallPlan({ params, body }, key)).body.installPlan;
  await api.createInstallPlan({ params, body }, key);
  await api.listInstallPlans({ params });
  for (;;) {
    const { status, body: answer } = await api.getInstallPlan({ params: { installPlanId: id } });
    expect(status).toBe(200);
    if (answer.nextAction !== 'reconcile') return answer.installPlan.capsuleId ?? '';
    await api.reconcileInstallPlan({ params: { installPlanId: id } });
  }
}

async function askRuns(capsuleId: string): Promise<void> {
  const { api, workspaceId } = server;
  const planned = (await api.planCapsule({ params: { capsuleId }, body: {} })).body.run;
  await server.ended(planned.id);
  const params = { runId: planned.id };
  await api.listRuns({ params: { workspaceId } });
  await api.getRun({ params });
  await api.getRunLogs({ params });
  await api.getRunEvents({ params });
  await server.ask('GET', `/api/v1/runs/${planned.id}/logs`, undefined, { accept: 'text/plain' });
  const held = await seedCapsule(server);
  holdCapsule(server, held.id);
  const queued = seedRun(server, { capsuleId: held.id, feed: [logLine('x')] });
  await api.cancelRun({ params: { runId: queued.id }, body: {} });
  const waiting = { params: { runId: seedPlan(server, held, { moves: ['claim', 'ask'] }).id } };
  await api.getRunPlan(waiting);
  await api.approveRun({ ...waiting, body: {} });
  await api.applyRun({ ...waiting, body: {} });
  await api.applyRun({ ...waiting, body: {} });
}

/** What is asked of whole Workspaces, and what later parts of the product answer for now. */
async function askViews(capsuleId: string): Promise<void> {
  const { api, workspaceId } = server;
  const params = { workspaceId };
  await api.listUsage({ params });
  await api.getBilling({ params });
  await api.getUsageSummary({ params: { capsuleId } });
  await api.getRunCost({
    params: { runId: (await api.listRuns({ params, query: { type: 'plan' } })).body.runs[0]?.id ?? '' },
  });
  await api.listBackups({ params });
  await api.backUpWorkspace({ params }).catch(() => {});
  await api.backUpCapsule({ params: { capsuleId } }).catch(() => {});
  await api.listMaterializationFailures({ params });
  const failure = {
    failureDigest: `sha256:${'0'.repeat(64)}`,
    stateVersionId: newId('stateVersion'),
    stateGeneration: 1,
  };
  await api.retryMaterialization({ params: { ...params, intentId: 'cimi_none' }, body: failure }).catch(() => {});
  await api.listUiSurfaces({ params });
}

/** Groups of Runs, and plans that look at what was applied. */
async function askApplied(capsuleId: string): Promise<void> {
  const { api, workspaceId } = server;
  const { capsule } = (await api.getCapsule({ params: { capsuleId } })).body;
  const [snapshot] = (await api.listSnapshots({ params: { sourceId: capsule.sourceId } })).body.snapshots;
  const stateVersionId = seedState(server, capsule, { generation: 1, sourceSnapshotId: snapshot?.id ?? '' });
  server.ledger(({ sqlite }) => sqlite.prepare("UPDATE capsules SET status = 'stale' WHERE id = ?").run(capsuleId));
  const params = { capsuleId };
  await api.planRollback({ params: { stateVersionId } });
  const key = { 'idempotency-key': 'revise' };
  const { revisionPlan } = (await api.createRevisionPlan({ params: { capsuleId }, body: { ref: 'main' } }, key)).body;
  await api.createRevisionPlan({ params: { capsuleId }, body: { ref: 'main' } }, key);
  await api.reconcileRevisionPlan({ params: { revisionPlanId: revisionPlan.id } });
  await api.getRevisionPlan({ params: { revisionPlanId: revisionPlan.id } });
  await api.checkDrift({ params });
  const { runGroup, runs } = (await api.planUpdate({ params: { workspaceId } })).body;
  await api.checkWorkspaceDrift({ params: { workspaceId }, body: { limit: 1 } });
  const { run } = (await api.planDestroy({ params, body: {} })).body;
  for (const { id } of [...runs, run]) await server.ended(id);
  const group = { params: { runGroupId: runGroup.id } };
  await api.getRunGroup(group);
  const waiting = seedPlan(server, await seedCapsule(server), { moves: ['claim', 'ask'] });
  server.ledger((db) =>
    db.sqlite.prepare('UPDATE runs SET run_group_id = ? WHERE id = ?').run(runGroup.id, waiting.id),
  );
  await api.approveRunGroup({ ...group, body: {} });
}

async function askCapsule(capsuleId: string): Promise<void> {
  const { api, workspaceId } = server;
  await api.listCapsules({ params: { workspaceId } });
  const { capsule } = (await api.getCapsule({ params: { capsuleId } })).body;
  await api.listInstallConfigs({ query: { workspaceId } });
  await api.getInstallConfig({ params: { capsuleConfigId: capsule.installConfigId } });
  const { authorityGuard } = capsule.installConfigReAdoption ?? { authorityGuard: '' };
  const body = {
    variablePatch: { set: {}, remove: [] },
    providerBindings: [],
    interfaceBlueprints: [],
    expected: { authorityGuard },
  };
  const key = { 'idempotency-key': 'configure' };
  const planned = (await api.planConfiguration({ params: { capsuleId }, body }, key)).body.configurationPlan;
  await api.planConfiguration({ params: { capsuleId }, body }, key);
  await server.ended(planned.planRunId);
  const other = await seedCapsule(server);
  const stateVersionId = seedState(server, other, { generation: 1, outputs: { a: 1 } });
  await api.getProviderBindings({ params: { capsuleId } });
  await api.getOutputs({ params: { capsuleId: other.id } });
  await api.listStateVersions({ params: { capsuleId: other.id } });
  await api.listCurrentStateVersions({ params: { workspaceId } });
  await api.getStateVersion({ params: { stateVersionId } });
  await api.updateCapsule({ params: { capsuleId }, body: { autoUpdate: true } });
  await api.deleteCapsule({ params: { capsuleId } });
}

async function askConnections(): Promise<void> {
  const { api, workspaceId } = server;
  const { workspaceId: _, ...shared } = githubBody(workspaceId);
  const { connection } = (await api.createConnection({ body: githubBody(workspaceId) })).body;
  const params = { connectionId: connection.id };
  await api.listConnections({ query: { workspaceId } });
  await api.listProviderConnections({ query: { workspaceId } });
  await api.listRecipes({});
  await api.testConnection({ params });
  await api.listConnectionUses({ params });
  await api.listBoundCapsules({ params });
  await api.revokeConnection({ params });
  const operator = server.as(server.operatorToken);
  const make = async () => (await operator.createConnectionAsOperator({ body: shared })).body.connection.id;
  const anyParams = { anyConnectionId: await make() };
  await operator.listConnectionsAsOperator({});
  await operator.getConnectionAsOperator({ params: anyParams });
  await operator.testConnectionAsOperator({ params: anyParams });
  await operator.revokeConnectionAsOperator({ params: anyParams });
  await operator.deleteConnectionAsOperator({ params: { anyConnectionId: await make() } });
  const dir = path.join(server.dataDir, 'oauth-helpers');
  fs.mkdirSync(dir);
  const urls = { authorizationUrl: 'https://example.com/a', tokenUrl: 'https://example.com/t' };
  const recipe = { recipeId: 'github', authMode: 'token', envName: 'GITHUB_TOKEN' };
  const helper = { id: 'github', clientId: 'c', scopes: [], ...recipe, ...urls };
  fs.writeFileSync(path.join(dir, 'github.json'), JSON.stringify(helper));
  const oauth = { helperId: 'github' };
  await api.startOauth({ params: oauth, body: { workspaceId } });
  await api.finishOauth({ params: oauth, query: { state: 'made-up' } });
}

async function askLinks(): Promise<void> {
  const { api, workspaceId } = server;
  const [producer, consumer] = [await seedCapsule(server), await seedCapsule(server)];
  seedState(server, producer, { generation: 1, outputs: { url: 'http://one' } });
  const sides = { fromWorkspaceId: workspaceId, toWorkspaceId: workspaceId, producerCapsuleId: producer.id };
  const { share } = (await api.createShare({ body: { ...sides, outputs: [{ name: 'url' }] } })).body;
  await api.listShares({ query: { workspaceId } });
  await api.approveShare({ params: { shareId: share.id } });
  await api.revokeShare({ params: { shareId: share.id } });
  const params = { capsuleId: consumer.id };
  const body = { producerCapsuleId: producer.id, outputs: { url: { from: 'url', to: 'url' } } };
  const { dependency } = (await api.createDependency({ params, body })).body;
  await api.listDependencies({ params });
  await api.getGraph({ params: { workspaceId } });
  await api.deleteDependency({ params: { dependencyId: dependency.id } });
}

async function askVault(): Promise<void> {
  const { api } = server;
  await api.getVault({});
  await api.changeKey({ body: { source: 'file' } });
  await api.rotateKeys({});
  const operator = server.as(server.operatorToken);
  await operator.getVaultAsOperator({});
  await operator.unsealVault({ body: {} });
}

async function askTokens(): Promise<void> {
  const { api } = server;
  const operator = server.as(server.operatorToken);
  const ask = { name: 'n', scopes: ['read'] };
  await operator.issueTokenAsOperator({ body: { subject: server.subject, ...ask } });
  const { token, token_record } = (await api.createToken({ body: ask })).body as { token: string } & {
    token_record: { id: string };
  };
  await api.listTokens({});
  await api.listTokenScopes({});
  await api.getTokenInventory({});
  await server.as(token).getTokenAuthority({});
  await api.revokeToken({ params: { tokenId: token_record.id } });
}

async function askAccount(): Promise<void> {
  const { api, workspaceId } = server;
  const operator = server.as(server.operatorToken);
  const { url } = (await operator.issueSignInLink({ body: {} })).body;
  await api.linkSession({ body: { token: new URL(url).hash.slice(1) } });
  await api.getSession({});
  await server.as((await operator.issueSession({ body: {} })).body.session.token).endSession({});
  await api.listWorkspaces({});
  await api.getWorkspace({ params: { workspaceId } });
  await server.ask('GET', `/api/v1/workspaces/${workspaceId}/events`);
  await api.getBootstrap({});
  await api.getOverview({});
  await api.listWorkspaceInventory({});
  const made = {
    params: { workspaceId: (await api.createWorkspace({ body: { handle: 'second' } })).body.workspace.id },
  };
  await api.updateWorkspace({ ...made, body: { displayName: 'Second', policy: {}, archived: false } });
  await api.createProject({ ...made, body: { name: 'Shop', slug: 'shop' } });
  await api.listProjects({ params: { workspaceId } });
  await api.getProject({ params: { projectId: `prj_default_${workspaceId}` } });
  await api.listActivity({ params: { workspaceId } });
  await api.getDiscovery({});
  await api.getCapabilities({});
  await api.getOpenapi({});
  await api.getManifestSchema({ params: { version: 'v2.4' } });
  await api.getHealth({});
  await api.getReadiness({});
  await api.openInstallLink({ query: { git: 'https://example.com/r' } });
  await server.raw({ path: '/metrics', headers: { authorization: `Bearer ${server.operatorToken}` } });
}

async function askOperator(capsuleId: string): Promise<void> {
  const { workspaceId } = server;
  const operator = server.as(server.operatorToken);
  const { project } = (await operator.createProjectAsOperator({ body: { workspaceId, name: 'Edge', slug: 'edge' } }))
    .body;
  await operator.getProjectAsOperator({ params: { projectId: project.id } });
  await operator.listCapsulesAsOperator({ query: { workspaceId } });
  const params = { capsuleId };
  const { capsule } = (await operator.getCapsuleAsOperator({ params })).body;
  const report = (await server.api.getReport({ params: { reportId: capsule.compatibilityReportId ?? '' } })).body
    .report;
  await operator.commitCapsule({
    body: {
      workspaceId,
      name: 'Direct',
      environment: 'test',
      sourceId: capsule.sourceId,
      sourceSnapshotId: report.sourceSnapshotId,
      compatibilityReportId: report.id,
      installConfigId: 'cfg-default-opentofu-capsule',
    },
  });
  await operator.updateCapsuleAsOperator({ params, body: { autoUpdate: false } });
  await operator.getOutputsAsOperator({ params });
  await operator.listStateVersionsAsOperator({ params });
  const { run } = (await operator.requestRun({ body: { capsuleId, type: 'plan' } })).body;
  await operator.getRunAsOperator({ params: { runId: run.id } });
  await operator.getRunLogsAsOperator({ params: { runId: run.id } });
  await server.ended(run.id);
  const waiting = seedPlan(server, await seedCapsule(server), { moves: ['claim', 'ask'] });
  await operator.approveRunAsOperator({ params: { runId: waiting.id }, body: {} });
  const queued = seedPlan(server, await seedCapsule(server), { moves: [] });
  await operator.cancelRunAsOperator({ params: { runId: queued.id }, body: {} });
  await operator.patchInstallConfig({
    params: { installConfigId: 'cfg-default-opentofu-capsule' },
    body: { kind: 'svc.install-config-patch@v1', outputAllowlist: {} },
  });
  await operator.listAudit({});
  await operator.listOutputInterfaceMigrations({ params: { workspaceId } });
}

test('every mounted route answers what the published description says of it', { timeout: 90_000 }, async () => {
  await askSources();
  const capsuleId = await askInstallation();
  await askRuns(capsuleId);
  await askViews(capsuleId);
  await askApplied(await askInstallation('Shop'));
  await askOperator(capsuleId);
  await askCapsule(capsuleId);
  await askConnections();
  await askLinks();
  await askVault();
  await askTokens();
  await askAccount();
  await askPeople(server);
  expect(operationNames().filter((name) => !seen.has(name))).toEqual([...notAsked, ...onlyRefusing]);
});

/** Nothing that anybody keeps is made or moved by these: they look, begin what is told when it is done, or ask for what is so already. */
const movesNothing = [
  'previewProviderBindings',
  'resolveStableVersion',
  'resolveStableVersionAsOperator',
  'receiveSourceHook',
  'startOauth',
  'updateCapsuleAsOperator',
  'unsealVault',
];

test('every write that was asked left a row in the history, and no row holds a value', () => {
  const silent = [...quiet].filter((name) => !told.has(name) && !movesNothing.includes(name));
  expect(silent).toEqual([]);
  const rows = server.ledger(({ sqlite }) => sqlite.prepare('SELECT action, metadata FROM audit_events').all());
  expect(rows.length).toBeGreaterThan(40);
  expect(JSON.stringify(rows)).not.toMatch(/canary-|sess_|svcpat_|svchook_|svcinv_|PRIVATE KEY/);
});

test('the documents agree with each other and with the server', async () => {
  const { api, url } = server;
  const discovery = (await api.getDiscovery({})).body;
  const capabilities = (await api.getCapabilities({})).body;
  expect(capabilities).toMatchObject(discovery);
  expect(discovery).toMatchObject({
    product: 'svc',
    name: 'Ground Control',
    apiBaseUrl: `${url}/api/v1`,
    api_versions: ['svc.dev/v1alpha1'],
    features: { stacks: true, opentofu_runner: true },
    endpoints: { capabilities: `${url}/api/v1/capabilities`, openapi: `${url}/openapi.json`, oidc_issuer: url },
  });
  expect(capabilities.runner).toMatchObject({ available: true, toolName: 'tofu', toolVersion: '1.12.6' });
  expect(capabilities.manifest).toEqual({
    apiVersions: ['svc/v1', 'svc/v2', 'svc/v2.1', 'svc/v2.2', 'svc/v2.3', 'svc/v2.4'],
    runtimeBindings: false,
  });
  expect((await api.getReadiness({})).body).toMatchObject({ ok: true });
  expect(capabilities.limits).toMatchObject({ pageMax: 100, jsonBodyBytes: 1_048_576 });
});

test('the schema of a manifest is there for the versions that publish one', async () => {
  for (const version of ['v2.1', 'v2.2', 'v2.3', 'v2.4']) {
    const { body } = await server.api.getManifestSchema({ params: { version } });
    expect(body).toMatchObject({ properties: { apiVersion: { const: `svc/${version}` } } });
  }
  for (const version of ['v1', 'v2', 'v3', '__proto__'])
    await expect(server.api.getManifestSchema({ params: { version } })).rejects.toMatchObject({ status: 404 });
});
