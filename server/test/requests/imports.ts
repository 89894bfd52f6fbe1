import type { TestServer } from '../harness.ts';
import { stateText } from '../state-fixture.ts';

/** Uploads of states, of the local owner and of the operator. */
export async function requestImports(server: TestServer): Promise<void> {
  const { api, workspaceId } = server;
  const operator = server.as(server.operatorToken);
  const params = { workspaceId };
  const bytes = new TextEncoder().encode(
    stateText([{ name: 'moved' }]).replace('"lineage":"lineage"', '"lineage":"moved"'),
  );
  const { body: own } = await api.uploadImport({ params, bytes });
  await api.listImports({ params });
  await api.getImport({ params: { importId: own.import.id } });
  await api.deleteImport({ params: { importId: own.import.id } });
  const { body } = await operator.uploadImportAsOperator({ params, bytes });
  await operator.listImportsAsOperator({ params });
  await operator.getImportAsOperator({ params: { importId: body.import.id } });
  await operator.deleteImportAsOperator({ params: { importId: body.import.id } });
}
