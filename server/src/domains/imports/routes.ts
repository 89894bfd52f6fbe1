import { actorOf, type Caller, created, type Mount, noContent, ok } from '#server/kernel/http/index';
import { importsApi, importsOperatorApi } from '#shared/imports/api';
import type { BodyOf, QueryOf, RawRequest } from '#shared/kernel/endpoint';
import type { ImportsService } from './service.ts';

type WorkspaceCall = { params: { workspaceId: string }; caller: Caller };
type ImportCall = { params: { importId: string }; caller: Caller };

/** The routes of the local owner and of the operator, which do the same. */
export function importsRoutes(mount: Mount, imports: ImportsService): void {
  const upload = ({ params: { workspaceId }, raw, caller }: WorkspaceCall & { raw: RawRequest }) => {
    const read = imports.readUpload(raw.bytes);
    return () => {
      const { import: record, isNew } = imports.store(read, { workspaceId, actorId: actorOf(caller) });
      return isNew ? created({ import: record }) : ok({ import: record });
    };
  };
  const list = ({ params, query }: WorkspaceCall & { query: QueryOf<typeof importsApi.listImports> }) =>
    ok(imports.listImports(params.workspaceId, query));
  const get = ({ params }: ImportCall) => ok({ import: imports.getImport(params.importId) });
  const request = async ({
    params: { importId },
    body,
    caller,
  }: ImportCall & { body: BodyOf<typeof importsApi.requestImport> }) => {
    const write = await imports.request(importId, { body, actorId: actorOf(caller) });
    return () => {
      const { capsule, run, isNew } = write();
      const answer = { import: imports.getImport(importId), capsule, run };
      return isNew ? created(answer) : ok(answer);
    };
  };
  const remove =
    ({ params, caller }: ImportCall) =>
    () => {
      imports.delete(params.importId, actorOf(caller));
      return noContent();
    };
  mount(importsApi, {
    uploadImport: upload,
    listImports: list,
    getImport: get,
    requestImport: request,
    deleteImport: remove,
  });
  mount(importsOperatorApi, {
    uploadImportAsOperator: upload,
    listImportsAsOperator: list,
    getImportAsOperator: get,
    requestImportAsOperator: request,
    deleteImportAsOperator: remove,
  });
}
