import { createRunGroupsStore } from '../src/domains/run-groups/index.ts';
import { newId } from '../src/kernel/ids.ts';
import type { TestClient, TestServer } from './harness.ts';
import { seedCapsule, seedPlan, seedRun, seedState } from './ledger-rows.ts';

/** One record of every kind in a Workspace, by the name of the path parameter that names it. */
export async function seedOneOfEach(server: TestServer): Promise<Record<string, string>> {
  const capsule = await seedCapsule(server);
  const { workspaceId } = server;
  const plan = seedPlan(server, capsule);
  seedRun(server);
  return {
    workspaceId,
    subject: server.subject,
    projectId: `prj_default_${workspaceId}`,
    runId: plan.id,
    sourceId: capsule.sourceId,
    sourceSnapshotId: 'snap_x',
    capsuleId: capsule.id,
    capsuleConfigId: capsule.installConfigId,
    stateVersionId: seedState(server, capsule, { generation: 1 }),
    installPlanId: await makeInstallPlan(server),
    ...(await makeSteps(server, capsule.id)),
    connectionId: await makeConnection(server),
    ...(await makeLinks(server, capsule.id)),
    ...(await makeWebhook(server)),
    ...(await makeInterface(server)),
  };
}

/** The same server as another person sees it, with their own Workspace. */
export async function asNeighbour(server: TestServer): Promise<TestServer> {
  const { api, subject, token } = await server.join(undefined);
  const workspaceId = (await api.listWorkspaces({})).body.workspaces[0]?.id ?? '';
  return { ...server, api, subject, token, workspaceId };
}

async function makeInstallPlan({ api, workspaceId }: Pick<TestServer, 'api' | 'workspaceId'>): Promise<string> {
  const body = {
    source: { name: 'n', url: 'https://example.com/a', ref: 'HEAD', path: '.' },
    capsule: { name: 'c', environment: 'e' },
  };
  const response = await api.createInstallPlan({ params: { workspaceId }, body }, { 'idempotency-key': 'k' });
  return response.body.installPlan.id;
}

/** A webhook, and a test of it that the name of no host can resolve. */
async function makeWebhook({ api, workspaceId }: TestServer): Promise<{ webhookId: string; deliveryId: string }> {
  const body = { name: 'w', url: 'https://receiver.invalid/', events: ['webhook.disabled' as const] };
  const { webhook } = (await api.createWebhook({ params: { workspaceId }, body })).body;
  const { delivery } = (await api.testWebhook({ params: { workspaceId, webhookId: webhook.id } })).body;
  return { webhookId: webhook.id, deliveryId: delivery.id };
}

/** An Interface of the Workspace, with a binding of its owner. */
async function makeInterface({ api, workspaceId, subject }: TestServer) {
  const access = { visibility: 'workspace' as const };
  const spec = { type: 'interface.ui.surface', version: '1', document: {}, access };
  const ownerRef = { kind: 'Workspace' as const, id: workspaceId };
  const { id: interfaceId } = (await api.createInterface({ body: { workspaceId, name: 'ui', ownerRef, spec } })).body;
  const subjectRef = { kind: 'Principal' as const, id: subject };
  const body = { subjectRef, permissions: ['ui.open'], delivery: { type: 'none' } };
  const bindingId = (await api.createInterfaceBinding({ params: { interfaceId }, body })).body.metadata.id;
  return { interfaceId, bindingId };
}

/** A share and a Dependency; the Workspace is on both sides. */
async function makeLinks(server: TestServer, capsuleId: string): Promise<{ shareId: string; dependencyId: string }> {
  const { workspaceId, api } = server;
  const producer = await seedCapsule(server);
  seedState(server, producer, { generation: 1, outputs: { url: 'x' } });
  const sides = { fromWorkspaceId: workspaceId, toWorkspaceId: workspaceId, producerCapsuleId: producer.id };
  const { share } = (await api.createShare({ body: { ...sides, outputs: [{ name: 'url' }] } })).body;
  const body = { producerCapsuleId: producer.id, outputs: { url: { from: 'url', to: 'url' } } };
  const { dependency } = (await api.createDependency({ params: { capsuleId }, body })).body;
  return { shareId: share.id, dependencyId: dependency.id };
}

async function makeConnection({ api, workspaceId }: { api: TestClient; workspaceId: string }): Promise<string> {
  const values = { GIT_HTTPS_TOKEN: 'x' };
  const body = { workspaceId, provider: 'git', kind: 'source_git_https_token' as const, values };
  return (await api.createConnection({ body })).body.connection.id;
}

/** A group of Runs, and an update of a Capsule that was applied. */
async function makeSteps(server: TestServer, capsuleId: string) {
  const { workspaceId, subject, api, ledger } = server;
  const runGroupId = newId('runGroup');
  const at = { createdBy: subject, createdAt: Date.now() };
  const group = { id: runGroupId, workspaceId, type: 'workspace_update' as const, ...at, layers: [] };
  ledger((db) => createRunGroupsStore(db).insert(group));
  const request = { params: { capsuleId }, body: { ref: 'HEAD' } };
  const { revisionPlan } = (await api.createRevisionPlan(request, { 'idempotency-key': 'revise' })).body;
  return { runGroupId, revisionPlanId: revisionPlan.id };
}
