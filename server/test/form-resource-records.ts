import { createFormResourcesStore } from '#server/domains/form-resources/index';
import { newId } from '#server/kernel/ids';
import { formPackage, identityOf } from './form-package.ts';
import type { TestServer } from './harness.ts';

/** Stores a Resource of a form that is not installed, as a server without a form host may have. Returns its id. */
export function addFormResource(server: Pick<TestServer, 'ledger'>, workspaceId: string): string {
  const id = newId('formResource');
  const form = identityOf(formPackage());
  server.ledger((db) =>
    createFormResourcesStore(db).insertResource({
      id,
      workspaceId,
      kind: form.formRef.kind,
      name: 'files',
      form,
      generation: 1,
      spec: { size: 1 },
      outputs: { size: 1 },
      nativeId: id.slice(4),
      imported: false,
      ready: true,
      driftedFields: [],
      observedAt: 0,
      createdBy: 'operator',
      createdAt: 0,
      updatedBy: 'operator',
      updatedAt: 0,
    }),
  );
  return id;
}
