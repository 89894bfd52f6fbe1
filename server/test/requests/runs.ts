import type { TestServer } from '../harness.ts';
import { holdCapsule, logLine, seedCapsule, seedPlan, seedRun } from '../ledger-rows.ts';

/** A plan that is read, and Runs that are cancelled, approved and applied. */
export async function requestRuns(server: TestServer, capsuleId: string): Promise<void> {
  const { api, workspaceId } = server;
  const planned = (await api.planCapsule({ params: { capsuleId }, body: {} })).body.run;
  await server.ended(planned.id);
  const params = { runId: planned.id };
  await api.listRuns({ params: { workspaceId } });
  await api.listRuns({ params: { workspaceId }, query: { view: 'changes' } });
  await api.getRun({ params });
  await api.getRunLogs({ params });
  await api.getRunEvents({ params });
  await server.request('GET', `/api/v1/runs/${planned.id}/logs`, undefined, { accept: 'text/plain' });
  const held = await seedCapsule(server);
  holdCapsule(server, held.id);
  const queued = seedRun(server, { capsuleId: held.id, feed: [logLine('x')] });
  await api.cancelRun({ params: { runId: queued.id }, body: {} });
  const earlier = seedPlan(server, held);
  const waiting = { params: { runId: seedPlan(server, held, { moves: ['claim', 'requestApproval'] }).id } };
  await api.getRunPlan(waiting);
  await api.comparePlans({ ...waiting, query: { with: earlier.id } });
  await api.getInputChanges(waiting);
  await api.requestApproval({ ...waiting, body: { note: 'Before noon' } });
  await api.requestApproval({ ...waiting, body: {} });
  await api.getWaiting({ params: { workspaceId } });
  await api.approveRun({ ...waiting, body: {} });
  await api.applyRun({ ...waiting, body: {} });
  await api.applyRun({ ...waiting, body: {} });
}
