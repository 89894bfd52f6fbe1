import type { TestServer } from '../harness.ts';
import { seedCapsule } from '../ledger-rows.ts';
import { seedRealState, stateText } from '../state-fixture.ts';

/** Exports of the operator: the folder of a Capsule with a module, and a state. */
export async function requestExports(server: TestServer, capsuleId: string): Promise<void> {
  const operator = server.as(server.operatorToken);
  await server.raw({
    method: 'POST',
    path: `/internal/v1/capsules/${capsuleId}/exports`,
    headers: { authorization: `Bearer ${server.operatorToken}`, 'content-type': 'application/json' },
    body: '{}',
  });
  const capsule = await seedCapsule(server, { status: 'active' });
  await seedRealState(server, capsule, { generation: 1, text: stateText([{ name: 'read' }]) });
  await operator.readState({ params: { capsuleId: capsule.id }, body: { use: 'summary' } });
}
