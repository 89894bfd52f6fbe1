import { createCopySteps } from '../copy-server.ts';
import type { TestServer } from '../harness.ts';
import type { ModuleRegistry } from '../module-registry.ts';

/** An installable copy from its creation to its deletion, with an update that is cancelled. */
export async function requestCopies(server: TestServer, registry: ModuleRegistry): Promise<void> {
  const { api, workspaceId } = server;
  const { createSource, settled } = createCopySteps(server);
  const called = registry.repository('called', { 'main.tf': 'output "a" {\n  value = 1\n}\n' });
  const caller = registry.repository('caller', { 'main.tf': `module "a" {\n  source = "git::${called.url}"\n}\n` });
  const body = { sourceId: await createSource(caller.url) };
  const first = (await api.createCopy({ params: { workspaceId }, body })).body;
  await api.createCopy({ params: { workspaceId }, body });
  const params = { copyId: first.copy.id, revisionId: first.revision.id };
  const { review } = await settled(params);
  await api.approveCopyRevision({ params, body: { reviewDigest: review?.digest ?? '' } });
  await settled(params);
  const copy = { copyId: params.copyId };
  const { sourceId = '' } = (await api.getCopy({ params: copy })).body.copy;
  await server.ended((await api.syncSource({ params: { sourceId }, body: {} })).body.run.id);
  await api.checkCopyUpstream({ params: copy });
  await server.request('GET', `/api/v1/copies/${copy.copyId}/repository`);
  called.commit({ 'main.tf': 'output "a" {\n  value = 2\n}\n' });
  const update = (await api.createCopyRevision({ params: copy })).body.revision;
  await api.createCopyRevision({ params: copy });
  await settled({ ...copy, revisionId: update.id });
  await api.cancelCopyRevision({ params: { ...copy, revisionId: update.id } });
  await api.listCopyRevisions({ params: copy });
  await api.deleteCopy({ params: copy });
}
