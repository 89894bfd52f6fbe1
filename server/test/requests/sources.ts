import type { TestServer } from '../harness.ts';

/** Sources, their snapshots and the check of a module. Returns the id of its report. */
export async function requestSources(server: TestServer, url: string): Promise<string> {
  const { api, workspaceId } = server;
  const create = (name: string) => api.createSource({ body: { workspaceId, name, url } });
  const params = { sourceId: (await create('one')).body.source.id };
  await api.listSources({ query: { workspaceId } });
  await api.listCopies({ params: { workspaceId } });
  await api.getSource({ params });
  const { hookSecret } = (await api.updateSource({ params, body: { name: 'other', rotateHookSecret: true } })).body;
  const authorization = `Bearer ${hookSecret}`;
  await server.raw({ method: 'POST', path: `/hooks/sources/${params.sourceId}`, headers: { authorization } });
  await server.ended((await api.syncSource({ params, body: {} })).body.run.id);
  const [snapshot] = (await api.listSnapshots({ params })).body.snapshots;
  const at = { ...params, sourceSnapshotId: snapshot?.id ?? '' };
  await api.getSnapshot({ params: at });
  const query = { sourceSnapshotIds: at.sourceSnapshotId };
  await api.listCommitSubjects({ params: { workspaceId }, query });
  await api.getInstallModules({ params: at });
  await api.getSnapshotFile({ params: at, query: { path: 'main.tf' } });
  await api.compareSnapshots({ params: at, query: { from: at.sourceSnapshotId } });
  await api.getSnapshotLines({ params: at, query: { path: 'main.tf', from: '1', to: '3' } });
  await api.getSnapshotReadme({ params: at });
  const operator = server.as(server.operatorToken);
  await operator.getSnapshotFileAsOperator({ params: at, query: { path: 'main.tf' } });
  const versions = { params: { workspaceId }, body: { url } };
  await api.resolveStableVersion(versions);
  await operator.resolveStableVersionAsOperator(versions);
  const { report } = (await api.checkCompatibility({ params, body: {} })).body;
  await api.getReport({ params: { reportId: report.id } });
  await api.previewProviderBindings({ params: { reportId: report.id }, body: { providerBindings: [] } });
  await api.deleteSource({ params: { sourceId: (await create('two')).body.source.id } });
  return report.id;
}
