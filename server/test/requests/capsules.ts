import type { TestServer } from '../harness.ts';
import { seedCapsule, seedState } from '../ledger-rows.ts';

/** An installed Capsule: its configuration, its records, its destruction. */
export async function requestCapsule(server: TestServer, capsuleId: string): Promise<void> {
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
  await requestReAdoption(server, { capsuleId, sourceSnapshotId: planned.sourceSnapshotId });
  const other = await seedCapsule(server);
  const stateVersionId = seedState(server, other, { generation: 1, outputs: { a: 1 } });
  await api.getProviderBindings({ params: { capsuleId } });
  await api.getConfiguration({ params: { capsuleId } });
  await api.getOutputs({ params: { capsuleId: other.id } });
  await api.listStateVersions({ params: { capsuleId: other.id } });
  await api.listCurrentStateVersions({ params: { workspaceId } });
  await api.getStateVersion({ params: { stateVersionId } });
  await api.getToolchain({ params: { capsuleId: other.id } });
  await api.updateCapsule({ params: { capsuleId }, body: { autoUpdate: true } });
  await api.holdCapsule({ params: { capsuleId }, body: { reason: 'Freeze' } });
  await api.releaseCapsule({ params: { capsuleId } });
  await api.addFavorite({ params: { capsuleId } });
  await api.listFavorites({ params: { workspaceId } });
  await api.removeFavorite({ params: { capsuleId } });
  await api.deleteCapsule({ params: { capsuleId } });
}

/** The same snapshot again: the inputs stay, and the configuration is sealed again. */
async function requestReAdoption(
  { api }: TestServer,
  at: { capsuleId: string; sourceSnapshotId: string },
): Promise<void> {
  const params = { capsuleId: at.capsuleId };
  const { capsule, installConfigReAdoption } = (await api.getCapsule({ params })).body;
  const body = {
    baseInstallConfigId: capsule.installConfigId,
    sourceSnapshotId: at.sourceSnapshotId,
    reason: 'Reviewed together.',
    expected: installConfigReAdoption,
  };
  await api.reAdopt({ params, body }, { 'idempotency-key': 'adopt' });
}
