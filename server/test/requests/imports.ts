import type { TestServer } from '../harness.ts';
import { stateText } from '../state-fixture.ts';

/** Uploads of states and their Capsules, by the local owner and by the operator. */
export async function requestImports(server: TestServer, capsuleId: string): Promise<void> {
  const { api, workspaceId } = server;
  const operator = server.as(server.operatorToken);
  const params = { workspaceId };
  const stateOf = (lineage: string) =>
    new TextEncoder().encode(stateText([]).replace('"lineage":"lineage"', `"lineage":"${lineage}"`));
  const { capsule } = (await api.getCapsule({ params: { capsuleId } })).body;
  const { report } = (await api.getReport({ params: { reportId: capsule.compatibilityReportId ?? '' } })).body;
  const bodyOf = (name: string) => ({
    name,
    environment: 'moved',
    sourceId: capsule.sourceId,
    sourceSnapshotId: report.sourceSnapshotId,
    compatibilityReportId: report.id,
    installConfigId: 'cfg-default-opentofu-capsule',
  });
  const unused = (await api.uploadImport({ params, bytes: stateOf('unused') })).body.import.id;
  await api.deleteImport({ params: { importId: unused } });
  const importId = (await api.uploadImport({ params, bytes: stateOf('own') })).body.import.id;
  await api.listImports({ params });
  await api.getImport({ params: { importId } });
  await api.requestImport({ params: { importId }, body: bodyOf('Moved') });

  const dropped = (await operator.uploadImportAsOperator({ params, bytes: stateOf('dropped') })).body.import.id;
  await operator.deleteImportAsOperator({ params: { importId: dropped } });
  const other = (await operator.uploadImportAsOperator({ params, bytes: stateOf('other') })).body.import.id;
  await operator.listImportsAsOperator({ params });
  await operator.getImportAsOperator({ params: { importId: other } });
  await operator.requestImportAsOperator({ params: { importId: other }, body: bodyOf('Moved too') });
}
