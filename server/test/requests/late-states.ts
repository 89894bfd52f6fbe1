import type { TestServer } from '../harness.ts';
import { addLateState, seedLateState } from '../late-states.ts';

/** Late states of an apply: one is adopted, another one dismissed. */
export async function requestLateStates(server: TestServer): Promise<void> {
  const { api } = server;
  const { capsule, runId, id: lateStateId } = await seedLateState(server);
  const other = await addLateState(server, { capsule, runId });
  await api.listLateStates({ params: { capsuleId: capsule.id }, query: { runId, phase: 'waiting' } });
  await api.dismissLateState({ params: { lateStateId: other } });
  await api.adoptLateState({ params: { lateStateId }, body: { expectedGeneration: 2 } });
}
