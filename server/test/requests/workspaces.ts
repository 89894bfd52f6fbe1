import { newId } from '../../src/kernel/ids.ts';
import type { TestServer } from '../harness.ts';

/** Requests on whole Workspaces, and the current responses of features that are not built yet. */
export async function requestWorkspace(server: TestServer, capsuleId: string): Promise<void> {
  const { api, workspaceId } = server;
  const params = { workspaceId };
  await api.getAttention({ params });
  await api.createSample({ params });
  await api.listUsage({ params });
  await api.getBilling({ params });
  await api.getUsageSummary({ params: { capsuleId } });
  await api.getRunCost({
    params: { runId: (await api.listRuns({ params, query: { type: 'plan' } })).body.runs[0]?.id ?? '' },
  });
  await api.listBackups({ params });
  await api.getBackupSchedule({ params });
  await api.backUpWorkspace({ params });
  await api.listMaterializationFailures({ params });
  const failure = {
    failureDigest: `sha256:${'0'.repeat(64)}`,
    stateVersionId: newId('stateVersion'),
    stateGeneration: 1,
  };
  await api.retryMaterialization({ params: { ...params, intentId: 'cimi_none' }, body: failure }).catch(() => {});
  await api.listUiSurfaces({ params });
  await requestDeletion(server);
}

/** Deletes a Workspace of its own. */
async function requestDeletion({ api }: TestServer): Promise<void> {
  const { workspace } = (await api.createWorkspace({ body: { handle: 'to-delete' } })).body;
  await api.previewWorkspaceDeletion({ params: { workspaceId: workspace.id } });
  await api.deleteWorkspace({ body: { workspaceId: workspace.id, confirmHandle: workspace.handle } });
  await api.getWorkspaceDeletion({ params: { deletedWorkspaceId: workspace.id } });
}
