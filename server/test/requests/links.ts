import type { TestServer } from '../harness.ts';
import { seedCapsule, seedState } from '../ledger-rows.ts';

/** OutputShares and Dependencies between Capsules. */
export async function requestLinks(server: TestServer): Promise<void> {
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
