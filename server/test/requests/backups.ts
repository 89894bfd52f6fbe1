import { backUp, seedApplied } from '../backup-fixture.ts';
import type { TestServer } from '../harness.ts';

/** A backup of an applied Capsule, its download, requests to restore it, and its deletion. */
export async function requestBackups(server: TestServer): Promise<void> {
  const { api, workspaceId } = server;
  const capsule = await seedApplied(server, { generations: [{ a: 1 }] });
  const { id: backupId } = await backUp(server, capsule.id);
  await server.request('GET', `/api/v1/workspaces/${workspaceId}/backups/${backupId}/download`);
  const { run } = (await api.restoreBackup({ params: { workspaceId }, body: { backupId } })).body;
  await api.getRestoreReview({ params: { runId: run.id } });
  await server.as(server.operatorToken).requestRestore({ params: { workspaceId }, body: { backupId } });
  await api.deleteBackup({ params: { workspaceId, backupId } });
}
