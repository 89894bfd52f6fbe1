import type { TestServer } from '../harness.ts';
import { seedCapsule, seedDrift, seedPlan, seedState } from '../ledger-rows.ts';
import { seedRealState, stateText } from '../state-fixture.ts';

/** Groups of Runs, and drift checks of applied Capsules. */
export async function requestApplied(server: TestServer, capsuleId: string): Promise<void> {
  const { api, workspaceId } = server;
  const { capsule } = (await api.getCapsule({ params: { capsuleId } })).body;
  const [snapshot] = (await api.listSnapshots({ params: { sourceId: capsule.sourceId } })).body.snapshots;
  const stateVersionId = seedState(server, capsule, { generation: 1, sourceSnapshotId: snapshot?.id ?? '' });
  server.ledger(({ sqlite }) => sqlite.prepare("UPDATE capsules SET status = 'stale' WHERE id = ?").run(capsuleId));
  const params = { capsuleId };
  await requestResources(server);
  await api.planRollback({ params: { stateVersionId } });
  const key = { 'idempotency-key': 'revise' };
  const { revisionPlan } = (await api.createRevisionPlan({ params: { capsuleId }, body: { ref: 'main' } }, key)).body;
  await api.createRevisionPlan({ params: { capsuleId }, body: { ref: 'main' } }, key);
  await api.reconcileRevisionPlan({ params: { revisionPlanId: revisionPlan.id } });
  await api.getRevisionPlan({ params: { revisionPlanId: revisionPlan.id } });
  await api.cancelRevisionPlan({ params: { revisionPlanId: revisionPlan.id } });
  await api.checkDrift({ params });
  await requestDrift(server);
  const { runGroup, runs } = (await api.planUpdate({ params: { workspaceId } })).body;
  await api.checkWorkspaceDrift({ params: { workspaceId }, body: { limit: 1 } });
  const { run } = (await api.planDestroy({ params, body: {} })).body;
  for (const { id } of [...runs, run]) await server.ended(id);
  const group = { params: { runGroupId: runGroup.id } };
  await api.getRunGroup(group);
  await api.retryRunGroup(group);
  await api.listRunGroups({ params: { workspaceId }, query: { type: 'workspace_update' } });
  const waiting = seedPlan(server, await seedCapsule(server), { moves: ['claim', 'requestApproval'] });
  server.ledger((db) =>
    db.sqlite.prepare('UPDATE runs SET run_group_id = ? WHERE id = ?').run(runGroup.id, waiting.id),
  );
  await api.approveRunGroup({ ...group, body: { runIds: [waiting.id] } });
  const { run: plan } = (await api.getRun({ params: { runId: waiting.id } })).body;
  await api.applyRunGroup({ ...group, body: { planDigests: { [waiting.id]: plan.planDigest ?? '' } } });
}

/** The drift of another Capsule, which it was marked with. */
async function requestDrift(server: TestServer): Promise<void> {
  const { api, workspaceId } = server;
  const capsule = await seedCapsule(server);
  const capsuleId = capsule.id;
  const digest = seedDrift(server, capsule);
  await api.listDrift({ params: { workspaceId }, query: { status: 'drifted,failed' } });
  await api.acknowledgeDrift({ params: { capsuleId }, body: { digest, reason: 'A hotfix.' } });
}

/** Two states of another Capsule: the others there have no real bytes. */
async function requestResources(server: TestServer): Promise<void> {
  const { api } = server;
  const capsule = await seedCapsule(server);
  const text = stateText([{ name: 'web', attributes: { id: 'web-1' } }]);
  const [stateVersionId, other] = [
    await seedRealState(server, capsule, { generation: 1, text, isOld: true }),
    await seedRealState(server, capsule, { generation: 2, text }),
  ];
  await api.listStateResources({ params: { stateVersionId }, query: { q: 'web' } });
  await api.compareStateVersions({ params: { stateVersionId }, query: { with: other } });
  await api.listResourceHistory({ params: { capsuleId: capsule.id }, query: { address: 'test_thing.web' } });
}
